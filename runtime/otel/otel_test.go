package otel_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/otel"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// job is a machine that waits for Go, and then does one activity after the other; what fails
// is tried again.
func job(t testing.TB) *machine.Machine {
	t.Helper()
	return machinetest.Build(t, machinetest.WithEvent("Go", ""), machinetest.WithEvent("Found", ""), machinetest.WithEvent("Sent", ""), machinetest.WithEvent("Ping", ""),
		machinetest.WithActivity("find", "", "Found", "flaky"), machinetest.WithActivity("send", "", "Sent", "flaky"),
		machinetest.WithState("Idle", machinetest.On("Go", machinetest.GoTo("Finding"))),
		machinetest.WithState("Finding", machinetest.Doing("find", nil), machinetest.On("Found", machinetest.GoTo("Sending")), machinetest.On("failed", machinetest.GoTo("Broken"))),
		machinetest.WithState("Sending", machinetest.Doing("send", nil), machinetest.On("Sent", machinetest.GoTo("Done")), machinetest.On("failed", machinetest.GoTo("Broken"))),
		machinetest.WithTerminal("Done", machine.Success), machinetest.WithTerminal("Broken", machine.Failed))
}

// span is what the tests read of a span, which processes tell each other.
type span struct {
	Trace, ID, Parent, Name, Status string
	Links                           []string
	Events                          []string
	Start, End                      time.Time
}

func spanOf(s sdk.ReadOnlySpan) span {
	read := span{Trace: s.SpanContext().TraceID().String(), ID: s.SpanContext().SpanID().String(), Name: s.Name(), Start: s.StartTime(), End: s.EndTime()}
	if s.Parent().SpanID().IsValid() {
		read.Parent = s.Parent().SpanID().String()
	}
	if s.Status().Code == codes.Error {
		read.Status = s.Status().Description
	}
	for _, l := range s.Links() {
		read.Links = append(read.Links, l.SpanContext.TraceID().String()+"/"+l.SpanContext.SpanID().String())
	}
	for _, e := range s.Events() {
		text := e.Name
		for _, a := range e.Attributes[:3] {
			text += " " + string(a.Key) + "=" + a.Value.String()
		}
		read.Events = append(read.Events, text)
	}
	return read
}

// teller writes each span at once, so that it is not lost with the process.
type teller struct {
	to   *os.File
	told atomic.Int32
}

func (*teller) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (*teller) Shutdown(context.Context) error             { return nil }
func (*teller) ForceFlush(context.Context) error           { return nil }

func (t *teller) OnEnd(s sdk.ReadOnlySpan) {
	_ = json.NewEncoder(t.to).Encode(spanOf(s))
	t.told.Add(1)
}

// engine works on runs of job, and tells a processor of spans.
func engine(t testing.TB, store runtime.Store, told sdk.SpanProcessor, find, send runtime.ActivityFunc, opts ...otel.Option) *runtime.Engine {
	t.Helper()
	provider := sdk.NewTracerProvider(sdk.WithIDGenerator(otel.IDs()), sdk.WithSpanProcessor(told))
	o, err := otel.Observer(provider, nil, opts...)
	must(t, err)
	e := runtime.NewEngine(store, runtime.WithObserver(o), runtime.WithLease(time.Second))
	must(t, e.Register(job(t), "", runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"find": find, "send": send}}))
	return e
}

func begin(t testing.TB, e *runtime.Engine) {
	t.Helper()
	if _, err := e.Start(t.Context(), "M", "r", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Send(t.Context(), "r", runtime.ExternalEvent{Name: "Go"}); err != nil {
		t.Fatal(err)
	}
}

func found(context.Context, *runtime.Attempt) (runtime.Result, error) {
	return runtime.Result{Event: "Found"}, nil
}

func sent(context.Context, *runtime.Attempt) (runtime.Result, error) {
	return runtime.Result{Event: "Sent"}, nil
}

// finish works on the run to its end.
func finish(t testing.TB, e *runtime.Engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if v, err := e.RunUntilDone(ctx, "r"); err != nil || v.State != "Done" {
		t.Fatalf("%+v, %v", v, err)
	}
}

// tree writes spans as a tree, and fails where they are none.
func tree(t *testing.T, spans []span) string {
	t.Helper()
	below, ids := map[string][]span{}, map[string]bool{}
	for _, s := range spans {
		if ids[s.ID] {
			t.Errorf("two spans have the id of %q", s.Name)
		}
		ids[s.ID] = true
		below[s.Parent] = append(below[s.Parent], s)
		if s.Trace != spans[0].Trace {
			t.Errorf("%q is of another trace", s.Name)
		}
		if s.End.Before(s.Start) {
			t.Errorf("%q ends before it begins", s.Name)
		}
	}
	var out strings.Builder
	var write func(id, indent string) int
	write = func(id, indent string) (n int) {
		for _, s := range below[id] {
			fmt.Fprintf(&out, "%s%s", indent, s.Name)
			if s.Status != "" {
				fmt.Fprintf(&out, " (%s)", s.Status)
			}
			fmt.Fprintln(&out)
			n += 1 + write(s.ID, indent+"  ")
		}
		return n
	}
	if n := write("", ""); n != len(spans) {
		t.Errorf("%d of %d spans are in the tree", n, len(spans))
	}
	return out.String()
}

// sorted are spans in the order in which they began.
func sorted(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.Name, b.Name))
	})
	return spans
}

