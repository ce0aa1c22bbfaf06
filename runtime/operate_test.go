package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// approval has a timer, a deadline, an activity with a retry, and events.
func approval(t *testing.T) *Machine {
	return compile(t, params("deadline time"), fields("n int 0..1000000 = 0"), event("Ok", "n int"), event("Later", ""), event("Found", "n int"),
		activity("work", "", "Found", "flaky"),
		state("Wait", do("work", nil), after("1h", goTo("Late")), after("deadline", goTo("Expired")),
			when_("Ok", goTo("Next", set("n", "event.n"))), when_("Found", stay(set("n", "n + event.n"))), when_("done", stay()),
			when_("failed", retry(2, backoff("10m", "10m", 1, 0)), goTo("Broken"))),
		state("Next", when_("Later", stay(set("n", "n + 1"))), after("1h", goTo("Late"))),
		terminal("Late", Success), terminal("Expired", Success), terminal("Broken", Failed))
}

var (
	pauseInput  = Input{Kind: PauseInput, Actor: "ada", Reason: "maintenance"}
	resumeInput = Input{Kind: ResumeInput, Actor: "ada"}
	retryInput  = Input{Kind: RetryInput, Actor: "ada", Reason: "fixed"}
)

func deadlineIn(d time.Duration) string {
	return fmt.Sprintf(`{"deadline":%q}`, epoch.Add(d).Format(time.RFC3339))
}

func TestPauseStopsTimeButNoDeadline(t *testing.T) {
	r := begin(t, approval(t), deadlineIn(3*time.Hour))
	r.pass("20m")
	r.must(pauseInput)
	r.effects("paused")
	r.pass("2h")
	r.at("Wait")
	r.must(resumeInput)
	if got := r.s.Alarms[0].Due.Sub(r.now); got != 40*time.Minute {
		t.Errorf("the timer has %s left", got)
	}
	if got := r.s.Alarms[1].Due; !got.Equal(epoch.Add(3 * time.Hour)) {
		t.Errorf("the deadline is %s", got)
	}
	r.pass("39m")
	r.at("Wait")
	r.pass("1m")
	r.at("Late")

	r = begin(t, approval(t), deadlineIn(2*time.Hour))
	r.must(pauseInput)
	r.pass("5h")
	r.at("Wait") // nothing fires while it is paused
	r.must(resumeInput)
	r.effects("resumed moved")
	r.at("Expired")
}

func TestPauseQueues(t *testing.T) {
	r := begin(t, approval(t), deadlineIn(72*time.Hour))
	r.must(pauseInput)
	r.send(`Later`) // not taken in Wait, but in Next
	r.effects("queued")
	r.result("work", `Found {"n":5}`)
	r.did("end-task:r/Wait/work/1#1")
	r.send(`Ok {"n":100}`)
	r.send(`Later`)
	r.at("Wait", `{"n":0}`)
	if n := len(r.s.Queue); n != 4 {
		t.Fatalf("%d inputs wait", n)
	}
	if err := r.take(Input{Kind: FailureInput, Do: 0, Key: "r/Wait/work/1", Attempt: 1}); !errors.Is(err, ErrFenced) {
		t.Errorf("the attempt returned twice: %v", err)
	}
	if err := r.take(pauseInput); err != nil || len(r.last) != 0 {
		t.Errorf("paused twice: %v, %d records", err, len(r.last))
	}
	r.must(resumeInput)
	r.effects("resumed dropped stayed stayed moved stayed")
	r.at("Next", `{"n":101}`)
	if why := r.last[1].Cause.String(); why != "nothing takes it there" {
		t.Errorf("the first was dropped because %q", why)
	}
	if err := r.take(resumeInput); err != nil || len(r.last) != 0 {
		t.Errorf("resumed twice: %v, %d records", err, len(r.last))
	}
}

