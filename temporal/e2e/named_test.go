package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/server/common/dynamicconfig"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
	"github.com/fsmc-dev/fsmc/temporal/e2e/lite"
)

// large is the source of a machine whose definition is larger than what a run carries with it.
func large(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "machine Large {\n\tcontext { n int 0..9 = %d }\n\tevent Next\n\tevent Worked { n int 0..9 }\n\tevent Shipped { n int 0..9 }\n\tactivity work() -> Worked\n\tinitial S0\n\ton failed -> Failed\n", n)
	for i := range 3 {
		fmt.Fprintf(&b, "\tstate S%d { on Next -> S%d }\n", i, i+1)
	}
	b.WriteString("\tstate S3 {\n\t\tdo work()\n\t\ton Worked -> Done { n = max(n, event.n) }\n\t}\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "\tstate Spare%s%d { on Next -> Done }\n", strings.Repeat("x", 300), i)
	}
	b.WriteString("\tterminal Done success { publish Shipped { n = n } }\n\tterminal Failed failure\n}\n")
	return b.String()
}

// TestNamed: a run whose definition is too large to carry waits for a worker that has it, and says so meanwhile. It then
// makes the steps of every other run, moves to another definition, and is read by a client that has neither.
func TestNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("Temporal asks a worker again after ten seconds, three times")
	}
	ctx := t.Context()
	s, err := lite.Start(lite.Config{Database: filepath.Join(t.TempDir(), "temporal.db"),
		Dynamic: dynamicconfig.StaticClient{dynamicconfig.NumConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute.Key(): 1}})
	must(t, err)
	t.Cleanup(func() { _ = s.Stop() })
	c, err := temporal.Dial(ctx, "temporal://"+s.Address+"/default?queue=large", client.Options{Logger: quiet{}})
	must(t, err)
	t.Cleanup(c.Temporal.Close)
	c.Patience = time.Minute
	first, next := compiled(large(1)), compiled(large(8))
	if size := len(first.Definition().Encode()); size < 1<<20 {
		t.Fatalf("the definition has %d bytes", size)
	}
	var e effects
	works := func(m *machine.Machine, earlier ...*machine.Machine) (stop func()) {
		t.Helper()
		w := worker.New(c.Temporal, c.TaskQueue, temporal.Options())
		must(t, temporal.Register(w, temporal.Worker{Name: "worker", Machine: m, Handlers: e.handlers(), Outbox: e.deliver, Client: c.Temporal, Earlier: earlier}))
		must(t, w.Start())
		return w.Stop
	}
	lacks := func(of *machine.Machine, do func() error) {
		t.Helper()
		want := "the worker does not have the definition " + of.Hash()
		for range 100 {
			if err := do(); err != nil && strings.Contains(err.Error(), want) {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("it does not say that a worker lacks the definition: %v", do())
	}
	shows := func() error {
		_, err := c.Show(ctx, "large")
		return err
	}
	sends := func() {
		t.Helper()
		for range 600 { // Temporal asks a worker for the next step that failed after ten seconds again
			if shows() == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if _, err := c.Send(ctx, "large", machine.ExternalEvent{Name: "Next"}); err != nil {
			t.Fatal(err)
		}
	}

	stop := works(order)
	must(t, c.Start(ctx, first, "large", nil))
	lacks(first, shows)
	lacks(first, func() error {
		h, err := c.Health(ctx)
		must(t, err)
		if len(h.Stuck) != 1 || h.Stuck[0].Run != "large" {
			return nil
		}
		return fmt.Errorf("%s", h.Stuck[0].Why)
	})
	stop()
	stop = works(first)
	sends()
	stop()

	stop = works(next) // the file was edited, and the earlier one is not given to the worker
	lacks(first, shows)
	lacks(first, func() error {
		_, err := c.Send(ctx, "large", machine.ExternalEvent{Name: "Next", IfSeq: 99})
		return err
	})
	stop()
	stop = works(next, first)
	defer func() { stop() }()
	sends()
	if h, err := c.Health(ctx); err != nil || len(h.Stuck) != 0 {
		t.Errorf("with a worker that has it: %+v, %v", h, err)
	}
	moved := map[string]runtime.MigratedRun{}
	for range 100 { // the list is behind by a moment
		must(t, c.Migrate(ctx, next, runtime.MigrateOptions{Apply: true}, func(r runtime.MigratedRun) error {
			moved[r.Run] = r
			return nil
		}))
		if len(moved) > 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if r := moved["large"]; r.Why != "" || r.To == "" {
		t.Errorf("it does not move: %+v", moved)
	}
	for v, err := c.Show(ctx, "large"); v.State != "S3" && v.Status != machine.Finished; v, err = c.Show(ctx, "large") {
		must(t, err)
		sends()
	}
	if v := finished(t, c, "large"); v.State != "Done" || v.Definition != next.Hash() {
		t.Errorf("the run ends in %s by %s", v.State, v.Definition)
	}
	other, err := temporal.Dial(ctx, "temporal://"+s.Address+"/default?queue=large", client.Options{Logger: quiet{}})
	must(t, err)
	t.Cleanup(other.Temporal.Close)
	other.Patience = time.Minute
	steps, err := other.History(ctx, "large", 0, 100)
	if kinds := kindsOf(steps); err != nil || kinds != "start event event migrate event result " {
		t.Errorf("the history is %s, %v", kinds, err)
	}
	if r, err := other.Replay(ctx, "large"); err != nil || r.Executions != 2 || r.Steps != len(steps) {
		t.Errorf("the replay gives %+v, %v", r, err)
	}
}

func kindsOf(steps []machine.StepView) (kinds string) {
	for _, step := range steps {
		kinds += fmt.Sprint(step.Kind, " ")
	}
	return kinds
}
