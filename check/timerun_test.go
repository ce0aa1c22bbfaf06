package check_test

import (
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// TestRunForTimeLastsNoLonger holds that the run that is shown for the time of a machine
// waits for no worker: that is no part of the figure.
func TestRunForTimeLastsNoLonger(t *testing.T) {
	const src = `
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
`
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
}