func TestPauseRefusesWhatNoStateTakes(t *testing.T) {
	r := begin(t, approval(t), deadlineIn(time.Hour))
	r.must(pauseInput)
	if why := r.refused(`Found {"n":1}`).Why; why != "activities alone raise it" {
		t.Error(why)
	}
	for range MaxKept {
		r.s.Queue = append(r.s.Queue, Input{Kind: EventInput, Event: r.m.index.events["Later"], Data: []Value{}})
	}
	_, _, _, err := r.m.Step(r.s, r.event("Later", ""), r.now, nil)
	if err == nil || !strings.Contains(err.Error(), "no more events can wait") {
		t.Error(err)
	}
}

// TestCancelWhilePaused ends the run at once, and drops what waits.
func TestCancelWhilePaused(t *testing.T) {
	r := begin(t, approval(t), deadlineIn(time.Hour))
	r.must(pauseInput)
	r.send("Later")
	r.result("work", `Found {"n":5}`)
	r.must(Input{Kind: CancelInput})
	r.effects("cancelled dropped dropped")
	if r.s.Status != Finished || !r.s.PausedAt.IsZero() || len(r.s.Queue) != 0 {
		t.Errorf("%+v", r.s)
	}
	if err := r.take(pauseInput); !errors.Is(err, ErrFinished) {
		t.Error(err)
	}
}

func TestCheckpointRestartsIdleTimers(t *testing.T) {
	m := compile(t, event("Found", ""), activity("work", "", "Found", ""),
		state("A", do("work", nil), after("10m", "idle", goTo("D")), after("2h", goTo("D")), when_("Found, failed", goTo("D"))),
		terminal("D", Success))
	r := begin(t, m, "")
	progress := func(at string) error {
		since := epoch.Add(mustDuration(at))
		return r.take(Input{Kind: ProgressInput, Since: since})
	}
	r.now = epoch.Add(9 * time.Minute)
	if err := progress("9m"); err != nil {
		t.Fatal(err)
	}
	r.effects("restarted")
	if got := r.s.Alarms[0].Due; !got.Equal(epoch.Add(19 * time.Minute)) {
		t.Errorf("due at %s", got)
	}
	if got := r.s.Alarms[1].Due; !got.Equal(epoch.Add(2 * time.Hour)) {
		t.Errorf("the other moved to %s", got)
	}
	if err := progress("5m"); err == nil {
		t.Error("an older checkpoint was taken")
	}
	r.must(pauseInput) // at 9m, with 10m left
	r.now = epoch.Add(time.Hour)
	if err := progress("12m"); err == nil {
		t.Error("time stands still, and all of the wait is left")
	}
	r.must(resumeInput)
	if got := r.s.Alarms[0].Due.Sub(r.now); got != 10*time.Minute {
		t.Errorf("%s left", got)
	}
	r.pass("10m")
	r.at("D")
}

func TestRetryOfHalted(t *testing.T) {
	answer := error(errors.New("out of order"))
	m := compile(t, event("E", ""), guard("g", "n int"),
		state("A", after("1h", goTo("B", cond("g(1)")), goTo("C"))),
		state("B", when_("E", ignore())), state("C", when_("E", ignore())), terminal("D", Success), when_("E", goTo("D")))
	r := begin(t, m, "")
	r.ask = func(int, []Value) (bool, error) { return true, answer }
	if err := r.take(retryInput); err == nil {
		t.Error("nothing was there to be tried")
	}
	r.pass("1h")
	r.halted("out of order")
	r.must(retryInput)
	r.halted("out of order")
	answer = nil
	r.must(retryInput)
	r.at("B")
	last := r.last[0]
	if r.m.Describe(last.Input) != "retry" || last.Input.Actor != "ada" || last.Effect != Moved || last.Arm < 0 {
		t.Errorf("%+v", last)
	}
}

func TestRetryOfBackoff(t *testing.T) {
	r := begin(t, approval(t), deadlineIn(72*time.Hour))
	r.fail("work", "flaky")
	if r.s.Tasks[0].NotBefore.IsZero() {
		t.Fatal("it does not wait")
	}
	r.must(retryInput)
	r.did("end-task:r/Wait/work/1#2+10m0s start-task:r/Wait/work/1#2")
	if err := r.take(retryInput); err == nil {
		t.Error("it waits no more")
	}
	r.result("work", `Found {"n":1}`)
	r.at("Wait", `{"n":1}`)
}

