package fsmtest_test

import (
	"os"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// dunning takes every outcome that does not fit by `failed`, so that its end says nothing of it.
const dunning = `
machine Batch(name string) {
    failures { bounced, refused }
    initial Sending
    event Sent { receipt string }
    activity send(name string) -> Sent fails bounced
    state Sending {
        do send(name)
        on Sent -> Calling
        on failed(bounced), failed -> Calling
    }
    state Calling {
        do machine Dunning(name)
        on Dunning.Paid, Dunning.Lost, Dunning.failed -> Done
    }
    terminal Done
}
machine Dunning(name string) {
    activity ring(name string)
    initial Ringing
    state Ringing {
        do ring(name) timeout 1m
        on done -> Paid
        on failed -> Lost
    }
    terminal Paid
    terminal Lost
}`

// TestMisspeltOutcomes: an outcome that the machine does not have fails the test, whatever the machine does then.
func TestMisspeltOutcomes(t *testing.T) {
	sent, paid := fsmtest.Raises("Sent", fields{"receipt": "r"}), fsmtest.EndsIn("Paid", nil)
	for name, c := range map[string]struct {
		send, call fsmtest.Outcome
		says       string // empty if the outcomes fit
	}{
		"they fit":             {sent, paid, ""},
		"a failure":            {fsmtest.Fails("bounced"), fsmtest.Fails("cancelled"), ""},
		"an unknown failure":   {fsmtest.Fails("unknown"), fsmtest.Fails("unknown"), ""},
		"a category":           {fsmtest.Fails("bouncedd"), paid, `"send" cannot fail with category "bouncedd" (did you mean "bounced"?)`},
		"a limit it has not":   {fsmtest.Fails("timeout"), paid, `"send" cannot fail with category "timeout"`},
		"an event":             {fsmtest.Raises("Sentt", fields{"receipt": "r"}), paid, `activity "send" does not raise "Sentt", expected "Sent" (did you mean "Sent"?)`},
		"no event":             {fsmtest.Ends(), paid, `it names no event, expected "Sent"`},
		"a field too few":      {fsmtest.Raises("Sent", nil), paid, `event "Sent": field "receipt": it is missing`},
		"a field too many":     {fsmtest.Raises("Sent", fields{"receipt": "r", "recipt": ""}), paid, `"recipt"`},
		"a type":               {fsmtest.Raises("Sent", fields{"receipt": 3}), paid, `event "Sent": field "receipt": expected string, found a number`},
		"data without JSON":    {fsmtest.Raises("Sent", func() {}), paid, `its data has no JSON form`},
		"a wrapped one":        {fsmtest.Checkpoints(1, fsmtest.Raises("Sentt", nil)), paid, `did you mean "Sent"?`},
		"a terminal":           {sent, fsmtest.EndsIn("Losst", nil), `(did you mean "Dunning.Lost"?)`},
		"a value too many":     {sent, fsmtest.EndsIn("Paid", fields{"sum": 1}), `event "Dunning.Paid": field "sum"`},
		"a failure of no call": {sent, fsmtest.Fails("bounced"), `"Dunning" cannot fail with category "bounced"`},
	} {
		if os.Getenv("FSMTEST_FAULT") == name || c.says == "" {
			m := machines(t, dunning)
			fsmtest.Play(t, m["Batch"], func(t *fsmtest.T) {
				t.Activity("send", c.send)
				t.Machine("Dunning", c.call)
				t.Start(fields{"name": "ada"}).Wait()
			}, m["Dunning"])
		} else if os.Getenv("FSMTEST_FAULT") == "" {
			t.Run(name, func(t *testing.T) { wantFailure(t, "TestMisspeltOutcomes", "FSMTEST_FAULT", name, c.says) })
		}
	}
}

// TestCalledMachineIsMissing: Play says which machine to name.
func TestCalledMachineIsMissing(t *testing.T) {
	const fault = "a called machine is missing"
	if os.Getenv("FSMTEST_FAULT") == fault {
		fsmtest.Play(t, machines(t, dunning)["Batch"], func(*fsmtest.T) {})
		return
	}
	wantFailure(t, "TestCalledMachineIsMissing", "FSMTEST_FAULT", fault, `machine "Batch" calls machine "Dunning": add DunningMachine() behind the test`)
}
