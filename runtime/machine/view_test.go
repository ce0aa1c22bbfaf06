package machine_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// TestAttempts holds what "attempt n of N" says to what can happen.
func TestAttempts(t *testing.T) {
	for _, c := range []struct {
		name, scope string
		arms        []Arm
		want        int64
	}{
		{"no retry", "visit", []Arm{GoTo("Z")}, 1},
		{"retry", "visit", []Arm{Retry(3), GoTo("Z")}, 4},
		{"two in a chain", "visit", []Arm{Retry(3), Retry(2), GoTo("Z")}, 6},
		{"one begins another execution", "visit", []Arm{Retry(3), Retry(2, Set("n", "n + 1")), GoTo("Z")}, 4},
		{"counted by the run", "visit", []Arm{Retry(3, Bound(3, "run")), GoTo("Z")}, 0},
		{"the execution outlives the visit", "run", []Arm{Retry(3), GoTo("Z")}, 0},
	} {
		m := Build(t, WithFields("n int = 0"), WithActivity("work", "", "", ""),
			WithState("A", Doing("work", nil, "per "+c.scope), On("done", GoTo("Z")), On("failed", c.arms...)), WithTerminal("Z", machine.Success))
		if got := machine.AttemptsOf(m, "A"); got != c.want {
			t.Errorf("%s: %d attempts, want %d", c.name, got, c.want)
		}
	}
}
