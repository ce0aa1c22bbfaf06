package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// batch works on each part of a list, and counts.
func batch(t testing.TB, options []string, handlers ...Part) *machine.Machine {
	t.Helper()
	parts := append([]Part{
		Doing("work", []string{"each.item"}, append([]string{"for parts", "as w"}, options...)...),
		On("w.Found", Stay(Set("good", "good + 1"))),
		On("w.failed", Stay(Set("bad", "bad + 1"), Set("at", "event.index"))),
		On("done", GoTo("Done")),
	}, handlers...)
	return Build(t, WithParams("parts [0..1000]string"), WithFields("good int 0..1000 = 0, bad int 0..1000 = 0, at int = -1"),
		WithEvent("Found", "n int"), WithEvent("Stop", ""), WithActivity("work", "part string", "Found", "flaky"),
		WithState("Working", parts...),
		On("Stop", GoTo("Stopped")),
		WithTerminal("Done", machine.Success), WithTerminal("Stopped", machine.Success))
}

// listOf are the parameters of a batch of n parts.
func listOf(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("part-%04d", i)
	}
	text, _ := json.Marshal(map[string]any{"parts": parts})
	return string(text)
}

// gauge counts the attempts that run at the same time.
type gauge struct {
	mu        sync.Mutex
	now, most int
}

// second is an attempt that takes a second.
func (g *gauge) second(context.Context, *Attempt) (Result, error) {
	g.add(1)
	defer g.add(-1)
	time.Sleep(time.Second)
	return found, nil
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += n
	g.most = max(g.most, g.now)
}

// TestElementsAtOnce: as many as the limit says, and all at once without one.
func TestElementsAtOnce(t *testing.T) {
	for _, c := range []struct {
		options []string
		most    int
	}{{[]string{"limit 3"}, 3}, {nil, 10}, {[]string{"limit 99"}, 10}} {
		synctest.Test(t, func(t *testing.T) {
			var busy gauge
			w := work(t, memstore.New(), batch(t, c.options), busy.second, WithConcurrency(64))
			defer w.stop()
			start(t, w.Engine, "r", listOf(10))
			if v := await(t, w.Engine, "r"); v.State != "Done" || string(v.Data) != `{"good":10,"bad":0,"at":-1}` {
				t.Errorf("%s %s", v.State, v.Data)
			}
			if busy.most != c.most {
				t.Errorf("with %v %d ran at once, not %d", c.options, busy.most, c.most)
			}
		})
	}
}

// TestElementLimits: what one element does not do in time is its failure alone.
func TestElementLimits(t *testing.T) {
	for option, category := range map[string]string{"timeout 5s": "timeout", "heartbeat 5s": "silent", "progress 5s": "stalled"} {
		synctest.Test(t, func(t *testing.T) {
			w := work(t, memstore.New(), batch(t, []string{option}), func(ctx context.Context, a *Attempt) (Result, error) {
				var args struct{ Part string }
				if err := json.Unmarshal(a.Args, &args); err != nil {
					return Result{}, err
				}
				if args.Part == "part-0002" {
					<-ctx.Done()
					return Result{}, context.Cause(ctx)
				}
				return found, nil
			})
			defer w.stop()
			start(t, w.Engine, "r", listOf(4))
			if v := await(t, w.Engine, "r"); v.State != "Done" || string(v.Data) != `{"good":3,"bad":1,"at":2}` {
				t.Errorf("%s: %s %s", option, v.State, v.Data)
			}
			if text := lines(t, w.Engine, "r"); !strings.Contains(text, "w[2].failed("+category+")>Working") {
				t.Error(text)
			}
		})
	}
}

// TestElementOfTwoWorkers: of two results of one element the second is refused, and so is one
// that comes when its state has been left.
func TestElementOfTwoWorkers(t *testing.T) {
	m := batch(t, []string{"limit 2"})
	db := memstore.New()
	e := knowing(t, db, m)
	start(t, e, "r", listOf(3))
	claim := func(worker string) []store.TaskRow {
		now := time.Now()
		rows, err := db.Claim(t.Context(), store.ClaimQuery{
			Worker: worker, Now: now, Until: now.Add(time.Minute), Limit: 9,
			Activities: []store.Claimable{{Definition: m.Hash(), Activity: "work"}},
		})
		must(t, err)
		return rows
	}
	rows := claim("a")
	names := []string{}
	for i := range rows {
		names = append(names, rows[i].Do)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"Working/work/w[0]", "Working/work/w[1]"}) {
		t.Fatal(names)
	}
	if more := claim("b"); len(more) > 0 {
		t.Fatalf("an element is handed out twice: %+v", more)
	}
	done := Completion{Activity: "w[0]", Event: "Found", Data: json.RawMessage(`{"n":1}`)}
	must(t, errOf(e.Complete(t.Context(), "r", done)))
	var refused *Rejected
	if _, err := e.Complete(t.Context(), "r", done); !errors.As(err, &refused) || refused.Why != "w[0] has ended" {
		t.Error(err)
	}
	// The worker that holds it finds that it is cancelled.
	i := slices.IndexFunc(rows, func(r store.TaskRow) bool { return strings.HasSuffix(r.Do, "[0]") })
	cancelled, err := db.Renew(t.Context(), rows[i].Claim(), time.Now(), time.Now().Add(time.Minute), nil)
	if err != nil || !cancelled {
		t.Errorf("cancelled %v, %v", cancelled, err)
	}
	send(t, e, "r", "Stop", "")
	if v := get(t, e, "r"); v.State != "Stopped" || len(v.Elements) > 0 {
		t.Errorf("%+v", v)
	}
	if _, err := e.Complete(t.Context(), "r", Completion{Activity: "w[1]", Event: "Found", Data: done.Data}); !errors.Is(err, ErrFinished) {
		t.Error(err)
	}
	if err := ReplayRun(e, "r"); err != nil {
		t.Error(err)
	}
}

