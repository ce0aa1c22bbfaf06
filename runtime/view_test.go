package runtime

import "testing"

// TestAttempts holds what "attempt n of N" says to what can happen.
func TestAttempts(t *testing.T) {
	for _, c := range []struct {
		name, scope string
		arms        []arm
		want        int64
	}{
		{"no retry", "visit", []arm{goTo("Z")}, 1},
		{"retry", "visit", []arm{retry(3), goTo("Z")}, 4},
		{"two in a chain", "visit", []arm{retry(3), retry(2), goTo("Z")}, 6},
		{"one begins another execution", "visit", []arm{retry(3), retry(2, set("n", "n + 1")), goTo("Z")}, 4},
		{"counted by the run", "visit", []arm{retry(3, bound(3, "run")), goTo("Z")}, 0},
		{"the execution outlives the visit", "run", []arm{retry(3), goTo("Z")}, 0},
	} {
		m := compile(t, fields("n int = 0"), activity("work", "", "", ""),
			state("A", do("work", nil, "per "+c.scope), when_("done", goTo("Z")), when_("failed", c.arms...)), terminal("Z", Success))
		if got := m.attempts(m.index.states["A"], 0); got != c.want {
			t.Errorf("%s: %d attempts, want %d", c.name, got, c.want)
		}
	}
}
