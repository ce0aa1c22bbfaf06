package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
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
		w := worker.New(c.Temporal, c.TaskQueue, worker.Options{})
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
		if v := finished(t, c, run); v.State != "Done" || w.ended[run] != 1 {
			t.Errorf("run %q ends in %s after %d attempts", run, v.State, w.ended[run])
		}
	}
	if w.most > 3 || w.most < 2 {
		t.Errorf("at most %d attempts were under way at once", w.most)
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
