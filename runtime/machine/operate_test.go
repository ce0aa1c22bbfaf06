package machine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// approval has a timer, a deadline, an activity with a retry, and events.
func approval(t *testing.T) *machine.Machine {
	return Build(t, WithParams("deadline time"), WithFields("n int 0..1000000 = 0"), WithEvent("Ok", "n int"), WithEvent("Later", ""), WithEvent("Found", "n int"),
		WithActivity("work", "", "Found", "flaky"),
		WithState("Wait", Doing("work", nil), After("1h", GoTo("Late")), After("deadline", GoTo("Expired")),
			On("Ok", GoTo("Next", Set("n", "event.n"))), On("Found", Stay(Set("n", "n + event.n"))), On("done", Stay()),
			On("failed", Retry(2, WithBackoff("10m", "10m", 1, 0)), GoTo("Broken"))),
		WithState("Next", On("Later", Stay(Set("n", "n + 1"))), After("1h", GoTo("Late"))),
		WithTerminal("Late", machine.Success), WithTerminal("Expired", machine.Success), WithTerminal("Broken", machine.Failed))
}

var (
	pauseInput  = machine.Input{Kind: machine.PauseInput, Actor: "ada", Reason: "maintenance"}
	resumeInput = machine.Input{Kind: machine.ResumeInput, Actor: "ada"}
	retryInput  = machine.Input{Kind: machine.RetryInput, Actor: "ada", Reason: "fixed"}
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
	if err := r.take(machine.Input{Kind: machine.FailureInput, Do: 0, Key: "r/Wait/work/1", Attempt: 1}); !errors.Is(err, machine.ErrFenced) {
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
	for range machine.MaxKept {
		r.s.Queue = append(r.s.Queue, machine.Input{Kind: machine.EventInput, Event: eventOf(r.m, "Later"), Data: []machine.Value{}})
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
	r.must(machine.Input{Kind: machine.CancelInput})
	r.effects("cancelled dropped dropped")
	if r.s.Status != machine.Finished || !r.s.PausedAt.IsZero() || len(r.s.Queue) != 0 {
		t.Errorf("%+v", r.s)
	}
	if err := r.take(pauseInput); !errors.Is(err, machine.ErrFinished) {
		t.Error(err)
	}
}

func TestCheckpointRestartsIdleTimers(t *testing.T) {
	m := Build(t, WithEvent("Found", ""), WithActivity("work", "", "Found", ""),
		WithState("A", Doing("work", nil), After("10m", "idle", GoTo("D")), After("2h", GoTo("D")), On("Found, failed", GoTo("D"))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	progress := func(at string) error {
		since := epoch.Add(Duration(at))
		return r.take(machine.Input{Kind: machine.ProgressInput, Since: since})
	}
	r.now = epoch.Add(9 * time.Minute)
	must(t, progress("9m"))
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
	m := Build(t, WithEvent("E", ""), WithGuard("g", "n int"),
		WithState("A", After("1h", GoTo("B", When("g(1)")), GoTo("C"))),
		WithState("B", On("E", Ignore())), WithState("C", On("E", Ignore())), WithTerminal("D", machine.Success), On("E", GoTo("D")))
	r := begin(t, m, "")
	r.ask = func(int, []machine.Value) (bool, error) { return true, answer }
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
	if r.m.Describe(last.Input) != "retry" || last.Input.Actor != "ada" || last.Effect != machine.Moved || last.Arm < 0 {
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
	r.did("ready-task:r/Wait/work/1#2")
	if err := r.take(retryInput); err == nil {
		t.Error("it waits no more")
	}
	r.result("work", `Found {"n":1}`)
	r.at("Wait", `{"n":1}`)
}

// TestRetryOfFailed takes a run up where it failed: its timers run again, its
// entry blocks are made, and what its arms may use is there again.
func TestRetryOfFailed(t *testing.T) {
	m := Build(t, WithFields("n int 0..100 = 0"), WithEvent("Go", ""), WithEvent("Found", ""), WithActivity("work", "", "Found", ""),
		WithState("Idle", On("Go", GoTo("Outer.Work"))),
		WithState("Outer", WithState("Work", Entering(Set("n", "n + 1")), Doing("work", nil), On("Found", GoTo("Done")),
			On("failed", Retry(1, WithBackoff("0s", "0s", 1, 0)), GoTo("Outer.Work", Bound(1, "run")), GoTo("Broken"))),
			After("5h", GoTo("Done"))),
		WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
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
	again.State, _ = m.State("Outer.Work")
	r.must(again)
	r.at("Outer.Work", `{"n":3}`)
	if r.s.Status != machine.Running || r.s.Outcome != "" || len(r.s.Alarms) != 1 {
		t.Errorf("%+v", r.s)
	}
	failing()
	r.must(again)
	r.result("work", "Found")
	r.at("Done")
	if err := r.take(again); !errors.Is(err, machine.ErrFinished) {
		t.Errorf("a run that succeeded was retried: %v", err)
	}
}

func TestLateResultsAreBounded(t *testing.T) {
	r := begin(t, approval(t), deadlineIn(time.Hour))
	late := machine.Input{Kind: machine.LateInput, Key: "r/Wait/work/1", Attempt: 1, Message: "Found", Cost: []machine.Cost{{"usd", "0.5"}}}
	for range machine.MaxLate {
		r.must(late)
	}
	r.effects("refused")
	if err := r.take(late); !errors.Is(err, machine.ErrFenced) {
		t.Error(err)
	}
	if got := fmt.Sprint(r.s.Spent, r.s.Late); got != "[{usd 50}] 100" {
		t.Error(got)
	}
}
