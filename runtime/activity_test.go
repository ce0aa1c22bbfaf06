package runtime

import (
	"errors"
	"testing"
	"time"
)

func working(t *testing.T, handlers ...part) *Machine {
	parts := append([]part{do("work", []string{"n"}, "timeout 1m")}, handlers...)
	return compile(t, fields("n int = 1, s string"), event("Found", "n int"), event("None", ""), event("Go", ""),
		activity("work", "n int", "Found None", "flaky"),
		state("A", append(parts, when_("Go", goTo("B")))...),
		state("B", when_("Go", goTo("A"))),
		terminal("D", Success))
}

func TestResults(t *testing.T) {
	m := working(t, when_("Found", stay(set("n", "event.n"))), when_("None", goTo("D")), when_("done", goTo("B")), when_("failed", goTo("D")))
	r := begin(t, m, "")
	r.did("start-task:r/A/work/1#1")
	args, err := m.TaskArgs(r.s, 0, r.now, nil)
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
	m := working(t, when_("Found, None", goTo("D")), when_("failed", retry(2)))
	r := begin(t, m, "")
	in := r.attempt("work")
	in.Kind, in.Event = ResultInput, m.index.events["None"]
	for _, wrong := range []func(*Input){
		func(in *Input) { in.Key = "other" },
		func(in *Input) { in.Attempt++ },
		func(in *Input) { in.Do = 7 },
	} {
		bad := in
		wrong(&bad)
		if err := r.take(bad); !errors.Is(err, ErrFenced) {
			t.Error(err)
		}
	}
	r.send("Go")
	if err := r.take(in); !errors.Is(err, ErrFenced) {
		t.Error(err)
	}
}

func TestResultThatDoesNotFit(t *testing.T) {
	m := working(t, when_("Found, None", goTo("D")), when_("failed(unknown)", goTo("B", set("s", "event.message"))), when_("failed", goTo("D")))
	for _, c := range []struct {
		event int
		data  []Value
		want  string
	}{
		{m.index.events["Go"], nil, `{"n":1,"s":"the result does not fit: activity \"work\" does not raise that event"}`},
		{-1, nil, `{"n":1,"s":"the result does not fit: activity \"work\" does not raise that event"}`},
		{m.index.events["Found"], []Value{Unset}, `{"n":1,"s":"the result does not fit: event \"Found\": field \"n\": it is not set"}`},
		{m.index.events["Found"], nil, `{"n":1,"s":"the result does not fit: event \"Found\": it has 0 values for 1 fields"}`},
	} {
		r := begin(t, m, "")
		in := r.attempt("work")
		in.Kind, in.Event, in.Data = ResultInput, c.event, c.data
		r.must(in)
		r.at("B", c.want)
		if got := m.Describe(r.last[0].Input); got != "failed(unknown)" {
			t.Error(got)
		}
	}
}

func TestFailures(t *testing.T) {
	m := working(t, when_("Found, None", goTo("D")),
		when_("failed(flaky), failed(timeout)", stay(set("s", "event.category + `/` + event.message + `/` + event.activity"), set("n", "event.attempt"))),
		when_("failed", goTo("B", set("s", "event.category"))))
	for _, c := range [][3]string{
		{"flaky", "A", `{"n":1,"s":"flaky/boom/work"}`},
		{"timeout", "A", `{"n":1,"s":"timeout/boom/work"}`},
		{"unknown", "B", `{"n":1,"s":"unknown"}`},
		{"silent", "B", `{"n":1,"s":"unknown"}`}, // it has no heartbeat
	} {
		r := begin(t, m, "")
		in := r.attempt("work")
		in.Kind, in.Category, in.Message = FailureInput, m.index.categories[c[0]], "boom"
		r.must(in)
		r.at(c[1], c[2])
	}
	r := begin(t, m, "")
	in := r.attempt("work")
	in.Kind, in.Category, in.Message = FailureInput, 99, "\xff"
	r.must(in)
	r.at("B", `{"n":1,"s":"unknown"}`)
	if r.last[0].Input.Message != "\uFFFD" {
		t.Errorf("%q", r.last[0].Input.Message)
	}
}

