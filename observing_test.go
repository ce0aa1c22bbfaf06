package fsmc_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// The code of docs/observing.md, as it stands there.

func logging(store runtime.Store, logger *slog.Logger) *runtime.Engine {
	return runtime.NewEngine(store,
		runtime.WithLogger(logger),
		runtime.WithObserver(runtime.LogObserver(logger)))
}

// metrics counts steps and attempts, and prints them in the text format of Prometheus.
type metrics struct {
	mu      sync.Mutex
	counts  map[string]int
	seconds map[string]float64
}

func (m *metrics) OnStep(s runtime.StepInfo) {
	m.add(fmt.Sprintf("steps_total{machine=%q,to=%q,effect=%q}", s.Machine, s.To, s.Effect), "", 0)
}

func (m *metrics) OnAttempt(a runtime.AttemptInfo) {
	labels := fmt.Sprintf("{machine=%q,activity=%q,end=%q}", a.Machine, a.Activity, a.End)
	m.add("attempts_total"+labels, "attempt_seconds_total"+labels, a.Duration.Seconds())
}

func (m *metrics) add(count, sum string, seconds float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[count]++
	if sum != "" {
		m.seconds[sum] += seconds
	}
}

func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, n := range m.counts {
		fmt.Fprintf(w, "fsmc_%s %d\n", name, n)
	}
	for name, s := range m.seconds {
		fmt.Fprintf(w, "fsmc_%s %g\n", name, s)
	}
}

func measuring(store runtime.Store) *runtime.Engine {
	m := &metrics{counts: map[string]int{}, seconds: map[string]float64{}}
	http.Handle("/metrics", m)
	return runtime.NewEngine(store, runtime.WithObserver(m))
}

// server answers monitors and programs: GET /health, /health/workflows, /metrics and /api/v1.
func server(engine *runtime.Engine, address string) *http.Server {
	api := httpapi.New(engine)
	guard := &httpapi.Guard{Hosts: httpapi.HostsOf(address), User: "program"}
	server := httpapi.Server(guard.Wrap(api))
	server.Addr = address
	server.RegisterOnShutdown(api.Close)
	return server
}

// TestObserving runs the code of docs/observing.md, and holds the page to it.
func TestObserving(t *testing.T) {
	const text = "machine Door { event Open initial Shut state Shut { on Open -> Opened after 1h -> Opened } terminal Opened }"
	machine := tabletest.Machine(t, text)
	ctx := context.Background()
	play := func(engine *runtime.Engine, run string) {
		t.Helper()
		must(t, engine.Register(machine, text, runtime.Handlers{}))
		if _, err := engine.Start(ctx, "Door", run, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Send(ctx, run, runtime.ExternalEvent{Name: "Open"}); err != nil {
			t.Fatal(err)
		}
	}

	var log bytes.Buffer
	play(logging(memstore.New(), slog.New(slog.NewTextHandler(&log, nil))), "r1")
	if !strings.Contains(log.String(), "msg=step run=r1 machine=Door seq=2 from=Shut to=Opened") {
		t.Errorf("the log:\n%s", log.String())
	}

	engine := measuring(memstore.New())
	play(engine, "r2")
	get := func(h http.Handler, path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
		return answer
	}
	if got := get(http.DefaultServeMux, "/metrics").Body.String(); !strings.Contains(got, `fsmc_steps_total{machine="Door",to="Opened",effect="moved"} 1`) {
		t.Errorf("the metrics:\n%s", got)
	}
	answers := server(engine, "localhost:8080").Handler
	if got := get(answers, "http://localhost:8080/api/v1/runs/r2"); got.Code != 200 || !strings.Contains(got.Body.String(), `"state":"Opened"`) {
		t.Errorf("the run: %d %s", got.Code, got.Body)
	}
	if got := get(answers, "http://localhost:8080/api/v1/runs/r3"); got.Code != 404 {
		t.Errorf("a run that is not there: %d %s", got.Code, got.Body)
	}
	if got := get(answers, "http://localhost:8080/health/workflows"); got.Code != 200 || !strings.Contains(got.Body.String(), `"problems":[]`) {
		t.Errorf("the health: %d %s", got.Code, got.Body)
	}
	if got := get(answers, "http://elsewhere.example/health"); got.Code != http.StatusMisdirectedRequest {
		t.Errorf("a request for another server: %d %s", got.Code, got.Body)
	}

	source, err := os.ReadFile("observing_test.go")
	must(t, err)
	shown := 0
	for _, b := range blocksOf(t, "docs/observing.md") {
		if b.info != "go" {
			continue
		}
		shown++
		if !bytes.Contains(source, []byte(b.text)) {
			t.Errorf("%s: observing_test.go does not have\n%s", b.place, b.text)
		}
	}
	if shown < 3 {
		t.Errorf("the page shows %d pieces of code: the test sees nothing", shown)
	}
}
