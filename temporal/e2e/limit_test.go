package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// limited is a machine whose activity has a limit, in place of LIMIT.
const limited = `machine MACHINE {
	event Worked { n int }
	event Leave
	activity work() -> Worked LIMIT
	initial Working
	on failed -> Failed
	state Working {
		do work()
		on Worked -> Done
		on Leave -> Failed
	}
	terminal Done success
	terminal Failed failure
}
`

func limitedBy(name, limit string) *machine.Machine {
	source := limited
	for from, to := range map[string]string{"MACHINE": name, "LIMIT": limit} {
		source = strings.Replace(source, from, to, 1)
	}
	return compiled(source)
}

// working counts the attempts under way.
type working struct {
	mu        sync.Mutex
	now, most int
	ended     map[string]int
}

func (w *working) handlers(last time.Duration) runtime.Handlers {
	w.ended = map[string]int{}
	return runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		w.mu.Lock()
		w.now++
		w.most = max(w.most, w.now)
		w.mu.Unlock()
		defer func() {
			w.mu.Lock()
			w.now--
			w.ended[a.Run]++
			w.mu.Unlock()
		}()
		select {
		case <-ctx.Done():
			return runtime.Result{}, ctx.Err()
		case <-time.After(last):
		}
		return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n":1}`)}, nil
	}}}
}

