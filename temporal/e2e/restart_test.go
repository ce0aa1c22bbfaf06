package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
	"github.com/fsmc-dev/fsmc/temporal/e2e/lite"
)

// serverOf is a Temporal server in a process of its own, which keeps its data in a file.
func serverOf(file string, port int) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s, err := lite.Start(lite.Config{Database: file, Port: port})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Address)
	<-ctx.Done()
	if err := s.Stop(); err != nil {
		panic(err)
	}
}

// startServer starts one, which serves when it returns with the port.
func startServer(t *testing.T, file string, port int) (of *exec.Cmd, at int) {
	t.Helper()
	of = exec.Command(os.Args[0])
	of.Env, of.Stderr = append(os.Environ(), fmt.Sprintf("FSMC_E2E_SERVER=%s %d", file, port)), os.Stderr
	out, err := of.StdoutPipe()
	if err == nil {
		err = of.Start()
	}
	must(t, err)
	t.Cleanup(func() {
		_ = of.Process.Kill()
		_ = of.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal("the server does not start: ", err)
	}
	if _, err := fmt.Sscanf(line, "127.0.0.1:%d", &at); err != nil {
		t.Fatalf("the server says %q", line)
	}
	return of, at
}

// TestServerRestarts kills the server, and stops it, under runs that work: eight senders send to one, and others do
// activities, wait for timers and publish. What was acknowledged is in history, once.
func TestServerRestarts(t *testing.T) {
	const senders, each, orders = 8, 40, 8
	file := filepath.Join(t.TempDir(), "temporal.db")
	running, port := startServer(t, file, 0)
	connect := func(queue string) *temporal.Client {
		t.Helper()
		c, err := temporal.Dial(t.Context(), fmt.Sprintf("temporal://127.0.0.1:%d/?queue=%s", port, queue), client.Options{Logger: quiet{}})
		must(t, err)
		t.Cleanup(c.Temporal.Close)
		return c
	}
	counting, ordering := connect("counter"), connect("order")
	var done effects
	serve(t, counting, counter, runtime.Handlers{}, nil)
	serve(t, ordering, order, done.handlers(), done.deliver)
	// until repeats what a server that is away has not answered: every call here may be repeated.
	until := func(try func() error) {
		for {
			err := try()
			var refused *machine.Rejected
			if err == nil || errors.As(err, &refused) || t.Context().Err() != nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	until(func() error { return counting.Start(t.Context(), counter, "long", nil) })
	var acknowledged atomic.Int64
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			for n := range each {
				until(func() error {
					_, err := counting.Send(t.Context(), "long", machine.ExternalEvent{Name: "Add", Data: json.RawMessage(`{"n":1}`), ID: fmt.Sprintf("%d-%d", i, n)})
					return err
				})
				acknowledged.Add(1)
			}
		})
	}
	for i := range orders {
		all.Go(func() {
			run := fmt.Sprint("order-", i)
			until(func() error {
				err := ordering.Start(t.Context(), order, run, json.RawMessage(`{"item":"book"}`))
				if errors.Is(err, machine.ErrExists) { // it was started, and the answer lost
					return nil
				}
				return err
			})
			until(func() error {
				_, err := ordering.Send(t.Context(), run, machine.ExternalEvent{Name: "Approve", ID: "a", Data: json.RawMessage(`{"by":"ada"}`)})
				return err
			})
			until(func() error {
				v, err := ordering.Show(t.Context(), run)
				if err == nil && v.Status != machine.Finished {
					return errors.New("it goes on")
				}
				return err
			})
		})
	}
	for i, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL} {
		for acknowledged.Load() < int64((i+1)*senders*each/5) { // so that it works each time
			time.Sleep(20 * time.Millisecond)
		}
		must(t, running.Process.Signal(signal))
		_ = running.Wait()
		if before := acknowledged.Load(); before >= senders*each {
			t.Error("all was done before the server went: nothing was tried")
		}
		running, _ = startServer(t, file, port)
	}
	all.Wait()

	steps := func(c *temporal.Client, run string, most int) (steps []machine.StepView) {
		t.Helper()
		until(func() (err error) {
			steps, err = c.History(t.Context(), run, 0, most)
			return err
		})
		for i := range steps {
			if steps[i].Seq != int64(i+1) {
				t.Fatalf("run %q: step %d stands at %d", run, steps[i].Seq, i+1)
			}
		}
		return steps
	}
	if got := steps(counting, "long", 1000); len(got) != 1+senders*each {
		t.Errorf("the history has %d steps, expected %d", len(got), 1+senders*each)
	}
	var v machine.View
	until(func() (err error) { v, err = counting.Show(t.Context(), "long"); return err })
	if want := fmt.Sprintf(`{"n":%d}`, senders*each); string(v.Data) != want {
		t.Errorf("the run has %s, expected %s", v.Data, want)
	}
	for i := range orders {
		run := fmt.Sprint("order-", i)
		kinds := []string{}
		for _, step := range steps(ordering, run, 100) {
			if step.Kind != machine.LostInput { // of an attempt whose worker could not say how it ended
				kinds = append(kinds, string(step.Kind))
			}
		}
		if got := strings.Join(kinds, " "); got != "start event result timer" {
			t.Errorf("run %q: %s", run, got)
		}
		made, delivered := 0, 0
		done.mu.Lock()
		for what := range done.seen {
			if strings.HasPrefix(what, run+"@") && !strings.Contains(what, " Shipped ") {
				made++
			} else if strings.HasPrefix(what, run+"/") || strings.HasPrefix(what, run+"@") {
				delivered++
			}
		}
		done.mu.Unlock()
		if made != 1 || delivered != 1 {
			t.Errorf("run %q: %d executions and %d messages by their ids, expected one of each: %v", run, made, delivered, done.seen)
		}
	}
}
