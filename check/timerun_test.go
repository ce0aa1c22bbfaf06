package check_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// TestRunForTimeLastsAsLong holds that the run that is shown for the time of a machine lasts
// for as long as the figure says, and no longer.
func TestRunForTimeLastsAsLong(t *testing.T) {
	for name, src := range map[string]string{
		"waits for no worker, which is no part of the figure": `
machine Review {
    event Analyzed
    activity analyze() -> Analyzed
    initial Analyzing
    after 1h -> Expired
    state Analyzing {
        do analyze() timeout 5m
        on Analyzed -> Completed
        on failed retry 3 backoff 1s..30s else -> Failed
    }
    terminal Completed
    terminal Failed failure
    terminal Expired failure
}
`,
		"defers nothing that would come at once": `
machine Defers {
    event Stop
    activity work()
    initial Working
    state Working {
        do work() timeout 1m
        defer Stop
        on failed -> Waiting
        on done -> Waiting
    }
    state Waiting {
        on Stop -> Stopped
        after 1h -> Stopped
    }
    terminal Stopped
}
`,
		"does not leave before the last element": `
machine Race(xs [0..3]string) {
    event Found
    activity seek(x string) -> Found
    initial Seeking
    state Seeking {
        do seek(x) for x in xs limit 2 timeout 1m
        on Found -> Won
        on failed {}
        on done -> Lost
    }
    terminal Won
    terminal Lost failure
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			_, worst := check.Analyze(program(t, []byte(src)), all.Rules, explore.DefaultLimit, true)
			figure := worst[0].Time
			if figure.Run == nil {
				t.Fatal("no run is shown")
			}
			lasts, most := time.Duration(0), time.Duration(figure.Amount.Num().Int64())
			for _, row := range figure.Run.Path {
				lasts = max(lasts, row.At)
			}
			if lasts > most || lasts < most-5*time.Second {
				t.Errorf("the run lasts %v, the figure is %v", lasts, most)
			}
		})
	}
}

// TestMomentOfATimer: what nothing takes may come in the moment in which a timer is due at once.
func TestMomentOfATimer(t *testing.T) {
	got := lines(check.Run(program(t, []byte(`machine M {
    activity look()
    initial Looking
    after 2s idle -> Done
    state Looking {
        do look()
        on done, failed {}
        after 3s -> Left
    }
    state Left {
        do look()
        after 0s -> Done
    }
    terminal Done success
}
`)), all.Rules))
	want := `unhandled-failure: "look" may fail with "unknown", which neither "Left" nor the machine handles`
	if !strings.Contains(got, want) || strings.Contains(got, "undecided") {
		t.Errorf("findings:\n%swant\n%s", got, want)
	}
}
