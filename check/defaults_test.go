package check_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// TestDefaultOfWhatMayGo holds that a place which may be absent, and which no guard reads, has
// its default at the start: its copy can be computed.
func TestDefaultOfWhatMayGo(t *testing.T) {
	const src = `
machine M {
    record Inner { c int 0..1 }
    record Rec { a bool, in Inner? }
    context { held Rec = Rec { a = false, in = Inner { c = 0 } } }
    initial Waiting
    after 3s -> Done
    state Waiting {
        after 1s { held = Rec { a = true, in = Inner { c = held.in.c } } }
    }
    terminal Done
}
`
	list, _ := check.Analyze(program(t, []byte(src)), all.Rules, explore.DefaultLimit, false)
	for _, d := range list {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s", d.Rule, d.Message)
		}
	}
}
