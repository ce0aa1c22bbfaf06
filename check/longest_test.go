package check_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/witness"
)

// TestRunForTimeShowsWhatLasts holds that beside a time stands no shorter run of a machine that is
// called: the longest, or none where that ends otherwise.
func TestRunForTimeShowsWhatLasts(t *testing.T) {
	const kid = `
machine Middle {
    initial Going
    state Going {
        do machine Kid() as k
        on k.Good -> Done
        on k.Bad, k.failed -> Broken
    }
    terminal Done
    terminal Broken failure
}
machine Kid {
    event Read
    event Approved
    activity read() -> Read
    initial Reading
    state Reading {
        do read() timeout 5m
        on Read -> Waiting
        on failed retry 2 backoff 1s else -> Bad
    }
    state Waiting {
        on Approved -> Good
        after 2h -> Good
    }
    terminal Good
    terminal Bad failure
}
`
	const above = `
machine Above {
    initial Going
    state Going {
        do machine Middle() as m
        on m.Done -> Closing
        on m.Broken, m.failed -> Resting
    }
    state Closing {
        after 10s -> Done
    }
    state Resting {
        after %REST -> Done
    }
    terminal Done
}
`
	for _, x := range []struct {
		rest  string
		depth int // of the runs that are shown below the first
	}{{"1s", 2}, {"100h", 0}} {
		src := strings.ReplaceAll(above, "%REST", x.rest) + kid
		_, worst := check.Analyze(program(t, []byte(src)), all.Rules, explore.DefaultLimit, true)
		run, depth := worst[0].Time.Run, 0
		if run == nil {
			t.Fatalf("no run is shown for a rest of %s", x.rest)
		}
		for below := shownIn(run); below != nil; below = shownIn(below) {
			depth++
			if lasts := lastRow(below); lasts < 2*time.Hour+15*time.Minute {
				t.Errorf("for a rest of %s, a run at depth %d lasts %v", x.rest, depth, lasts)
			}
		}
		if depth != x.depth {
			t.Errorf("for a rest of %s, runs are shown down to depth %d, not %d", x.rest, depth, x.depth)
		}
	}
}

// shownIn is the first run of a machine that run calls; nil where none is shown.
func shownIn(run *witness.Witness) *witness.Witness {
	for _, row := range run.Path {
		for _, c := range row.Children {
			return c.Run
		}
	}
	return nil
}

func lastRow(run *witness.Witness) time.Duration {
	last := time.Duration(0)
	for _, row := range run.Path {
		last = max(last, row.At)
	}
	return last
}