// TestElementsWhilePaused: what comes meanwhile is taken when the run resumes, and nothing more
// begins before.
func TestElementsWhilePaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := 0
		var w *working
		w = work(t, memstore.New(), batch(t, []string{"limit 2"}), func(ctx context.Context, a *Attempt) (Result, error) {
			begun++
			if begun == 3 {
				if _, err := w.Pause(context.Background(), "r", Operator{}); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(time.Second)
			return found, nil
		}, WithConcurrency(1))
		defer w.stop()
		start(t, w.Engine, "r", listOf(5))
		time.Sleep(time.Hour)
		v := get(t, w.Engine, "r")
		if e := v.Elements[0]; begun != 3 || e.Ended != 2 || e.Open != 2 || e.Left != 1 || len(v.Queued) != 1 || v.Queued[0] != "w[2].Found" {
			t.Errorf("%d begun, %+v, queued %v", begun, e, v.Queued)
		}
		must(t, errOf(w.Resume(t.Context(), "r", Operator{})))
		if v := await(t, w.Engine, "r"); v.State != "Done" || string(v.Data) != `{"good":5,"bad":0,"at":-1}` || begun != 5 {
			t.Errorf("%s %s after %d", v.State, v.Data, begun)
		}
		lines(t, w.Engine, "r")
	})
}

// TestEmptyList: the run ends in the write that starts it.
func TestEmptyList(t *testing.T) {
	e := knowing(t, memstore.New(), batch(t, nil))
	if v := start(t, e, "r", `{"parts":[]}`); v.State != "Done" || v.Seq != 2 {
		t.Errorf("%+v", v)
	}
}

// weighed notes what each commit would write, but for the rows of tasks: those it counts.
type weighed struct {
	store.Store
	mu    sync.Mutex
	bytes []int
	tasks []int
}

func (s *weighed) Commit(ctx context.Context, c *store.Commit) error {
	n := len(c.Run.Snapshot)
	for i := range c.History {
		n += len(c.History[i].Record)
	}
	tasks := len(c.Start) + len(c.Cancel) + len(c.End)
	if c.Claim != nil {
		tasks++
	}
	s.mu.Lock()
	s.bytes, s.tasks = append(s.bytes, n), append(s.tasks, tasks)
	s.mu.Unlock()
	return s.Store.Commit(ctx, c)
}

// TestElementsAddNothing: what a step writes does not grow with the elements that have ended,
// and it touches the task of the element and of the one that begins in its place.
func TestElementsAddNothing(t *testing.T) {
	const n, digits = 1000, 24 // counts grow by digits
	for _, options := range [][]string{nil, {"limit 8"}, {"limit 8", "per run"}} {
		synctest.Test(t, func(t *testing.T) {
			db := &weighed{Store: memstore.New()}
			w := work(t, db, batch(t, options), func(context.Context, *Attempt) (Result, error) { return found, nil }, WithConcurrency(16))
			defer w.stop()
			start(t, w.Engine, "r", listOf(n))
			if v := await(t, w.Engine, "r"); v.State != "Done" {
				t.Fatal(v.State)
			}
			w.stop()
			db.mu.Lock()
			defer db.mu.Unlock()
			if len(db.bytes) != n+1 {
				t.Fatalf("%d commits", len(db.bytes))
			}
			for i := 2; i < n; i++ {
				if db.bytes[i] > db.bytes[1]+digits || db.tasks[i] > 2 {
					t.Fatalf("with %v commit %d writes %d bytes and %d tasks, the first result %d and %d",
						options, i, db.bytes[i], db.tasks[i], db.bytes[1], db.tasks[1])
				}
			}
		})
	}
}
