package describe

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestHidden: what activities have written is told neither of a step nor of a run.
func TestHidden(t *testing.T) {
	view := runtime.View{Activities: []machine.ActivityView{{LastError: &machine.ErrorView{Category: "unknown", Message: "secret", Stderr: "secret"}}}}
	step := runtime.StepView{Message: "secret", Stderr: "secret"}
	DropData(&step)
	for _, v := range []any{WithoutData(&view), step} {
		if text, err := json.Marshal(v); err != nil || strings.Contains(string(text), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
