package fsmtest_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// batch is held to its budget and calls Paid, which may spend of it.
const batch = `
machine Batch(names [0..9]string) {
    budget { usd 1.00 }
    on over_budget -> Stopped
    initial Paying
    state Paying {
        do machine Paid(name) for name in names limit 1 as paid timeout 1h
        on paid.Done, paid.failed {}
        on done -> Done
    }
    terminal Done
    terminal Stopped failure
}
machine Paid(name string) {
    activity pay(name string) cost usd 0.10
    initial Paying
    state Paying {
        do pay(name) timeout 1m
        on done -> Done
        on failed -> Done
    }
    terminal Done
}`

// spends ends what stands in for a child, which has used amount in all.
func spends(amount json.Number) fsmtest.Outcome {
	return func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{Event: "Done"}, a.Spend("usd", amount)
	}
}

// TestStandInsSpend: what stands in for a child reports what it costs, and the parent is held
// to its budget as with a child.
func TestStandInsSpend(t *testing.T) {
	for name, tc := range map[string]struct {
		amount json.Number
		runs   int
		end    string
	}{
		"within the budget": {"0.25", 4, "Done"},
		"over the budget":   {"0.60", 2, "Stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			m := machines(t, batch)
			fsmtest.Play(t, m["Batch"], func(t *fsmtest.T) {
				t.Machine("Paid", spends(tc.amount))
				run := t.Start(names("a", "b", "c", "d"))
				run.Wait()
				run.WantState(tc.end)
				if got := len(t.Attempts("Paid")); got != tc.runs {
					t.Errorf("%d runs were started, want %d", got, tc.runs)
				}
			}, m["Paid"])
		})
	}
}