// begun are the times at which the server had the attempts of runs begin, in order.
func begun(t *testing.T, c *temporal.Client, runs []string) (at []time.Time) {
	t.Helper()
	for _, run := range runs {
		for events := c.Temporal.GetWorkflowHistory(t.Context(), run, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
			event, err := events.Next()
			if err != nil {
				t.Fatal(err)
			}
			if event.EventType == enums.EVENT_TYPE_ACTIVITY_TASK_STARTED {
				at = append(at, event.EventTime.AsTime())
			}
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	return at
}

// startAll starts so many runs.
func startAll(t *testing.T, c *temporal.Client, m *machine.Machine, n int) (runs []string) {
	t.Helper()
	for i := range n {
		run := fmt.Sprintf("%s-%d", t.Name(), i)
		must(t, c.Start(t.Context(), m, run, nil))
		runs = append(runs, run)
	}
	return runs
}

func serveWorkers(t *testing.T, c *temporal.Client, m *machine.Machine, h runtime.Handlers, n int) {
	t.Helper()
	for i := range n {
		w := worker.New(c.Temporal, c.TaskQueue, temporal.Options())
		must(t, temporal.Register(w, temporal.Worker{Name: fmt.Sprint("worker ", i), Machine: m, Handlers: h, Client: c.Temporal}))
		must(t, w.Start())
		t.Cleanup(w.Stop)
	}
}

// TestAtOnce: three workers make the attempts of thirty runs, never more than three at once, and all of them.
func TestAtOnce(t *testing.T) {
	m, c := limitedBy("AtOnce", "limit 3 at once"), dial(t, t.Name())
	var w working
	serveWorkers(t, c, m, w.handlers(100*time.Millisecond), 3)
	for _, run := range startAll(t, c, m, 30) {
		if v := finished(t, c, run); v.State != "Done" {
			t.Errorf("run %q ends in %s", run, v.State)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for run, n := range w.ended {
		if n != 1 {
			t.Errorf("run %q has ended %d attempts", run, n)
		}
	}
	if w.most > 3 || w.most < 2 || len(w.ended) != 30 {
		t.Errorf("at most %d attempts were under way at once, of %d runs", w.most, len(w.ended))
	}
}

// TestRate: of thirty runs no more than five begin in any two seconds, by the server's clock.
func TestRate(t *testing.T) {
	m, c := limitedBy("Rate", "limit 5 per 2s"), dial(t, t.Name())
	var w working
	serveWorkers(t, c, m, w.handlers(0), 3)
	runs := startAll(t, c, m, 30)
	for _, run := range runs {
		finished(t, c, run)
	}
	at := begun(t, c, runs)
	if len(at) != 30 {
		t.Fatalf("%d attempts have begun", len(at))
	}
	for i := range at[5:] {
		if within := at[i+5].Sub(at[i]); within < 2*time.Second {
			t.Errorf("attempts %d to %d have begun within %s", i, i+5, within)
		}
	}
	t.Logf("30 attempts began within %s", at[29].Sub(at[0]))
}

// holder is a worker whose attempts last until they are let go.
type holder struct {
	began chan string // runs
	let   chan struct{}
}

func (h *holder) handlers() runtime.Handlers {
	h.began, h.let = make(chan string, 100), make(chan struct{})
	return runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		h.began <- a.Run
		select {
		case <-ctx.Done():
			return runtime.Result{}, ctx.Err()
		case <-h.let:
		}
		return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n":1}`)}, nil
	}}}
}

// next is the run whose attempt begins next.
func (h *holder) next(t *testing.T, within time.Duration) string {
	t.Helper()
	select {
	case run := <-h.began:
		return run
	case <-time.After(within):
		t.Fatal("no attempt begins")
		return ""
	}
}

// oneHolds starts two runs of a machine whose activity has one place: the first has it, the second waits.
func oneHolds(t *testing.T, name, first, second string) (*temporal.Client, *holder) {
	t.Helper()
	m, c, h := limitedBy(name, "limit 1 at once"), dial(t, t.Name()), &holder{}
	serveWorkers(t, c, m, h.handlers(), 1)
	must(t, c.Start(t.Context(), m, first, nil))
	h.next(t, time.Minute)
	must(t, c.Start(t.Context(), m, second, nil))
	until(t, c, second, "waiting for the limit", func(v machine.View) bool {
		return len(v.Activities) == 1 && v.Activities[0].Limit != nil && v.Activities[0].Limit.Text == "1 at once"
	})
	return c, h
}

// TestTerminated: a run is terminated that has the only place: after a minute the next has it.
func TestTerminated(t *testing.T) {
	t.Parallel() // it waits for that minute
	c, h := oneHolds(t, "Terminated", "terminated-1", "terminated-2")
	must(t, c.Temporal.TerminateWorkflow(t.Context(), "terminated-1", "", "a test"))
	if run := h.next(t, 3*time.Minute); run != "terminated-2" {
		t.Errorf("then begins %s", run)
	}
	close(h.let)
	if v := finished(t, c, "terminated-2"); v.State != "Done" {
		t.Errorf("it ends in %s", v.State)
	}
}

// TestLimiterTerminated: who keeps the limit is terminated: a run that waits asks again.
func TestLimiterTerminated(t *testing.T) {
	t.Parallel() // it waits for a minute
	c, h := oneHolds(t, "Forgotten", "forgotten-1", "forgotten-2")
	must(t, c.Temporal.TerminateWorkflow(t.Context(), temporal.LimiterID("Forgotten", "work"), "", "a test"))
	close(h.let)
	for _, run := range []string{"forgotten-1", "forgotten-2"} {
		if v := finished(t, c, run); v.State != "Done" {
			t.Errorf("%s ends in %s", run, v.State)
		}
	}
}

// TestLimiterContinues: who keeps the limit goes on in new executions while runs wait, and who had a place has it still.
func TestLimiterContinues(t *testing.T) {
	t.Parallel()
	m, c := limitedBy("Continues", "limit 2 at once"), dial(t, t.Name())
	var w working
	serveWorkers(t, c, m, w.handlers(0), 3)
	id := temporal.LimiterID("Continues", "work")
	_, err := c.Temporal.SignalWithStartWorkflow(t.Context(), id, temporal.SignalPlace, map[string]string{"kind": "left"},
		client.StartWorkflowOptions{ID: id, TaskQueue: c.TaskQueue}, temporal.LimitType, temporal.Limiter{})
	must(t, err)
	// Requests of a run that wants nothing make the history long.
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 260 {
				if err := c.Temporal.SignalWorkflow(t.Context(), id, "", temporal.SignalPlace, map[string]string{"kind": "left", "run": "nobody"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, run := range startAll(t, c, m, 10) {
		finished(t, c, run)
	}
	first, err := c.Temporal.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	must(t, err)
	if first.GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId() == "" {
		t.Error("it still goes on in its first execution: nothing was tried")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.most > 2 || len(w.ended) != 10 {
		t.Errorf("at most %d attempts were under way at once, of %d runs", w.most, len(w.ended))
	}
}

// TestRecordLimits: a run that waits for a limit, and is paused meanwhile, and who keeps the limit: their histories replay, and with
// -record they are kept.
func TestRecordLimits(t *testing.T) {
	m, c := limitedBy("Recorded", "limit 1 at once limit 2 per 1s"), dial(t, t.Name())
	var h holder
	serveWorkers(t, c, m, h.handlers(), 1)
	waits := func(v machine.View) bool { return len(v.Activities) == 1 && v.Activities[0].Limit != nil }
	for _, run := range []string{"limited-1", "limited-2", "limited-3", "limited-4"} {
		must(t, c.Start(t.Context(), m, run, nil))
		if run == "limited-1" {
			h.next(t, time.Minute)
			continue
		}
		until(t, c, run, "waiting for the limit", waits)
	}
	if _, err := c.Pause(t.Context(), "limited-2", machine.Operator{Actor: "op"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), "limited-3", machine.ExternalEvent{Name: "Leave"}); err != nil {
		t.Fatal(err)
	}
	if v := until(t, c, "limited-2", "paused", func(v machine.View) bool { return v.Paused }); waits(v) {
		t.Errorf("a paused run waits for a limit: %+v", v)
	}
	if _, err := c.Resume(t.Context(), "limited-2", machine.Operator{Actor: "op"}); err != nil {
		t.Fatal(err)
	}
	until(t, c, "limited-2", "waiting for the limit", waits)
	close(h.let)
	for run, state := range map[string]string{"limited-1": "Done", "limited-2": "Done", "limited-3": "Failed", "limited-4": "Done"} {
		if v := finished(t, c, run); v.State != state {
			t.Errorf("run %q ends in %s", run, v.State)
		}
		_ = c.Temporal.GetWorkflow(t.Context(), run, "").Get(t.Context(), nil)
		replayed(t, c, run)
	}
	replayed(t, c, temporal.LimiterID("Recorded", "work"))
}

// TestKilledHolder: a worker is killed in the middle of an attempt that has the only place. When it is lost the run that
// waits is next, and then the lost attempt has its turn again.
func TestKilledHolder(t *testing.T) {
	t.Parallel() // it waits for a lease
	c := dial(t, t.Name())
	began := filepath.Join(t.TempDir(), "began")
	first := exec.Command(os.Args[0])
	first.Env = append(os.Environ(), "FSMC_E2E_BEGAN="+began, "FSMC_E2E_LIMITED=1", fmt.Sprintf("FSMC_E2E_QUEUE=temporal://%s/%s?queue=%s",
		server().GetFrontendHostPort(), server().GetDefaultNamespace(), t.Name()))
	first.Stderr = os.Stderr
	must(t, first.Start())
	t.Cleanup(func() {
		_ = first.Process.Kill()
		_ = first.Wait()
	})
	must(t, c.Start(t.Context(), killable, "killed-1", nil))
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if text, err := os.ReadFile(began); err == nil && len(text) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no attempt has begun")
		}
	}
	must(t, first.Process.Kill())
	var h holder
	serveWorkers(t, c, killable, h.handlers(), 1)
	must(t, c.Start(t.Context(), killable, "killed-2", nil))
	if run := h.next(t, 3*time.Minute); run != "killed-2" {
		t.Errorf("first begins %s", run)
	}
	h.let <- struct{}{}
	if run := h.next(t, 3*time.Minute); run != "killed-1" {
		t.Errorf("then begins %s", run)
	}
	h.let <- struct{}{}
	for _, run := range []string{"killed-1", "killed-2"} {
		if v := finished(t, c, run); v.State != "Done" {
			t.Errorf("run %q ends in %s", run, v.State)
		}
	}
}

// killable is the machine of TestKilledHolder.
var killable = limitedBy("Killable", "limit 1 at once")
