//go:build unix

package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

const (
	foundLate  = `"event":"Found","data":{"n":1}`
	fiveTokens = `"cost":{"tokens":5}`
)

// TestAnswerAfterTheStop is about what comes from an attempt that was told to
// stop: a line of history where it was cancelled, and its cost in any case.
func TestAnswerAfterTheStop(t *testing.T) {
	for name, c := range map[string]struct {
		answer string // the members of its object; "-" where there is none
		exit   int
		late   string // the line of history of an executable that was cancelled
		worker string // that of a worker; "" where it is the same
		spent  string
	}{
		"a result":            {answer: foundLate + "," + fiveTokens, late: "late Found", spent: "5"},
		"a result for free":   {answer: foundLate, late: "late Found"},
		"only its cost":       {answer: fiveTokens, late: "late ended", spent: "5"},
		"nothing to say":      {answer: "", late: "late ended", worker: "-"},
		"a failure":           {answer: `"failed":"auth",` + fiveTokens, late: "late failed(auth)", spent: "5"},
		"a failure for free":  {answer: `"failed":"auth"`},
		"declined":            {answer: `"declined":"busy"`},
		"declined at a cost":  {answer: `"declined":"busy",` + fiveTokens, late: "late failed(unknown)", spent: "5"},
		"no answer":           {answer: `"evnt":"Found",` + fiveTokens},
		"not a word":          {answer: "-"},
		"another exit status": {answer: foundLate + "," + fiveTokens, exit: 3},
	} {
		for _, worker := range []bool{false, true} {
			if worker && (c.answer == "-" || c.exit != 0) {
				continue
			}
			for _, cancelled := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, worker %t, cancelled %t", name, worker, cancelled), func(t *testing.T) {
					t.Parallel()
					began := filepath.Join(t.TempDir(), "began")
					m := limited(t)
					var h runtime.Handlers
					if worker {
						members := c.answer
						if members != "" {
							members = "," + members
						}
						h = pool(t, 1, each(fmt.Sprintf(`case $line in
							*'"guard"'*) echo "{\"id\":$id,\"verdict\":true}";;
							*'"cancel"'*) printf '{"id":%%s%%s}\n' "$id" '%s';;
							*) : > %s;;
						esac`, members, began))).Handlers(m)
					} else {
						say := "echo '{" + c.answer + "}'"
						if c.answer == "-" {
							say = ":"
						}
						h = stopped(t, m, say, c.exit, began)
					}
					steps, v := stop(t, h, m, began, cancelled)
					last := steps[len(steps)-1]
					late := c.late
					if worker && c.worker != "" {
						late = strings.Trim(c.worker, "-")
					}
					switch {
					case !cancelled:
						if last.Input != "failed(timeout)" || last.Message != "no result within 1s" {
							t.Errorf("got %s: %s", last.Input, last.Message)
						}
					case v.Outcome != runtime.Cancelled:
						t.Errorf("got %+v", v)
					case late == "":
						if last.Kind == machine.LateInput {
							t.Errorf("got %q", last.Input)
						}
					case last.Input != late:
						t.Errorf("got %q, want %q", last.Input, late)
					}
					if got := spent(v.Costs); got != c.spent {
						t.Errorf("the run has spent %q, want %q", got, c.spent)
					}
					if got := spent(last.Costs); got != c.spent {
						t.Errorf("the line of history has %q, want %q", got, c.spent)
					}
				})
			}
		}
	}
}

// TestAnswerAfterALostCheckpoint: no result counts whose checkpoint could not be
// stored, but its cost does.
func TestAnswerAfterALostCheckpoint(t *testing.T) {
	dir := folder(t, map[string]string{"work": `trap 'echo "{\"event\":\"Found\",\"data\":{\"n\":1},\"cost\":{\"tokens\":5}}"; exit 0' TERM
		printf '{"progress":"'; head -c 1048600 /dev/zero | tr '\0' x; echo '"}'
		while :; do sleep 0.05; done`})
	v := play(t, dir, compile(t))
	if got := endOf(t, v); got.Category != "unknown" || !strings.Contains(got.Message, "its checkpoint was not stored") {
		t.Errorf("failed(%s): %.200s", got.Category, got.Message)
	}
	if got := spent(v.Costs); got != "5" {
		t.Errorf("it has spent %q", got)
	}
}

// stopped is a machine's executables, where `work` does say when it gets SIGTERM.
func stopped(t *testing.T, m *runtime.Machine, say string, exit int, began string) runtime.Handlers {
	t.Helper()
	dir := folder(t, map[string]string{"work": fmt.Sprintf(`
		stop() { %s; exit %d; }
		trap stop TERM
		: > %s
		while :; do sleep 0.05; done`, say, exit, began)})
	h, err := Load(dir, m)
	must(t, err)
	return h
}

// timeLimit is how long the activity of a limited machine may take.
const timeLimit = time.Second

func limited(t testing.TB) *runtime.Machine {
	t.Helper()
	return compile(t, func(d *machine.Do) { n := int64(timeLimit); d.Timeout = &n })
}

// stop begins a run of a limited machine, waits for the file by which its activity
// says that it has begun, then cancels the run or lets the activity run out of time,
// and gives the run's history. The clock stands still until then: how long a process
// takes to begin is not known.
func stop(t *testing.T, h runtime.Handlers, m *runtime.Machine, began string, cancelled bool) ([]runtime.StepView, runtime.View) {
	t.Helper()
	clock := runtime.NewManualClock(time.Now())
	e := begun(t, h, m, runtime.WithClock(clock))
	ctx, end := context.WithTimeout(t.Context(), hangs)
	defer end()
	over := make(chan error, 1)
	go func() {
		_, err := e.RunUntilIdle(ctx, "r")
		over <- err
	}()
	for _, err := os.Stat(began); err != nil; _, err = os.Stat(began) {
		if ctx.Err() != nil {
			t.Fatal("it does not begin")
		}
		time.Sleep(time.Millisecond)
	}
	if !cancelled {
		clock.Advance(timeLimit)
	} else if _, err := e.Cancel(ctx, "r", runtime.CancelOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-over:
		must(t, err)
	case <-ctx.Done(): // the engine's own patience does not end by this clock
		t.Fatal("it does not end")
	}
	steps, err := e.History(ctx, "r", 0, 10)
	must(t, err)
	v, err := e.Get(ctx, "r")
	must(t, err)
	return steps, v
}

// spent is the amount of the only cost there is.
func spent(costs []machine.CostView) string {
	if len(costs) == 0 {
		return ""
	}
	return costs[0].Spent
}
