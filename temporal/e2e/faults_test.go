package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// child is a worker in a process of its own. Its first attempt says that it has begun, and never ends.
func child(queue string) {
	c, err := temporal.Dial(context.Background(), queue, client.Options{Logger: quiet{}})
	if err != nil {
		panic(err)
	}
	began := os.Getenv("FSMC_E2E_BEGAN")
	w := worker.New(c.Temporal, c.TaskQueue, temporal.Options())
	h := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		if err := os.WriteFile(began, []byte(a.Key), 0o600); err != nil {
			panic(err)
		}
		<-ctx.Done()
		return runtime.Result{}, ctx.Err()
	}}}
	m := order
	if os.Getenv("FSMC_E2E_LIMITED") != "" {
		m = killable
	}
	if err := temporal.Register(w, temporal.Worker{Name: "first", Machine: m, Handlers: h, Client: c.Temporal}); err != nil {
		panic(err)
	}
	if err := w.Run(nil); err != nil {
		panic(err)
	}
}

// TestKilled: a worker is killed in the middle of an attempt. The attempt is lost when its worker has been
// silent for the lease, is made again with its key and number, and history has no gap.
func TestKilled(t *testing.T) { faulty(t, syscall.SIGKILL) }

// TestStopped: a worker stands still past its lease, wakes, and changes nothing any more.
func TestStopped(t *testing.T) { faulty(t, syscall.SIGSTOP) }

// nobody: the worker is away, and has asked for work a moment ago. Who asks the run for something is told what to do.
func nobody(t *testing.T, c *temporal.Client, run string) {
	t.Helper()
	hasty := &temporal.Client{Temporal: c.Temporal, TaskQueue: c.TaskQueue, Patience: 6 * time.Second}
	_, shown := hasty.Show(t.Context(), run)
	_, resumed := hasty.Resume(t.Context(), run, machine.Operator{}) // of a run that is not paused: it changes nothing
	for about, err := range map[string]error{"show": shown, "resume": resumed} {
		if err == nil || !strings.Contains(err.Error(), "no worker answers for run") || !strings.Contains(err.Error(), "start a worker on its task queue") {
			t.Errorf("%s without a worker: %v", about, err)
		}
	}
}

func faulty(t *testing.T, signal syscall.Signal) {
	t.Parallel() // each waits for a lease
	c := dial(t, t.Name())
	began := filepath.Join(t.TempDir(), "began")
	first := exec.Command(os.Args[0])
	first.Env = append(os.Environ(), "FSMC_E2E_BEGAN="+began, fmt.Sprintf("FSMC_E2E_QUEUE=temporal://%s/%s?queue=%s",
		server().GetFrontendHostPort(), server().GetDefaultNamespace(), t.Name()))
	first.Stderr = os.Stderr
	must(t, first.Start())
	t.Cleanup(func() {
		_ = first.Process.Kill()
		_ = first.Wait()
	})
	run := strings.ToLower(t.Name())
	must(t, c.Start(t.Context(), order, run, json.RawMessage(`{"item":"book"}`)))
	if _, err := c.Send(t.Context(), run, machine.ExternalEvent{Name: "Approve", Data: json.RawMessage(`{"by":"ada"}`)}); err != nil {
		t.Fatal(err)
	}
	var key string
	for range 200 {
		if text, err := os.ReadFile(began); err == nil && len(text) > 0 {
			key = string(text)
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if key == "" {
		t.Fatal("no attempt has begun")
	}
	must(t, first.Process.Signal(signal))
	nobody(t, c, run)
	var second effects
	serve(t, c, order, second.handlers(), second.deliver)
	for deadline := time.Now().Add(90 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		v, err := c.Show(t.Context(), run)
		if err == nil && v.Status == machine.Finished {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the run does not end: %v, %v", v, err)
		}
	}
	must(t, c.Temporal.GetWorkflow(t.Context(), run, "").Get(t.Context(), nil)) // when its message is delivered
	if signal == syscall.SIGSTOP {
		must(t, first.Process.Signal(syscall.SIGCONT))
		time.Sleep(2 * time.Second) // in which it says what it has to say
	}
	if second.seen[key] != 1 || len(second.seen) != 2 {
		t.Errorf("the attempt %q that was lost and the message: %v", key, second.seen)
	}
	steps, err := c.History(t.Context(), run, 0, 100)
	must(t, err)
	lost := 0
	for i, step := range steps {
		if step.Seq != int64(i+1) {
			t.Errorf("step %d has the number %d", i+1, step.Seq)
		}
		if step.Kind == machine.LostInput {
			lost++
		}
	}
	if lost != 1 {
		t.Errorf("history notes %d lost attempts: %+v", lost, steps)
	}
}

// TestSlowCancel: a cancel waits for as long as what it stops takes, and not for as long as a worker is waited for.
func TestSlowCancel(t *testing.T) {
	ctx := t.Context()
	c := dial(t, t.Name())
	serve(t, c, hoarder, works, nil)
	must(t, c.Start(ctx, hoarder, "slow-cancel", nil))
	if _, err := c.Send(ctx, "slow-cancel", machine.ExternalEvent{Name: "Work"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // so that the attempt has begun, whose worker learns of the cancel with its next beat
	hasty := &temporal.Client{Temporal: c.Temporal, TaskQueue: c.TaskQueue, Patience: 6 * time.Second}
	if v, err := hasty.Cancel(ctx, "slow-cancel", runtime.CancelOptions{}); err != nil || v.State != "Closed" {
		t.Errorf("the cancel gives %q, %v", v.State, err)
	}
}
