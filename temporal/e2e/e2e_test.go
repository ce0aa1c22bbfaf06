package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/server/temporaltest"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/temporal"
)

const source = `machine Order(item string) {
	context { n int = 0 }
	event Approve { by string }
	event Worked { n int }
	event Shipped { item string, n int }
	activity work(item string) -> Worked
	initial Waiting
	on failed -> Failed
	state Waiting {
		on Approve -> Working
	}
	state Working {
		do work(item) timeout 2m
		on Worked -> Packing { n = event.n }
	}
	state Packing {
		after 50ms -> Done
	}
	terminal Done success {
		publish Shipped { item = item, n = n }
	}
	terminal Failed failure
}
`

var order = compiled(source)

func compiled(source string) *machine.Machine {
	machines, err := tabletest.Compile(source)
	if err != nil {
		panic(err)
	}
	return machines[len(machines)-1]
}

// server is one for all tests; it starts when the first asks for it.
var server = sync.OnceValue(func() *temporaltest.TestServer {
	return temporaltest.NewServer(temporaltest.WithBaseClientOptions(client.Options{Logger: quiet{}}))
})

// quiet drops what Temporal says.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

func dial(t testing.TB, queue string) *temporal.Client {
	t.Helper()
	address := fmt.Sprintf("temporal://%s/%s?queue=%s", server().GetFrontendHostPort(), server().GetDefaultNamespace(), queue)
	c, err := temporal.Dial(t.Context(), address, client.Options{Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	c.Patience = time.Minute // this computer may be busy
	t.Cleanup(c.Temporal.Close)
	return c
}

// effects are what the activities and the outbox have done, by key.
type effects struct {
	mu   sync.Mutex
	seen map[string]int
}

func (e *effects) add(key string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.seen == nil {
		e.seen = map[string]int{}
	}
	e.seen[key]++
}

func (e *effects) handlers() runtime.Handlers {
	return runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		e.add(a.Key)
		return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n":7}`)}, nil
	}}}
}

func (e *effects) deliver(_ context.Context, m *runtime.Message) error {
	e.add(fmt.Sprintf("%s %s %s", m.ID, m.Event, m.Data))
	return nil
}

// serve runs a worker for the machine until the test ends.
func serve(t testing.TB, c *temporal.Client, m *machine.Machine, h runtime.Handlers, outbox runtime.OutboxFunc) {
	t.Helper()
	w := worker.New(c.Temporal, c.TaskQueue, temporal.Options())
	if err := temporal.Register(w, temporal.Worker{Name: "worker", Machine: m, Handlers: h, Outbox: outbox, Client: c.Temporal}); err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
}

// finished waits until a run has ended.
func finished(t testing.TB, c *temporal.Client, run string) machine.View {
	t.Helper()
	return until(t, c, run, "over", func(v machine.View) bool { return v.Status == machine.Finished })
}

// passing is what differs between two plays of one tape at two times: keys are made of the start, too.
var passing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z|"(took|held)": "[^"]*"|@[0-9a-z]+`)

