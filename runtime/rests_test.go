package runtime

import (
	"testing"
	"time"
)

// TestRests: a rest after a failure ends in time, is longer after the next failure, and does not outlast
// a clock that is set back.
func TestRests(t *testing.T) {
	start := time.Unix(1e9, 0)
	var r rests[string]
	for i, want := range []time.Duration{firstRest, 2 * firstRest, 4 * firstRest} {
		if wait := r.failed("a", start, 0); wait != want {
			t.Errorf("failure %d: %s, want %s", i+1, wait, want)
		}
	}
	for _, c := range []struct {
		name string
		at   time.Duration
		on   bool
	}{
		{"at once", 0, true}, {"before its end", 4*firstRest - 1, true}, {"at its end", 4 * firstRest, false},
		{"the clock was set back", -time.Hour, false},
	} {
		now := start.Add(c.at)
		_, on := r.active("a", now)
		if on != c.on || len(r.keys(now)) == 1 != c.on || r.wake(now).IsZero() == c.on {
			t.Errorf("%s: %v, %v, %v", c.name, on, r.keys(now), r.wake(now))
		}
	}
	ended := 0
	if r.end(start.Add(-time.Hour), func(string) { ended++ }); ended != 1 || r.failed("a", start, 0) != firstRest {
		t.Errorf("ended %d times, and it was remembered", ended)
	}
}
