package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// TestRunsTooLongToShow: a run of half a million steps is not written out, and what it
// shows is found all the same: a trap behind it, a budget, an exact figure.
func TestRunsTooLongToShow(t *testing.T) {
	const most = 450_000
	src := fmt.Sprintf("machine M {\n context { a int 0..%[1]d = 0 }\n budget { steps 10 }\n event E\n event F\n initial S\n"+
		" state S { on E when a < %[1]d -> S { a = a + 1 } else -> U\n on F -> T }\n"+
		" state U { on E -> V unbounded }\n state V { on E -> U unbounded }\n terminal T\n}\n", most)
	m := program(t, []byte(src))
	if _, _, rows := check.Work(m.Machines[0], all.Rules); rows > check.MaxRows {
		t.Errorf("witnesses of %d rows, and %d are enough", rows, check.MaxRows)
	}
	found, _ := check.Analyze(m, all.Rules, explore.DefaultLimit, true)
	rules := map[string]diag.Diagnostic{}
	for _, d := range found {
		rules[d.Rule] = d
	}
	if d := rules["no-way-to-finish"]; d.Severity != diag.Error || d.Witness != nil || !strings.Contains(d.Message, `"U" and "V"`) {
		t.Errorf("of the trap it says %q, with witness %v", d.Message, d.Witness != nil)
	}
	if len(rules["undecided"].Message) > 0 {
		t.Errorf("it says %s", rules["undecided"].Message)
	}
	bounded := strings.Replace(src, "U unbounded }\n terminal", "T }\n terminal", 1)
	found, worst := check.Analyze(program(t, []byte(bounded)), all.Rules, explore.DefaultLimit, true)
	if !worst[0].Steps.Exact || worst[0].Steps.Amount.Num().Int64() != most+3 || worst[0].Steps.Run != nil {
		t.Errorf("steps are %v, exact %v, shown %v", worst[0].Steps.Amount, worst[0].Steps.Exact, worst[0].Steps.Run != nil)
	}
	if !strings.Contains(lines(found), "over-budget") {
		t.Errorf("nothing is said of the budget:\n%s", lines(found))
	}
}

// TestGuessesTooLongToShow: a run that is too long to be replayed and rests on a guess
// shows nothing.
func TestGuessesTooLongToShow(t *testing.T) {
	const most = 450_000
	src := fmt.Sprintf("machine M {\n context { a int 0..%[1]d = 0, x float = 0.5 }\n event E\n event F { by float }\n initial S\n"+
		" state S { on E when a < %[1]d -> S { a = a + 1 } else when x < 3.5 -> U else -> T\n on F { x = x + event.by } }\n"+
		" state U { on E -> V unbounded }\n state V { on E -> U unbounded }\n terminal T\n}\n", most)
	got := lines(check.Run(program(t, []byte(src)), all.Rules))
	if strings.Contains(got, "no-way-to-finish") || !strings.Contains(got, "undecided: whether every run can finish") {
		t.Errorf("it says\n%s", got)
	}
}