func history(t testing.TB, steps []machine.StepView, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.MarshalIndent(steps, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return passing.ReplaceAllString(string(encoded), "T")
}

// TestEqual: a run on a server makes the records that it makes in memory, and the same message.
func TestEqual(t *testing.T) {
	params := json.RawMessage(`{"item":"book"}`)
	event := machine.ExternalEvent{Name: "Approve", ID: "a-1", Data: json.RawMessage(`{"by":"ada"}`)}

	var there effects
	c := dial(t, t.Name())
	serve(t, c, order, there.handlers(), there.deliver)
	if err := c.Start(t.Context(), order, "order-1", params); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), "order-1", event); err != nil {
		t.Fatal(err)
	}
	again, err := c.Send(t.Context(), "order-1", event)
	if err != nil || again.State != "Working" {
		t.Errorf("sent again, the event gives %q, %v", again.State, err)
	}
	if v := finished(t, c, "order-1"); v.State != "Done" {
		t.Errorf("the run ends in %q", v.State)
	}
	if err := c.Temporal.GetWorkflow(t.Context(), "order-1", "").Get(t.Context(), nil); err != nil {
		t.Error(err)
	}
	steps, err := c.History(t.Context(), "order-1", 0, 100)
	got := history(t, steps, err)

	var here effects
	engine := runtime.NewEngine(memstore.New(), runtime.WithWorker("worker"), runtime.WithOutbox(here.deliver))
	if err := engine.Register(order, source, here.handlers()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	if _, err := engine.Start(ctx, "Order", "order-1", params); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Send(ctx, "order-1", event); err != nil {
		t.Fatal(err)
	}
	for {
		v, err := engine.Get(ctx, "order-1")
		if err != nil {
			t.Fatal(err)
		}
		if v.Status == machine.Finished {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := engine.WaitDelivered(ctx); err != nil {
		t.Fatal(err)
	}
	steps, err = engine.History(ctx, "order-1", 0, 100)
	want := history(t, steps, err)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(steps) < 4 || got != want {
		t.Errorf("on the server:\n%s\nin memory:\n%s", got, want)
	}
	if g, w := passing.ReplaceAllString(fmt.Sprint(there.seen), "T"), passing.ReplaceAllString(fmt.Sprint(here.seen), "T"); g != w || len(here.seen) != 2 {
		t.Errorf("effects on the server %s, in memory %s", g, w)
	}
}

// TestRefused: refusals have the type and the words of the other engines.
func TestRefused(t *testing.T) {
	var e effects
	c := dial(t, t.Name())
	serve(t, c, order, e.handlers(), e.deliver)
	engine := runtime.NewEngine(memstore.New())
	if err := engine.Register(order, source, e.handlers()); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	start := func(id, params string) [2]error {
		_, err := engine.Start(ctx, "Order", id, json.RawMessage(params))
		return [2]error{c.Start(ctx, order, id, json.RawMessage(params)), err}
	}
	send := func(event machine.ExternalEvent) [2]error {
		_, here := engine.Send(ctx, "r", event)
		_, there := c.Send(ctx, "r", event)
		return [2]error{there, here}
	}
	approve := machine.ExternalEvent{Name: "Approve", ID: "1", Data: json.RawMessage(`{"by":"ada"}`)}
	other := approve
	other.Data = json.RawMessage(`{"by":"bob"}`)
	same(t, "parameters", start("r", `{"item":1}`))
	if _, err := c.Show(ctx, "r"); !errors.Is(err, runtime.ErrNotFound) {
		t.Errorf("refused parameters have started a run: %v", err)
	}
	same(t, "nothing", start("r", `{"item":"book"}`))
	same(t, "taken", start("r", `{"item":"book"}`))
	same(t, "no such event", send(machine.ExternalEvent{Name: "Nonsense"}))
	same(t, "no payload", send(machine.ExternalEvent{Name: "Approve"}))
	same(t, "null", send(machine.ExternalEvent{Name: "Approve", Data: json.RawMessage(" null")}))
	same(t, "null without an id", send(machine.ExternalEvent{Name: "Nonsense", Data: json.RawMessage("null")}))
	same(t, "payload", send(machine.ExternalEvent{Name: "Approve", Data: json.RawMessage(`{"by":1}`)}))
	same(t, "no JSON", send(machine.ExternalEvent{Name: "Approve", Data: json.RawMessage(`{"by":`)}))
	same(t, "not of that state", send(machine.ExternalEvent{Name: "Worked", Data: json.RawMessage(`{"n":1}`)}))
	same(t, "another step", send(machine.ExternalEvent{Name: "Approve", IfSeq: 9, Data: approve.Data}))
	_, here := engine.Resume(ctx, "r", machine.Operator{})
	_, there := c.Resume(ctx, "r", machine.Operator{})
	same(t, "nothing", [2]error{there, here})

	_, here = engine.Pause(ctx, "r", machine.Operator{Actor: "op"}) // so that the event does not go on by itself
	_, there = c.Pause(ctx, "r", machine.Operator{Actor: "op"})
	same(t, "nothing", [2]error{there, here})
	same(t, "nothing", send(approve))
	same(t, "nothing", send(approve))
	same(t, "other data", send(other))
	_, here = engine.Cancel(ctx, "r", runtime.CancelOptions{})
	_, there = c.Cancel(ctx, "r", runtime.CancelOptions{})
	same(t, "nothing", [2]error{there, here})
	same(t, "after the end", send(machine.ExternalEvent{Name: "Approve", Data: approve.Data}))
	same(t, "nothing", send(approve)) // it was taken before
	same(t, "other data", send(other))
	_, here = engine.Cancel(ctx, "r", runtime.CancelOptions{})
	_, there = c.Cancel(ctx, "r", runtime.CancelOptions{})
	same(t, "nothing", [2]error{there, here})
	if len(e.seen) != 0 {
		t.Errorf("a paused run has worked: %v", e.seen)
	}
	rows := []temporal.Row{}
	for range 100 {
		var err error
		if rows, err = c.List(ctx, 1000); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Run == "r" && row.Status != "running" && !row.Ended.IsZero() {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("the list has no run that has ended: %v", rows)
}

// same: an error there and here, or none at both.
func same(t *testing.T, about string, err [2]error) {
	t.Helper()
	var there, here *machine.Rejected
	switch {
	case about == "nothing":
		if err[0] != nil || err[1] != nil {
			t.Errorf("on the server %v, in memory %v", err[0], err[1])
		}
	case err[0] == nil || err[1] == nil || err[0].Error() != err[1].Error():
		t.Errorf("%s: on the server %v, in memory %v", about, err[0], err[1])
	case errors.As(err[1], &here) != errors.As(err[0], &there):
		t.Errorf("%s: on the server %T, in memory %T", about, err[0], err[1])
	case here != nil && fmt.Sprint(here.Err) != fmt.Sprint(there.Err):
		t.Errorf("%s: behind it is on the server %v, in memory %v", about, there.Err, here.Err)
	}
}

// TestNotThere: what is missing is named, with what to do.
func TestNotThere(t *testing.T) {
	ctx := t.Context()
	says := func(about string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v", about, err)
		}
	}
	quietly := client.Options{Logger: quiet{}}
	_, err := temporal.Dial(ctx, "temporal://", quietly)
	says("no address", err, "temporal://HOST:PORT/NAMESPACE")
	_, err = temporal.Dial(ctx, "temporal://127.0.0.1:1", quietly)
	says("a wrong address", err, "no Temporal server answers at 127.0.0.1:1: start it, or correct the address")
	_, err = temporal.Dial(ctx, "temporal://"+server().GetFrontendHostPort()+"/nowhere", quietly)
	says("a wrong namespace", err, `no namespace "nowhere": create it`)
	_, err = temporal.Dial(ctx, "temporal://"+server().GetFrontendHostPort()+"/?queu=orders", quietly)
	says("a misspelt task queue", err, `no "queu"`)
	c := dial(t, t.Name())
	c.Patience = 2 * time.Second
	_, err = c.Send(ctx, "nobody", machine.ExternalEvent{Name: "Approve"})
	if !errors.Is(err, runtime.ErrNotFound) {
		t.Errorf("no run gives %v", err)
	}
	if err := c.Start(ctx, order, "alone", json.RawMessage(`{"item":"book"}`)); err != nil {
		t.Fatal(err)
	}
	_, err = c.Send(ctx, "alone", machine.ExternalEvent{Name: "Approve", Data: json.RawMessage(`{"by":"ada"}`)})
	says("a send without a worker", err, "start a worker on its task queue; it may take then what was asked for")
	_, err = c.Show(ctx, "alone")
	says("a look without a worker", err, "start a worker on its task queue")
	if err := c.Start(ctx, order, "never", json.RawMessage(`{"item":"book"}`)); err != nil {
		t.Fatal(err)
	}
	if err := c.Temporal.TerminateWorkflow(ctx, "never", "", "a test"); err != nil {
		t.Fatal(err)
	}
	_, err = c.Show(ctx, "never")
	says("a run that was terminated before a worker had it", err, `run "never" has not begun`)
	var e effects
	serve(t, c, order, e.handlers(), e.deliver)
	c.Patience = time.Minute
	if v := finished(t, c, "alone"); v.State != "Done" { // the event was kept for the worker
		t.Errorf("the run ends in %q", v.State)
	}
}

func TestMain(m *testing.M) {
	if queue := os.Getenv("FSMC_E2E_QUEUE"); queue != "" {
		child(queue)
		return
	}
	if of := os.Getenv("FSMC_E2E_SERVER"); of != "" {
		file, port, _ := strings.Cut(of, " ")
		at, _ := strconv.Atoi(port)
		serverOf(file, at)
		return
	}
	os.Exit(m.Run())
}
