package fsmtest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// orders calls Ask, which calls Phone.
const orders = `
machine Order(names [0..9]string) {
    context { text string = "", n int 0..9 = 0 }
    initial Asking
    state Asking {
        do machine Ask(name) for name in names limit 2 as ask timeout 1h
        on ask.Yes { text = event.text, n = min(n + 1, 9) }
        on ask.No, ask.failed -> Refused
        on done -> Done
    }
    terminal Done returns text
    terminal Refused failure
}
machine Ask(name string) {
    context { text string = "" }
    event Answer { text string }
    initial Calling
    state Calling {
        do machine Phone(name)
        on Phone.Reached -> Open
        on Phone.failed -> No
    }
    state Open {
        on Answer -> Yes { text = event.text }
        after 2h -> No
    }
    terminal Yes returns text
    terminal No failure
}
machine Phone(name string) {
    activity ring(name string)
    initial Ringing
    state Ringing {
        do ring(name) timeout 1m
        on done -> Reached
        on failed retry 3 per visit backoff 1s else -> Reached
    }
    terminal Reached
}`

func machines(t *testing.T, text string) map[string]*runtime.Machine {
	t.Helper()
	out := map[string]*runtime.Machine{}
	for _, m := range tabletest.Machines(t, text) {
		out[m.Definition().Name] = m
	}
	return out
}

func names(n ...string) fields { return fields{"names": n} }

// TestChildrenRun lets all machines of a tree run.
func TestChildrenRun(t *testing.T) {
	m := machines(t, orders)
	fsmtest.Play(t, m["Order"], func(t *fsmtest.T) {
		t.Activity("ring", fsmtest.Fails("unknown"), fsmtest.Ends())
		run := t.Start(names("ada"))
		run.Sleep(time.Minute)
		ask := run.Child("Asking.ask.1.1[0]")
		ask.WantState("Open")
		ask.Send("Answer", fields{"text": "well"})
		run.Wait()
		run.WantPath("Asking", "Done")
		ask.WantPath("Calling", "Open", "Yes")
		if n := len(t.Attempts("ring")); n != 2 {
			t.Errorf("%d attempts", n)
		}
	}, m["Ask"], m["Phone"])
}

// TestStandIns lets the test do what children would.
func TestStandIns(t *testing.T) {
	m := machines(t, orders)
	fsmtest.Play(t, m["Order"], func(t *fsmtest.T) {
		t.Machine("Ask", fsmtest.After(time.Minute, fsmtest.EndsIn("Yes", fields{"text": "a"})), fsmtest.EndsIn("Ask.Yes", fields{"text": "b"}))
		run := t.Start(names("ada", "bob", "eve"))
		run.Wait()
		run.WantPath("Asking", "Done")
		var data struct {
			Text string
			N    int
		}
		if run.Data(&data); data.N != 3 || data.Text != "a" {
			t.Errorf("%+v", data)
		}
		if calls := t.Attempts("Ask"); len(calls) != 3 || !strings.HasPrefix(string(calls[0].Args), `{"name":`) {
			t.Errorf("%+v", calls)
		}

		t.Machine("Ask", fsmtest.EndsIn("No", nil))
		if v := t.Start(names("ada", "bob")).Wait(); v.State != "Refused" || v.Status != runtime.Finished {
			t.Errorf("%+v", v)
		}
		for _, category := range []string{"cancelled", "unknown"} {
			t.Machine("Ask", fsmtest.Fails(category))
			if v := t.Start(names("ada")).Wait(); v.State != "Refused" || !strings.Contains(v.End.Input, "failed("+category+")") {
				t.Errorf("%+v", v)
			}
		}
		t.Machine("Ask", fsmtest.Hangs())
		began := time.Now()
		if v := t.Start(names("ada", "bob")).Wait(); v.State != "Refused" || v.Status != runtime.Finished || time.Since(began) != time.Hour {
			t.Errorf("%+v after %s", v, time.Since(began))
		}

		t.Machine("Ask") // children run again
		t.Machine("Phone", fsmtest.EndsIn("Reached", nil))
		run = t.Start(names("ada"))
		run.Sleep(time.Second)
		run.Child("Asking.ask.1.1[0]").WantState("Open")
		run.Cancel()
	}, m["Phone"], m["Ask"])
}

// returns is an outcome that is not checked.
func returns(event string, data any, err error) fsmtest.Outcome {
	return func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{Event: event, Data: data}, err
	}
}

// TestHostileStandIns: what a stand-in does that no child could is a failure of the call, and nothing is lost.
func TestHostileStandIns(t *testing.T) {
	m := machines(t, orders)
	fsmtest.Play(t, m["Order"], func(t *fsmtest.T) {
		for name, c := range map[string]struct {
			does fsmtest.Outcome
			end  string
		}{
			"a terminal that is none":     {returns("Maybe", nil, nil), "failed(unknown)"},
			"a state":                     {returns("Calling", nil, nil), "failed(unknown)"},
			"no terminal":                 {returns("", nil, nil), "failed(unknown)"},
			"a value too few":             {returns("Yes", nil, nil), "failed(unknown)"},
			"a value too many":            {returns("No", fields{"text": "x"}, nil), "failed(unknown)"},
			"a value of another type":     {returns("Yes", fields{"text": 3}, nil), "failed(unknown)"},
			"a failure of no child":       {returns("", nil, runtime.Fail("transient", "")), "failed(unknown)"},
			"an end behind its time":      {fsmtest.After(2*time.Hour, fsmtest.EndsIn("Yes", fields{"text": "late"})), "failed(timeout)"},
			"a checkpoint before it ends": {fsmtest.Checkpoints(1, fsmtest.EndsIn("No", nil)), "].No"},
		} {
			t.Machine("Ask", c.does)
			v := t.Start(names("ada")).Wait()
			if v.State != "Refused" || v.Status != runtime.Finished || v.End == nil || !strings.Contains(v.End.Input, c.end) {
				t.Errorf("%s: %s, %s %+v", name, v.Status, v.State, v.End)
			}
		}

		// Some are faked, and others run.
		t.Machine("Ask", fsmtest.Hangs())
		left := t.Start(names("ada", "bob"))
		left.Sleep(time.Minute)
		if v := left.Cancel(); v.Status != runtime.Finished {
			left.Wait()
		}
		if v := left.View(); v.Status != runtime.Finished {
			t.Errorf("it is %s after a cancel", v.Status)
		}
		t.Machine("Ask")
		t.Machine("Phone", fsmtest.Fails("cancelled"))
		run := t.Start(names("eve"))
		if v := run.Wait(); v.State != "Refused" {
			t.Errorf("%+v", v)
		}
		run.Child("Asking.ask.1.1[0]").WantState("No")
	}, m["Ask"], m["Phone"])
}
