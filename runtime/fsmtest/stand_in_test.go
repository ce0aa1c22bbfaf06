package fsmtest

import (
	"errors"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
)

// TestStandInTakenBack: a stand-in that was found just before the test takes it back leaves the work to a child.
func TestStandInTakenBack(t *testing.T) {
	p := &T{children: map[string]*script{"Ask": {outcomes: []Outcome{Ends()}}}}
	do := p.standIn("Ask")
	for _, children := range []map[string]*script{{"Ask": {}}, {}} {
		p.children = children
		_, err := do(t.Context(), &runtime.Attempt{Activity: "Ask"})
		var failed *runtime.Failure
		if err == nil || errors.As(err, &failed) {
			t.Errorf("it does %v", err)
		}
	}
	if len(p.attempts) != 0 {
		t.Errorf("it notes %+v", p.attempts)
	}
}
