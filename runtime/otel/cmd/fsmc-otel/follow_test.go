package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/otel"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// observer tells what it records.
func observer(t *testing.T) (runtime.Observer, *tracetest.SpanRecorder) {
	t.Helper()
	said := tracetest.NewSpanRecorder()
	o, err := otel.Observer(sdk.NewTracerProvider(sdk.WithIDGenerator(otel.IDs()), sdk.WithSpanProcessor(said)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return o, said
}

// lines are spans with their events. The ids of attempts are other ones here, since history does
// not know their claims.
func lines(said *tracetest.SpanRecorder) (all []string) {
	for _, s := range said.Ended() {
		id := s.SpanContext().SpanID().String()
		if strings.HasPrefix(s.Name(), "attempt") {
			id = "-"
		}
		line := fmt.Sprintf("%s %s %s below %s", s.SpanContext().TraceID(), id, s.Name(), s.Parent().SpanID())
		for _, e := range s.Events() {
			line += fmt.Sprintf(" %s %v", e.Name, e.Attributes)
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

// played is a database in which runs have been played, and what an observer of that was told.
func played(t *testing.T, runs int) (path string, said *tracetest.SpanRecorder) {
	t.Helper()
	m := machinetest.Build(t, machinetest.WithEvent("Go", ""), machinetest.WithEvent("Found", ""), machinetest.WithEvent("Ping", ""),
		machinetest.WithActivity("find", "", "Found", "flaky"),
		machinetest.WithState("Idle", machinetest.On("Go", machinetest.GoTo("Finding")), machinetest.On("Ping", machinetest.Stay())),
		machinetest.WithState("Finding", machinetest.Doing("find", nil), machinetest.On("Found", machinetest.GoTo("Done")), machinetest.On("failed", machinetest.GoTo("Idle"))),
		machinetest.WithTerminal("Done", machine.Success))
	path = filepath.Join(t.TempDir(), "runs.db")
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	o, said := observer(t)
	var mu sync.Mutex
	failed := map[string]bool{}
	e := runtime.NewEngine(store, runtime.WithObserver(o))
	err = e.Register(m, "", runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"find": func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		result := runtime.Result{Event: "Found"}
		if !failed[a.Run] {
			failed[a.Run] = true
			return result, runtime.Fail("flaky", "no luck")
		}
		return result, nil
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		id := fmt.Sprintf("r%d", i)
		if _, err := e.Start(t.Context(), "M", id, nil); err != nil {
			t.Fatal(err)
		}
		for _, event := range []string{"Ping", "Go", "Go"} {
			if _, err := e.Send(t.Context(), id, runtime.ExternalEvent{Name: event}); err != nil {
				t.Fatal(err)
			}
			if _, err := e.RunUntilIdle(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	}
	return path, said
}

func followerOf(t *testing.T, path string, o runtime.Observer) *follower {
	t.Helper()
	store, err := open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return &follower{engine: runtime.NewEngine(store), traces: o, figures: o, log: t.Errorf,
		sent: func(context.Context) error { return nil }, keep: func(int64) error { return nil }}
}

// none is told for nothing.
type none struct{}

func (none) OnStep(runtime.StepInfo)       {}
func (none) OnAttempt(runtime.AttemptInfo) {}

// TestSameSpans: who reads history tells what who has seen it tells.
func TestSameSpans(t *testing.T) {
	path, seen := played(t, 3)
	o, read := observer(t)
	f := followerOf(t, path, o)
	f.figures = none{}
	if _, err := f.catchUp(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if got, want := lines(read), lines(seen); !slices.Equal(got, want) || len(want) != 3*8 {
		t.Errorf("%d spans\n%s\nwant %d\n%s", len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
	}
}

// counter counts steps.
type counter struct {
	none
	steps int
}

func (c *counter) OnStep(runtime.StepInfo) { c.steps++ }

// TestSentAgain: what could not be sent is told again, and counted once.
func TestSentAgain(t *testing.T) {
	path, _ := played(t, 100) // more than a page
	traced, counted := &counter{}, &counter{}
	f := followerOf(t, path, traced)
	f.figures = counted
	var kept []int64
	f.keep = func(position int64) error { kept = append(kept, position); return nil }
	tries := 0
	f.sent = func(context.Context) error {
		if tries++; tries == 2 {
			return errors.New("no one listens")
		}
		return nil
	}
	position, err := f.catchUp(t.Context(), 0)
	if err == nil || position != kept[0] {
		t.Fatalf("position %d, kept %v, %v", position, kept, err)
	}
	if position, err = f.catchUp(t.Context(), position); err != nil || position != kept[len(kept)-1] {
		t.Fatal(position, kept, err)
	}
	if counted.steps != 600 || traced.steps != 700 {
		t.Errorf("%d counted, %d traced", counted.steps, traced.steps)
	}
}

// TestRun sends to a collector, and continues where it was.
func TestRun(t *testing.T) {
	path, _ := played(t, 1)
	var mu sync.Mutex
	got := map[string]int{}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got[r.URL.Path]++
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	position := filepath.Join(t.TempDir(), "position")
	var errs bytes.Buffer
	once := []string{"-db", path, "-position", position, "-since", "1h", "-until-now"}
	if err := run(t.Context(), once, &errs); err != nil || got["/v1/traces"] != 1 || got["/v1/metrics"] == 0 {
		t.Fatalf("%v, %v, %s", err, got, errs.String())
	}
	if err := run(t.Context(), once, &errs); err != nil || got["/v1/traces"] != 1 {
		t.Errorf("%v, %v, %s", err, got, errs.String())
	}
	if err := os.WriteFile(position, []byte("1000000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{once, "a position beyond the end of the database"},
		{[]string{"-db", path + "x"}, "there is no database"},
		{[]string{}, "--db FILE is missing"},
		{[]string{"-db", path, "x"}, `"x" is no flag`},
	} {
		if err := run(t.Context(), c.args, &errs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}

// TestFollow tells of what comes while it looks, and ends when it is told to.
func TestFollow(t *testing.T) {
	path, _ := played(t, 1)
	ctx, stop := context.WithCancel(t.Context())
	f := followerOf(t, path, none{})
	f.keep = func(int64) error { stop(); return nil }
	if err := f.follow(ctx, 0, time.Hour); err != nil {
		t.Error(err)
	}
}