// TestCrash has a process killed in an activity, and another one go on: what both write is one
// tree.
func TestCrash(t *testing.T) {
	db := os.Getenv("FSMC_OTEL_TEST_DB")
	if db != "" {
		crash(t, db)
		return
	}
	db = filepath.Join(t.TempDir(), "runs.db")
	cmd := exec.Command(os.Args[0], "-test.run", "^TestCrash$")
	cmd.Env = append(os.Environ(), "FSMC_OTEL_TEST_DB="+db)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		t.Fatalf("it was not killed: %s", out)
	}
	var spans []span
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var s span
		if json.Unmarshal(lines.Bytes(), &s) == nil {
			spans = append(spans, s)
		}
	}
	before := len(spans)
	store, err := sqlite.Open(t.Context(), db)
	must(t, err)
	defer store.Close()
	said := tracetest.NewSpanRecorder()
	finish(t, engine(t, store, said, found, sent))
	for _, s := range said.Ended() {
		spans = append(spans, spanOf(s))
	}
	const want = `run M
  state Idle
  state Finding
    attempt find
  state Sending
    attempt send (its lease ran out)
    step lost
    attempt send
`
	if got := tree(t, sorted(spans)); got != want || before != 4 {
		t.Errorf("%d spans before the crash, in all\n%s", before, got)
	}
}

// crash is the process that is killed.
func crash(t *testing.T, db string) {
	store, err := sqlite.Open(t.Context(), db)
	must(t, err)
	said := &teller{to: os.Stdout}
	e := engine(t, store, said, found, func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		for said.told.Load() < 4 { // the observer is told of what came before beside it
			time.Sleep(time.Millisecond)
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		return runtime.Result{}, err
	})
	begin(t, e)
	finish(t, e)
}

// TestEvents: each step is an event of the state that it leaves.
func TestEvents(t *testing.T) {
	said := tracetest.NewSpanRecorder()
	e := engine(t, memstore.New(), said, found, sent)
	begin(t, e)
	finish(t, e)
	var events []string
	for _, s := range said.Ended() {
		events = append(events, spanOf(s).Events...)
	}
	want := []string{
		"agent.state.transition from= to=Idle trigger=INTERNAL", "agent.state.transition from=Idle to=Finding trigger=Go",
		"agent.state.transition from=Finding to=Sending trigger=Found", "agent.state.transition from=Sending to=Done trigger=Sent",
	}
	if !slices.Equal(events, want) {
		t.Errorf("%q", events)
	}
}

// TestLinked: each visit is a trace, which is linked with that of the run, and what an activity does is
// below its attempt.
func TestLinked(t *testing.T) {
	for _, linked := range []bool{false, true} {
		said := tracetest.NewSpanRecorder()
		var opts []otel.Option
		if linked {
			opts = append(opts, otel.Linked())
		}
		var parent string
		e := engine(t, memstore.New(), said, func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
			parent = a.TraceParent
			return found(ctx, a)
		}, sent, opts...)
		begin(t, e)
		finish(t, e)
		traces, links := map[string]bool{}, 0
		for _, s := range said.Ended() {
			read := spanOf(s)
			traces[read.Trace] = true
			links += len(read.Links)
			if read.Name == "attempt find" && parent != "00-"+read.Trace+"-"+read.ID+"-01" {
				t.Errorf("linked %t: %s is not the parent of %+v", linked, parent, read)
			}
		}
		if linked && (len(traces) != 4 || links != 3) || !linked && (len(traces) != 1 || links != 0) {
			t.Errorf("linked %t: %d traces, %d links", linked, len(traces), links)
		}
	}
}

// TestFigures counts what is done, and no run is a label.
func TestFigures(t *testing.T) {
	reader := metric.NewManualReader()
	o, err := otel.Observer(nil, metric.NewMeterProvider(metric.WithReader(reader)))
	must(t, err)
	o.OnStep(runtime.StepInfo{Run: "r", Machine: "M", Visit: 2, From: "A", To: "B", Input: "Found", Event: "Found", Effect: machine.Moved, Held: 2 * time.Second,
		Costs: []machine.CostView{{Name: "tokens", Spent: "12"}}})
	o.OnStep(runtime.StepInfo{Run: "r", Machine: "M", Visit: 2, From: "B", To: "B", Input: "failed(flaky)", Effect: machine.Retried})
	o.OnAttempt(runtime.AttemptInfo{Run: "r", Machine: "M", Activity: "find", End: runtime.AttemptResult, Duration: time.Second})
	var all metricdata.ResourceMetrics
	must(t, reader.Collect(t.Context(), &all))
	text, err := json.Marshal(all.ScopeMetrics)
	must(t, err)
	for _, want := range []string{"fsmc.steps", "fsmc.retries", "fsmc.state.duration", "fsmc.attempt.duration", "fsmc.cost", `"Value":12`, `"Sum":2`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("there is no %s in %s", want, text)
		}
	}
	if strings.Contains(string(text), `"Value":"r"`) {
		t.Error("a run is a label")
	}
}

// TestIDsOfOthers: spans that are none of ours have ids, too.
func TestIDsOfOthers(t *testing.T) {
	provider := sdk.NewTracerProvider(sdk.WithIDGenerator(otel.IDs()))
	ids := map[trace.SpanID]bool{}
	ctx, root := provider.Tracer("x").Start(t.Context(), "root")
	for _, s := range []trace.Span{root, second(provider.Tracer("x").Start(ctx, "child")), second(provider.Tracer("x").Start(t.Context(), "other"))} {
		if c := s.SpanContext(); !c.IsValid() || ids[c.SpanID()] {
			t.Errorf("%+v", c)
		}
		ids[s.SpanContext().SpanID()] = true
	}
}

func second(_ context.Context, s trace.Span) trace.Span { return s }
