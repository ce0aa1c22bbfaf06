package away

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// TestAway registers machines that call one of another package.
func TestAway(t *testing.T) {
	engine := runtime.NewEngine(memstore.New())
	if err := RegisterNight(engine, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := (NightRuns{Engine: engine}).Start(t.Context(), "n", NightParams{}); err != nil {
		t.Fatal(err)
	}
}