func TestDoneThatNothingTakesHalts(t *testing.T) {
	m := working(t, when_("Found, None", stay()), when_("failed", goTo("D")))
	r := begin(t, m, "")
	r.result("work", "None")
	r.effects("stayed halted")
	r.halted(`nothing takes done in state "A"`)
	if !r.s.DoneDue || r.s.Halt.Input.Kind != DoneInput {
		t.Errorf("%+v", r.s)
	}
	// cancel ends it; and a halted run refuses results of what still runs.
	m = compile(t, event("X", ""), activity("a", "", "", ""), activity("b", "", "", ""), when_("failed", goTo("D")),
		when_("cancel", goTo("D")), state("A", do("a", nil), do("b", nil), after("1h", stay(cond("false")))), terminal("D", Success))
	r = begin(t, m, "")
	r.pass("1h")
	r.halted("nothing takes after 1h in state")
	in := r.attempt("a")
	in.Kind = ResultInput
	if err := r.take(in); !errors.Is(err, ErrHalted) {
		t.Error(err)
	}
	r.must(Input{Kind: CancelInput})
	r.at("D")
	r.did("cancel-task:r/A/a/1#1 cancel-task:r/A/b/1#1 finish:success drop-timer:1h")
}

func TestRetry(t *testing.T) {
	m := working(t, when_("Found", retry(2, by(`event.n * d("1s")`)), goTo("B")),
		when_("None", goTo("D")),
		when_("failed(flaky)", retry(2, backoff("10s", "15s", 2, 0)), goTo("B")),
		when_("failed(timeout)", retry(1, set("n", "n + 1"), backoff("1s", "1s", 1, 0)), goTo("D")),
		when_("failed", retry(1), goTo("D")))
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
	if record := r.last[0]; len(record.Passed) != 1 || record.Passed[0].Why.Code() != BoundUsed {
		t.Errorf("%+v", record)
	}
	r.send("Go")
	r.fail("work", "flaky")
	r.effects("retried") // a new visit starts again
}

func TestRetryPerRunAndInherited(t *testing.T) {
	m := compile(t, event("Go", ""), event("Self", ""), activity("work", "", "", "flaky"),
		state("W", when_("failed", retry(2, bound(0, "")), goTo("D")), when_("failed(flaky)", retry(2), goTo("D")),
			state("A", do("work", nil), when_("Self", goTo("W.A")), when_("Go", goTo("W.B"))),
			state("B", do("work", nil))),
		terminal("D", Success))
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

	m = compile(t, event("Self", ""), activity("work", "", "", "flaky"),
		state("A", do("work", nil), when_("Self", goTo("A")), when_("failed", arm{RetryArm, "", []armPart{bound(2, "run")}}, goTo("D"))), terminal("D", Success))
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
		m := compile(t, event("None", ""), event("Go", ""), event("Out", ""), activity("work", "", "None", ""),
			state("W", when_("Out", goTo("Idle")),
				state("A", do("work", nil, c.scope), when_("Go, None", goTo("W.B")), when_("failed", goTo("W.B"))),
				state("B", when_("Go", goTo("W.A")))),
			state("Idle", when_("Go", goTo("W"))),
			terminal("D", Success))
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
	m := compile(t, fields("n int = 0"), event("X", ""), activity("work", "", "X", ""), activity("quiet", "", "", ""),
		state("A", do("work", nil, "as a"), do("work", nil, "as b"), do("quiet", nil),
			when_("a.X", stay(set("n", "n + 1"))), when_("X", stay(set("n", "n + 10"))),
			when_("a.failed", goTo("D")), when_("b.failed(unknown)", ignore()), when_("failed", ignore()),
			when_("done", goTo("D"))),
		terminal("D", Success))
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
	m := compile(t, fields("w duration = \"1s\""), event("E", ""), after("24h", goTo("D")), after("w", "idle", goTo("D")),
		after("90m", goTo("D")), state("A"), terminal("D", Success))
	for want, in := range map[string]Input{
		"E": {Kind: EventInput}, "after 24h": {Kind: TimerInput}, "after w idle": {Kind: TimerInput, Timer: 1},
		"after 1h30m": {Kind: TimerInput, Timer: 2}, "done": {Kind: DoneInput}, "cancel": {Kind: CancelInput}, "start": {Kind: StartInput},
		"?": {Kind: EventInput, Event: 9}, "failed(?)": {Kind: FailureInput, Category: -3}, "after ?": {Kind: TimerInput, Timer: -1},
	} {
		if got := m.Describe(in); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
