package lang_test

import (
	"testing"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
)

// TestFixes makes the change that a finding offers: then the finding is gone.
func TestFixes(t *testing.T) {
	for _, src := range []string{
		"machine M {\n    event Go\n    initial Waiting\n    state Waiting { on Go -> Don }\n    terminal Done\n}\n",
		"machine M {\n    event Paid\n    initial Waiting\n    state Waiting { on Payd -> Done }\n    terminal Done\n}\n",
		"machine M {\n    event Go\n    initial Outer\n    state Outer {\n        initial Inner\n        state Inner { on Go -> Done }\n    }\n    state Next { on Go -> Inner }\n    terminal Done\n}\n",
	} {
		unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
		if len(unit.Diags) != 1 || len(unit.Diags[0].Fixes) != 1 {
			t.Errorf("%v: want one finding with one fix in\n%s", unit.Diags, src)
			continue
		}
		changed := src
		for _, e := range unit.Diags[0].Fixes[0].Edits {
			changed = changed[:e.Span.Start.Offset] + e.Text + changed[e.Span.End.Offset:]
		}
		for _, d := range lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(changed)}}).Diags {
			t.Errorf("%s: %s, after the fix %q:\n%s", d.Span, d.Message, unit.Diags[0].Fixes[0].Message, changed)
		}
	}
}
