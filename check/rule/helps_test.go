package rule_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// TestHelps: what a finding says beside its message, where that depends on the place.
func TestHelps(t *testing.T) {
	for _, c := range []struct{ rule, source, want string }{
		{"dead-arm", `machine Child {
    initial Asking
    state Asking { after 2h -> Refused }
    terminal Refused failure
}
machine M {
    initial Waiting
    state Waiting {
        do machine Child()
        on failed -> Done
        on Child.Refused -> Done
        after 1h -> Done
    }
    terminal Done
}`, `runs of "Child" end here 2h after their start at the earliest`},
		{"read-before-set", `machine M(due time?) {
    initial Waiting
    state Waiting { after due -> Done }
    terminal Done
}`, "An `after` cannot ask: wait for a field that is set to it `when due is set`"},
	} {
		list := checktest.Findings("m.fsm", []byte(c.source))
		if !slices.ContainsFunc(list, func(d diag.Diagnostic) bool {
			said := d.Help
			for _, r := range d.Related {
				said += r.Message
			}
			return d.Rule == c.rule && strings.Contains(said, c.want)
		}) {
			t.Errorf("no %s says %q: %+v", c.rule, c.want, list)
		}
	}
}
