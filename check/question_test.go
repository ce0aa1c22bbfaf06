package check_test

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
)

// TestHelpNamesTheRange holds that a question left open since a range has too many
// values says so, and which, and that one of other data does not.
func TestHelpNamesTheRange(t *testing.T) {
	const src = `machine M(cents int 1..1_000_000_000) {
    context { left int 0..1_000_000_000 = 0 }
    event Ask { n int 1..1_000_000_000 }
    initial A
    entry { left = cents - 1 }
    state A {
        on Ask when event.n > left -> Done
            else reject
    }
    terminal Done
}
`
	const want = `"cents" has too many values for each to be followed`
	for _, c := range []struct {
		src  string
		open bool
		want bool
	}{
		{src, true, true},
		{strings.ReplaceAll(strings.ReplaceAll(src, "int 1..1_000_000_000", "float"), "int 0..1_000_000_000 = 0", "float = 0.0"), true, false},
		{strings.ReplaceAll(src, "1_000_000_000", "4_096"), false, false},
	} {
		open := false
		for _, d := range checktest.Findings("m.fsm", []byte(c.src)) {
			if d.Rule == "undecided" {
				open = true
				if got := strings.Contains(d.Help, want); got != c.want {
					t.Errorf("%s:\nhelp: %s", c.src, d.Help)
				}
			}
		}
		if open != c.open {
			t.Errorf("open is %v for\n%s", open, c.src)
		}
	}
}
