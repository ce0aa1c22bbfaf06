package enginetest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/enginetest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestDifferencesBite: whatever of a trace is another one, it is found, once.
func TestDifferencesBite(t *testing.T) {
	machines := examples(t)["codereview"]
	play := func() *enginetest.Trace { return enginetest.OnStore(inMemory)(t, enginetest.Random(machines, 2)) }
	want := play()
	if len(want.Attempts) == 0 || len(want.Runs[enginetest.Run].History) < 3 {
		t.Fatalf("the tape is empty: %+v", want)
	}
	for name, change := range map[string]func(*enginetest.Trace){
		"answer":  func(of *enginetest.Trace) { of.Answers[0] = "" },
		"run ":    func(of *enginetest.Trace) { of.Runs["s"] = enginetest.RunTrace{} },
		"attempt": func(of *enginetest.Trace) { of.Attempts = of.Attempts[1:] },
		"message": func(of *enginetest.Trace) {
			of.Messages = maps.Clone(of.Messages)
			of.Messages[enginetest.Run] = append(slices.Clone(of.Messages[enginetest.Run]), "one more")
		},
		"record": func(of *enginetest.Trace) {
			r := of.Runs[enginetest.Run]
			r.History = r.History[:len(r.History)-1]
			of.Runs[enginetest.Run] = r
		},
		"snapshot": func(of *enginetest.Trace) {
			r := of.Runs[enginetest.Run]
			r.Snapshot += " "
			of.Runs[enginetest.Run] = r
		},
	} {
		got := play()
		if change(got); name == "run " {
			if found := enginetest.Differences(want, got); len(found) != 1 || !strings.HasPrefix(found[0], name) {
				t.Errorf("%s: %q", name, found)
			}
			continue
		}
		if found := enginetest.Differences(want, got); len(found) != 1 || !strings.Contains(found[0], name) {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// TestTapesSeeMuch counts what happens on the tapes: of each kind something must.
func TestTapesSeeMuch(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(150) {
		_, machines := generate(seed + 1)
		trace := enginetest.OnStore(inMemory)(t, enginetest.Random(machines, seed+1))
		if trace == nil {
			seen["endless"]++
			continue
		}
		seen["runs"] += len(trace.Runs)
		for _, answer := range trace.Answers {
			if !strings.HasPrefix(answer, "{") {
				seen["refusals"]++
			}
		}
		for _, run := range trace.Runs {
			for _, record := range run.History {
				_, kind, _ := strings.Cut(record, `"input":{"kind":"`)
				kind, _, _ = strings.Cut(kind, `"`)
				seen[kind]++
			}
		}
	}
	for _, kind := range []machine.InputKind{
		machine.StartInput, machine.EventInput, machine.ResultInput, machine.FailureInput, machine.TimerInput, machine.DoneInput,
		machine.KeptInput, machine.CancelInput, machine.OverBudgetInput, machine.BeginInput, machine.PauseInput, machine.ResumeInput,
		machine.RetryInput, machine.LateInput, machine.LostInput, "refusals",
	} {
		if seen[string(kind)] == 0 {
			t.Errorf("nothing of kind %s happened", kind)
		}
	}
	if seen["runs"] < 160 || seen["endless"] > 30 {
		t.Errorf("%d runs, %d tapes without end", seen["runs"], seen["endless"])
	}
	t.Logf("figure: what happened on the tapes = %v", seen)
}
