package resolve_test

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/lang"
)

// TestMeant offers what was meant where the language has it under another name.
func TestMeant(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"on Go", "on Done", "done"},
		{"on Go", "on Finished", "done"},
		{"on Go", "on error", "failed"},
		{"on Go", "on failure", "failed"},
		{"on Go", "on Cancelled", "cancel"},
		{"on Go", "on timeout", "failed(timeout)"},
		{"on Go", "on Competed", "Complete"}, // an event's own name before words of the language
		{"on Go", "on Completed", "Complete"},
		{"on Go -> T", "on Go -> T { n = size }", "event.size"},
		{"n int", "n integer", "int"},
		{"n int", "n Boolean", "bool"},
		{"n int", "n datetime", "time"},
		{"n int", "n strng", "string"},
	} {
		src := strings.Replace("machine M {\n context { n int }\n event Go { size int }\n event Complete\n initial A\n state A { on Go -> T on Complete -> T }\n terminal T\n}\n",
			c.from, c.to, 1)
		got := ""
		for _, d := range lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}}).Diags {
			if d.Rule == "unknown-name" && len(d.Fixes) > 0 {
				got = d.Fixes[0].Edits[0].Text
			}
		}
		if got != c.want {
			t.Errorf("%q is taken for %q, expected %q", c.to, got, c.want)
		}
	}
}

// TestUnknownType: a type that nothing declares is shown as written, such as in the drawing of a
// machine whose imports are not there.
func TestUnknownType(t *testing.T) {
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte("machine M(one Money, many [0..3]Money) { initial A state A { after 1h -> B } terminal B }")}})
	for i, want := range []string{"Money", "[0..3]Money"} {
		if got := unit.Program.Machines[0].Params[i].Type.String(); got != want {
			t.Errorf("the type of parameter %d is %s, and not %s", i, got, want)
		}
	}
}
