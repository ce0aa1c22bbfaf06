package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

const deadlines = `machine Deadlines(until time) {
    context { due time }
    event Go
    event Set { at time }
    activity work()

    initial A
    after until -> Stopped
    state A {
        do work() timeout 30s
        on done -> B
        on failed -> Stopped
    }
    state B {
        after 1h -> C
    }
    state C {
        on Set -> D { due = event.at }
        after 2h -> Done
    }
    state D {
        after due -> Done
        after 1d -> C
        on Go -> Done
    }
    terminal Done
    terminal Stopped failure
}
`

// TestDeadlines performs paths that need a deadline to come at once, in the midst
// of the run, and not before its end.
func TestDeadlines(t *testing.T) {
	m := langtest.Machine(t, deadlines)
	for _, c := range []struct {
		path string // state: input at the time given, …
		want string // what is chosen; empty where no value will do
	}{
		{"A: after until at 0s, Stopped", "map[] map[]"},
		{"A: failed(timeout) at 30s, Stopped", "map[until:2126-01-01T00:00:00Z] map[]"},
		{"A: work ended at 0s, A: done at 0s, B: after 1h at 1h, C: after 2h at 3h, Done", "map[until:2126-01-01T00:00:00Z] map[]"},
		{"A: work ended at 0s, A: done at 0s, B: after until at 0s, Stopped", "map[until:2026-01-01T00:00:00.000001Z] map[]"},
		{"A: work ended at 0s, A: done at 0s, B: after 1h at 1h, C: after until at 1h, Stopped", "map[until:2026-01-01T01:00:00Z] map[]"},
		{"A: work ended at 0s, A: done at 0s, B: after 1h at 1h, C: Set at 1h, D: after until at 1h, Stopped", "map[until:2026-01-01T01:00:00.000001Z] map[at:2126-01-01T00:00:00Z]"},
		{"A: work ended at 0s, A: done at 0s, B: after 1h at 1h, C: Set at 1h, D: after 24h at 25h, C: after 2h at 27h, Done", "map[until:2126-01-01T00:00:00Z] map[at:2126-01-01T00:00:00Z]"},
		{"A: work ended at 0s, A: done at 0s, B: after 1h at 1h, C: Set at 1h, D: after due at 1h, Done", "map[until:2126-01-01T00:00:00Z] map[]"},
		{"A: work ended at 0s, A: done at 0s, B: after 1h at 1h, C: Set at 1h, D: Go at 1h, Done", "map[until:2126-01-01T00:00:00Z] map[at:2126-01-01T00:00:00Z]"},
	} {
		w := &diag.Witness{Loop: -1}
		for _, text := range strings.Split(c.path, ", ") {
			var row diag.Step
			var come bool
			row.State, row.Input, come = strings.Cut(text, ": ")
			if come {
				row.Input, row.At, _ = strings.Cut(row.Input, " at ")
			}
			w.Path = append(w.Path, row)
		}
		got, err := perform(m, w, replay.Taken)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		data := map[string]any{}
		for _, row := range got.Path {
			for name, v := range row.Data {
				data[name] = v
			}
		}
		if chosen := fmt.Sprint(got.Params, data); chosen != c.want {
			t.Errorf("%s: chose %s, want %s", c.path, chosen, c.want)
		}
	}
}