// TestRetryOfFailed takes a run up where it failed: its timers run again, its
// entry blocks are made, and what its arms may use is there again.
func TestRetryOfFailed(t *testing.T) {
	m := compile(t, fields("n int 0..100 = 0"), event("Go", ""), event("Found", ""), activity("work", "", "Found", ""),
		state("Idle", when_("Go", goTo("Outer.Work"))),
		state("Outer", state("Work", entry(set("n", "n + 1")), do("work", nil), when_("Found", goTo("Done")),
			when_("failed", retry(1, backoff("0s", "0s", 1, 0)), goTo("Outer.Work", bound(1, "run")), goTo("Broken"))),
			after("5h", goTo("Done"))),
		terminal("Done", Success), terminal("Broken", Failed))
	r := begin(t, m, "")
	r.send("Go")
	failing := func() {
		for range 4 {
			r.fail("work", "unknown")
		}
		r.at("Broken")
	}
	failing()
	again := retryInput
	if err := r.take(again); err == nil || !strings.Contains(err.Error(), "no state is known") {
		t.Error(err)
	}
	again.State = m.index.states["Outer.Work"]
	r.must(again)
	r.at("Outer.Work", `{"n":3}`)
	if r.s.Status != Running || r.s.Outcome != "" || len(r.s.Alarms) != 1 {
		t.Errorf("%+v", r.s)
	}
	failing()
	r.must(again)
	r.result("work", "Found")
	r.at("Done")
	if err := r.take(again); !errors.Is(err, ErrFinished) {
		t.Errorf("a run that succeeded was retried: %v", err)
	}
}

func TestLateResultsAreBounded(t *testing.T) {
	r := begin(t, approval(t), deadlineIn(time.Hour))
	late := Input{Kind: LateInput, Key: "r/Wait/work/1", Attempt: 1, Message: "Found", Cost: []Cost{{"usd", "0.5"}}}
	for range MaxLate {
		r.must(late)
	}
	r.effects("refused")
	if err := r.take(late); !errors.Is(err, ErrFenced) {
		t.Error(err)
	}
	if got := fmt.Sprint(r.s.Spent, r.s.Late); got != "[{usd 50}] 100" {
		t.Error(got)
	}
}

func TestCostsAreExact(t *testing.T) {
	got, left := split(map[string]json.Number{
		"usd": "0.10", "tokens": "12e2", "b": "1e-3", "zero": "0.000",
		"negative": "-1", "huge": "1e999999999", "long": json.Number(strings.Repeat("9", 41)), "bad name": "1", "nan": "NaN", "": "1",
	}, nil)
	if fmt.Sprint(got) != "[{b 0.001} {tokens 1200} {usd 0.1} {zero 0}]" {
		t.Error(got)
	}
	if want := "[{ 1} {bad name 1} {huge 1e999999999} {long " + strings.Repeat("9", 40) + "…} {nan NaN} {negative -1}]"; fmt.Sprint(left) != want {
		t.Errorf("left are %v\nwant %s", left, want)
	}
	var spent []Cost
	for i := range maxCosts {
		spent = append(spent, Cost{fmt.Sprintf("c%d", i), "1"})
	}
	spent[0].Amount = strings.Repeat("9", maxCostDigits)
	got, left = split(map[string]json.Number{"c0": "1", "c1": "1", "more": "1"}, spent)
	if fmt.Sprint(got) != "[{c1 1}]" || fmt.Sprint(left) != "[{c0 1} {more 1}]" {
		t.Errorf("of a run with its fill of costs %v, and not %v", got, left)
	}
	sum := "0"
	for range 10 {
		sum = AddAmounts(sum, "0.1")
	}
	if sum != "1" {
		t.Errorf("ten times 0.1 is %s", sum)
	}
	if compareAmounts("1.00", "1") != 0 || compareAmounts("0.3", "0.30000000000000000001") >= 0 || compareAmounts("10", "9.99") <= 0 {
		t.Error("amounts are compared wrongly")
	}
}
