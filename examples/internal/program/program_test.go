package program_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

// TestKeep: a promise that is broken is marked, and ends the program.
func TestKeep(t *testing.T) {
	for _, c := range []struct {
		promises []program.Promise
		out      string
		err      error
	}{
		{[]program.Promise{{Kept: true, Text: "all paid"}}, "  ok    all paid\n", nil},
		{
			[]program.Promise{{Text: "none twice"}, {Kept: true, Text: "all paid"}},
			"  FAIL  none twice\n  ok    all paid\n", program.ErrWrong,
		},
	} {
		var out strings.Builder
		if err := program.Keep(&out, c.promises); !errors.Is(err, c.err) || out.String() != c.out {
			t.Errorf("%q, %v; want %q, %v", out.String(), err, c.out, c.err)
		}
	}
}
