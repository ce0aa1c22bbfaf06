package machine_test

import (
	"errors"
	"testing"
	"time"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

func working(t *testing.T, handlers ...Part) *machine.Machine {
	parts := append([]Part{Doing("work", []string{"n"}, "timeout 1m")}, handlers...)
	return Build(t, WithFields("n int = 1, s string"), WithEvent("Found", "n int"), WithEvent("None", ""), WithEvent("Go", ""),
		WithActivity("work", "n int", "Found None", "flaky"),
		WithState("A", append(parts, On("Go", GoTo("B")))...),
		WithState("B", On("Go", GoTo("A"))),
		WithTerminal("D", machine.Success))
}

func TestResults(t *testing.T) {
	m := working(t, On("Found", Stay(Set("n", "event.n"))), On("None", GoTo("D")), On("done", GoTo("B")), On("failed", GoTo("D")))
	r := begin(t, m, "")
	r.did("start-task:r/A/work/1#1")
	args, err := m.TaskArgs(r.s, &machine.Task{}, r.now, nil)
	if err != nil || string(args) != `{"n":1}` {
		t.Fatal(string(args), err)
	}
	r.result("work", `Found {"n":5}`)
	r.effects("stayed moved") // ended, and done at once
	r.did("end-task:r/A/work/1#1")
	r.at("B", `{"n":5}`)
	r.send("Go")
	r.did("start-task:r/A/work/4#1")
	r.result("work", "None")
	r.did("end-task:r/A/work/4#1 finish:success")
}

func TestFenced(t *testing.T) {
	m := working(t, On("Found, None", GoTo("D")), On("failed", Retry(2)))
	r := begin(t, m, "")
	in := r.attempt("work")
	in.Kind, in.Event = machine.ResultInput, eventOf(m, "None")
	for _, wrong := range []func(*machine.Input){
		func(in *machine.Input) { in.Key = "other" },
		func(in *machine.Input) { in.Attempt++ },
		func(in *machine.Input) { in.Do = 7 },
	} {
		bad := in
		wrong(&bad)
		if err := r.take(bad); !errors.Is(err, machine.ErrFenced) {
			t.Error(err)
		}
	}
	r.send("Go")
	if err := r.take(in); !errors.Is(err, machine.ErrFenced) {
		t.Error(err)
	}
}

func TestResultThatDoesNotFit(t *testing.T) {
	m := working(t, On("Found, None", GoTo("D")), On("failed(unknown)", GoTo("B", Set("s", "event.message"))), On("failed", GoTo("D")))
	for _, c := range []struct {
		event int
		data  []machine.Value
		want  string
	}{
		{eventOf(m, "Go"), nil, `{"n":1,"s":"the result does not fit: activity \"work\" does not raise that event"}`},
		{-1, nil, `{"n":1,"s":"the result does not fit: activity \"work\" does not raise that event"}`},
		{eventOf(m, "Found"), []machine.Value{machine.Unset}, `{"n":1,"s":"the result does not fit: event \"Found\": field \"n\": it is not set"}`},
		{eventOf(m, "Found"), nil, `{"n":1,"s":"the result does not fit: event \"Found\": it has 0 values for 1 fields"}`},
	} {
		r := begin(t, m, "")
		in := r.attempt("work")
		in.Kind, in.Event, in.Data = machine.ResultInput, c.event, c.data
		r.must(in)
		r.at("B", c.want)
		if got := m.Describe(r.last[0].Input); got != "failed(unknown)" {
			t.Error(got)
		}
	}
}

func TestFailures(t *testing.T) {
	m := working(t, On("Found, None", GoTo("D")),
		On("failed(flaky), failed(timeout)", Stay(Set("s", "event.category + `/` + event.message + `/` + event.activity"), Set("n", "event.attempt"))),
		On("failed", GoTo("B", Set("s", "event.category"))))
	for _, c := range [][3]string{
		{"flaky", "A", `{"n":1,"s":"flaky/boom/work"}`},
		{"timeout", "A", `{"n":1,"s":"timeout/boom/work"}`},
		{"unknown", "B", `{"n":1,"s":"unknown"}`},
		{"silent", "B", `{"n":1,"s":"unknown"}`}, // it has no heartbeat
	} {
		r := begin(t, m, "")
		in := r.attempt("work")
		in.Kind, in.Category, in.Message = machine.FailureInput, categoryOf(m, c[0]), "boom"
		r.must(in)
		r.at(c[1], c[2])
	}
	r := begin(t, m, "")
	in := r.attempt("work")
	in.Kind, in.Category, in.Message = machine.FailureInput, 99, "\xff"
	r.must(in)
	r.at("B", `{"n":1,"s":"unknown"}`)
	if r.last[0].Input.Message != "\uFFFD" {
		t.Errorf("%q", r.last[0].Input.Message)
	}
}

func TestDoneThatNothingTakesHalts(t *testing.T) {
	m := working(t, On("Found, None", Stay()), On("failed", GoTo("D")))
	r := begin(t, m, "")
	r.result("work", "None")
	r.effects("stayed halted")
	r.halted(`nothing takes done in state "A"`)
	if !r.s.DoneDue || r.s.Halt.Input.Kind != machine.DoneInput {
		t.Errorf("%+v", r.s)
	}
	// cancel ends it; and a halted run refuses results of what still runs.
	m = Build(t, WithEvent("X", ""), WithActivity("a", "", "", ""), WithActivity("b", "", "", ""), On("failed", GoTo("D")),
		On("cancel", GoTo("D")), WithState("A", Doing("a", nil), Doing("b", nil), After("1h", Stay(When("false")))), WithTerminal("D", machine.Success))
	r = begin(t, m, "")
	r.pass("1h")
	r.halted("nothing takes after 1h in state")
	in := r.attempt("a")
	in.Kind = machine.ResultInput
	if err := r.take(in); !errors.Is(err, machine.ErrHalted) {
		t.Error(err)
	}
	r.must(machine.Input{Kind: machine.CancelInput})
	r.at("D")
	r.did("cancel-task:r/A/a/1#1 cancel-task:r/A/b/1#1 finish:success drop-timer:1h")
}

func TestRetry(t *testing.T) {
	m := working(t, On("Found", Retry(2, By(`event.n * d("1s")`)), GoTo("B")),
		On("None", GoTo("D")),
		On("failed(flaky)", Retry(2, WithBackoff("10s", "15s", 2, 0)), GoTo("B")),
		On("failed(timeout)", Retry(1, Set("n", "n + 1"), WithBackoff("1s", "1s", 1, 0)), GoTo("D")),
		On("failed", Retry(1), GoTo("D")))
	r := begin(t, m, "")
	r.fail("work", "flaky")
	r.effects("retried")
	r.did("end-task:r/A/work/1#1 start-task:r/A/work/1#2+10s") // the same execution
	if record := r.last[0]; record.Wait != 10*time.Second || record.Count != 1 || r.s.Visit != 1 {
		t.Errorf("%+v", record)
	}
	r.fail("work", "flaky")
	r.did("end-task:r/A/work/1#2+10s start-task:r/A/work/1#3+15s")
	r.result("work", `Found {"n":3}`)
	r.did("end-task:r/A/work/1#3+15s start-task:r/A/work/4#1+3s") // on an event: a new one
	r.fail("work", "timeout")
	r.did("end-task:r/A/work/4#1+3s start-task:r/A/work/5#1+1s") // with a block: a new one
	r.at("A", `{"n":2}`)
	r.fail("work", "unknown")
	if wait := r.last[0].Wait; wait > time.Second || wait < 800*time.Millisecond {
		t.Errorf("the usual backoff waits %s", wait)
	}
	r.fail("work", "flaky")
	r.at("B") // used up
	if record := r.last[0]; len(record.Passed) != 1 || record.Passed[0].Why.Code() != machine.BoundUsed {
		t.Errorf("%+v", record)
	}
	r.send("Go")
	r.fail("work", "flaky")
	r.effects("retried") // a new visit starts again
}

func TestRetryPerRunAndInherited(t *testing.T) {
	m := Build(t, WithEvent("Go", ""), WithEvent("Self", ""), WithActivity("work", "", "", "flaky"),
		WithState("W", On("failed", Retry(2, Bound(0, "")), GoTo("D")), On("failed(flaky)", Retry(2), GoTo("D")),
			WithState("A", Doing("work", nil), On("Self", GoTo("W.A")), On("Go", GoTo("W.B"))),
			WithState("B", Doing("work", nil))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.fail("work", "flaky")
	r.fail("work", "flaky")
	r.send("Self") // each entry starts again
	r.fail("work", "flaky")
	r.fail("work", "flaky")
	r.send("Go")
	r.fail("work", "flaky")
	r.fail("work", "flaky")
	r.fail("work", "flaky")
	r.at("D")

	m = Build(t, WithEvent("Self", ""), WithActivity("work", "", "", "flaky"),
		WithState("A", Doing("work", nil), On("Self", GoTo("A")), On("failed", ArmOf(machine.RetryArm, "", Bound(2, "run")), GoTo("D"))), WithTerminal("D", machine.Success))
	r = begin(t, m, "")
	r.fail("work", "flaky")
	r.send("Self")
	r.fail("work", "flaky")
	r.send("Self")
	r.fail("work", "flaky")
	r.at("D")
}

func TestExecutionsThatOutliveAVisit(t *testing.T) {
	for _, c := range []struct{ scope, events, want string }{
		{"per visit", "Go Go", "r/W.A/work/3#1"},
		{"per run", "Go Go", "r/W.A/work/1#2"},
		{"per run", "fail Go", "r/W.A/work/1#2"}, // a failure that leaves the state does not end it
		{"per run", "None Go", "r/W.A/work/3#1"}, // a result does
		{"per run", "Out Go", "r/W.A/work/1#2"},
		{"per W", "Go Go", "r/W.A/work/1#2"},
		{"per W", "Out Go", "r/W.A/work/3#1"}, // W is entered again
	} {
		m := Build(t, WithEvent("None", ""), WithEvent("Go", ""), WithEvent("Out", ""), WithActivity("work", "", "None", ""),
			WithState("W", On("Out", GoTo("Idle")),
				WithState("A", Doing("work", nil, c.scope), On("Go, None", GoTo("W.B")), On("failed", GoTo("W.B"))),
				WithState("B", On("Go", GoTo("W.A")))),
			WithState("Idle", On("Go", GoTo("W"))),
			WithTerminal("D", machine.Success))
		r := begin(t, m, "")
		for _, e := range []string{c.events[:len(c.events)-3], "Go"} {
			switch e {
			case "fail":
				r.fail("work", "unknown")
			case "None":
				r.result("work", "None")
			default:
				r.send(e)
			}
		}
		if got := "start-task:" + c.want; r.word(&r.commands[0]) != got {
			t.Errorf("%s, %s: %s, not %s", c.scope, c.events, r.word(&r.commands[0]), got)
		}
	}
}

func TestSideBySide(t *testing.T) {
	m := Build(t, WithFields("n int = 0"), WithEvent("X", ""), WithActivity("work", "", "X", ""), WithActivity("quiet", "", "", ""),
		WithState("A", Doing("work", nil, "as a"), Doing("work", nil, "as b"), Doing("quiet", nil),
			On("a.X", Stay(Set("n", "n + 1"))), On("X", Stay(Set("n", "n + 10"))),
			On("a.failed", GoTo("D")), On("b.failed(unknown)", Ignore()), On("failed", Ignore()),
			On("done", GoTo("D"))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.result("a", "X")
	r.at("A", `{"n":1}`)
	if got := m.Describe(r.last[0].Input); got != "a.X" {
		t.Error(got)
	}
	r.result("quiet", "")
	r.effects("ended")
	if got := m.Describe(r.last[0].Input); got != "ended" {
		t.Error(got)
	}
	r.fail("b", "unknown")
	r.effects("ignored moved") // the last one has ended
	if got := m.Describe(r.last[0].Input); got != "b.failed(unknown)" {
		t.Error(got)
	}
	r = begin(t, m, "")
	r.result("b", "X")
	r.at("A", `{"n":10}`)
	r.fail("a", "unknown")
	r.did("end-task:r/A/work/a/1#1 cancel-task:r/A/quiet/1#1 finish:success")
}

func TestDescribe(t *testing.T) {
	m := Build(t, WithFields("w duration = \"1s\""), WithEvent("E", ""), After("24h", GoTo("D")), After("w", "idle", GoTo("D")),
		After("90m", GoTo("D")), WithState("A"), WithTerminal("D", machine.Success))
	for want, in := range map[string]machine.Input{
		"E": {Kind: machine.EventInput}, "after 24h": {Kind: machine.TimerInput}, "after w idle": {Kind: machine.TimerInput, Timer: 1},
		"after 1h30m": {Kind: machine.TimerInput, Timer: 2}, "done": {Kind: machine.DoneInput}, "cancel": {Kind: machine.CancelInput}, "start": {Kind: machine.StartInput},
		"?": {Kind: machine.EventInput, Event: 9}, "failed(?)": {Kind: machine.FailureInput, Category: -3}, "after ?": {Kind: machine.TimerInput, Timer: -1},
	} {
		if got := m.Describe(in); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
