//go:build cgo

package runtime_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// askingTree is a tree of three, of which the lowest waits for someone to say something.
func askingTree(t testing.TB, options ...string) (w *working, db Store, lowest string) {
	t.Helper()
	child := review(t)
	db = memstore.New()
	middle := parent(t, child, options...)
	w = tree(t, db, middle, child, findsN(0))
	register(t, w.Engine, deep(t, middle), Handlers{})
	must(t, errOf(w.Start(t.Context(), "Top", "r", nil)))
	await(t, w.Engine, "r")
	send(t, w.Engine, "r/Calling.m.1.1", "Go", "")
	await(t, w.Engine, "r")
	return w, db, "r/Calling.m.1.1/One.one.2.1"
}

func TestPauseTree(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, db, lowest := askingTree(t, "timeout 1h")
		defer w.stop()
		must(t, errOf(w.Pause(t.Context(), "r", ada)))
		for _, run := range []string{"r", "r/Calling.m.1.1", lowest} {
			if v := get(t, w.Engine, run); !v.Paused {
				t.Errorf("%s is not paused", run)
			}
		}
		time.Sleep(2 * time.Hour) // the timeout runs from the child's start, and is told when its parent goes on
		send(t, w.Engine, lowest, "Say", `{"n":4}`)
		must(t, errOf(w.Resume(t.Context(), "r", ada)))
		v := await(t, w.Engine, "r")
		if m := get(t, w.Engine, "r/Calling.m.1.1"); m.State != "Idle" && m.State != "All" && m.State != "Done" {
			t.Errorf("%+v", m)
		}
		if v.Paused || get(t, w.Engine, lowest).Paused {
			t.Error("something is paused still")
		}
		steps, err := w.History(t.Context(), lowest, 0, 0)
		if err != nil || !strings.Contains(fmt.Sprint(steps), "because") {
			t.Error(steps, err)
		}
		_ = db
	})
}

// TestPausedStartsNoChild: who pauses a run finds all children that there will be.
func TestPausedStartsNoChild(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, child := memstore.New(), review(t)
		e := NewEngine(db)
		registerBoth(t, e, child, parent(t, child), nil)
		callChild(t, e, 0)
		must(t, errOf(e.Pause(t.Context(), "r", ada)))
		w := run(t, e)
		defer w.stop()
		time.Sleep(time.Hour)
		if _, err := e.Get(t.Context(), "r/One.one.2.1"); !errors.Is(err, ErrNotFound) {
			t.Error("a child has started:", err)
		}
		must(t, errOf(e.Resume(t.Context(), "r", ada)))
		time.Sleep(time.Second)
		if _, err := e.Get(t.Context(), "r/One.one.2.1"); err != nil {
			t.Error(err)
		}
	})
}

// TestChildStandsStill: a child that is halted or paused holds its parent, and is the reason.
func TestChildStandsStill(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, lowest := askingTree(t)
		defer w.stop()
		middle := "r/Calling.m.1.1"
		must(t, errOf(w.Pause(t.Context(), lowest, ada)))
		v := get(t, w.Engine, middle)
		if len(v.Activities) != 1 || v.Activities[0].Child == nil || v.Parent != "r" ||
			*v.Activities[0].Child != (machine.ChildView{Run: lowest, State: "Waiting", Status: Running, Paused: true, Actor: "ada", Reason: "because"}) {
			t.Errorf("%+v", v)
		}
		if v := get(t, w.Engine, "r"); v.Activities[0].Child.Below == nil || v.Activities[0].Child.Below.Reason != "because" {
			t.Errorf("%+v", v.Activities[0].Child)
		}
		since := time.Now()
		time.Sleep(2 * time.Hour)
		send(t, w.Engine, lowest, "Break", "") // it waits until the run resumes
		health, err := w.Health(t.Context(), HealthQuery{Stuck: time.Hour})
		must(t, err)
		if text := fmt.Sprint(health.Problems); !strings.Contains(text, "in One for longer than 1h; it waits for "+lowest+", which is paused in Waiting by ada: because") {
			t.Error(text)
		}
		want := Problem{Kind: PausedRun, Run: lowest, Machine: v.Activities[0].Activity, State: "Waiting", Since: since.UTC(), Why: fmt.Sprintf("paused by ada: because; run %q waits for it", middle)}
		if len(health.Problems) == 0 || health.Problems[0] != want {
			t.Errorf("%+v, want %+v", health.Problems, want)
		}
		must(t, errOf(w.Pause(t.Context(), middle, ada))) // and who has paused both knows
		if health, err := w.Health(t.Context(), HealthQuery{}); err != nil || len(health.Problems) != 1 || health.Problems[0].Run != middle {
			t.Errorf("%+v, %v", health, err)
		}
		must(t, errOf(w.Pause(t.Context(), "r", ada)))
		if health, err := w.Health(t.Context(), HealthQuery{}); err != nil || len(health.Problems) != 0 {
			t.Errorf("%+v, %v", health, err)
		}
		must(t, errOf(w.Resume(t.Context(), "r", ada)))
		_, err = w.Send(t.Context(), lowest, machine.ExternalEvent{Name: "Break"}) // n overflows: refused, since it comes from outside
		if err == nil {
			t.Error("it was taken")
		}
		if v, err := w.RunUntilIdle(t.Context(), "r"); err != nil || v.Status != Running {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

func TestHaltedChild(t *testing.T) {
	bubble(t, func(t *testing.T) {
		child := Build(t, Named("Review"), WithParams("file string"), WithFields("n int 0..3 = 3"),
			WithState("Working", After("1m", GoTo("Completed", Set("n", "n + 1")))), WithTerminal("Completed", machine.Success), Returning("Completed", "n"), WithTerminal("Failed", machine.Failed))
		db := memstore.New()
		e := NewEngine(db)
		registerBoth(t, e, child, parent(t, child), nil)
		callChild(t, e, 0)
		v, err := e.RunUntilDone(t.Context(), "r") // which nothing but an operator can help
		if err != nil || v.Status != Running || v.State != "One" {
			t.Fatalf("%+v, %v", v, err)
		}
		c := v.Activities[0].Child
		if c == nil || c.Status != Halted || c.Halt == nil || c.Halt.Input != "after 1m" {
			t.Errorf("%+v", c)
		}
		health, err := e.Health(t.Context(), HealthQuery{})
		if err != nil || len(health.Problems) != 1 || !strings.HasSuffix(health.Problems[0].Why, `; run "r" waits for it`) {
			t.Errorf("%+v, %v", health, err)
		}
		if v, err := e.Cancel(t.Context(), "r", CancelOptions{Force: true}); err != nil || v.Status != Finished {
			t.Errorf("%+v, %v", v, err)
		}
		whole(t, e, db, "r")
	})
}

// TestTreeOfRuns lists the runs below one, and replays them.
func TestTreeOfRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, lowest := askingTree(t)
		defer w.stop()
		ids := func(run string) string {
			rows, err := w.Tree(t.Context(), run)
			must(t, err)
			text := ""
			for _, row := range rows {
				text += row.Run + " "
			}
			return text
		}
		if got := ids("r"); got != "r r/Calling.m.1.1 "+lowest+" " {
			t.Error(got)
		}
		if got := ids("r/Calling.m.1.1"); got != "r/Calling.m.1.1 "+lowest+" " {
			t.Error(got)
		}
		rows, err := w.List(t.Context(), RunFilter{Parent: "r/Calling.m.1.1"})
		if err != nil || len(rows) != 1 || rows[0].Run != lowest {
			t.Error(rows, err)
		}
		f, err := ParseWhere("parent=r status=ending", time.Now())
		if err != nil || f.Parent != "r" || f.Status != Ending {
			t.Error(f, err)
		}
		if err := w.Replay(t.Context(), "r"); err != nil {
			t.Error(err)
		}
	})
}

// TestReplayOfWhatWasTold: a parent that was told something else than its child returned does not replay.
func TestReplayOfWhatWasTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, db, lowest := askingTree(t)
		defer w.stop()
		send(t, w.Engine, lowest, "Say", `{"n":4}`)
		if v := await(t, w.Engine, "r"); v.Updated.Sub(v.Started) > 0 || v.State != "Done" || string(v.Data) != `{"total":4,"files":[]}` {
			t.Fatalf("%+v", v)
		}
		whole(t, w.Engine, db, "r")
		err := NewEngine(&tamper{db, func(row *RunRow) {
			if row.Run == lowest {
				row.Snapshot = json.RawMessage(strings.Replace(string(row.Snapshot), `"n":4`, `"n":5`, 1))
			}
		}}).Replay(t.Context(), "r/Calling.m.1.1")
		var differs *Difference
		if !errors.As(err, &differs) || !strings.Contains(err.Error(), `the run "`+lowest+`" ended otherwise`) {
			t.Error(err)
		}
	})
}

// TestCompleteCall: an operator ends a call by hand, and its child is cancelled.
func TestCompleteCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, db, lowest := askingTree(t)
		defer w.stop()
		middle := "r/Calling.m.1.1"
		v, err := w.Complete(t.Context(), middle, Completion{Activity: "one", Event: "Completed", Data: json.RawMessage(`{"n":9,"file":"f"}`), Operator: ada})
		if err != nil || v.State != "All" && v.State != "Done" {
			t.Fatalf("%+v, %v", v, err)
		}
		time.Sleep(time.Second)
		if c := get(t, w.Engine, lowest); !c.Cancelled || c.State != "Stopping" {
			t.Errorf("%+v", c)
		}
		if v := get(t, w.Engine, middle); v.Status != Ending || len(v.Left) != 1 || v.Left[0].Run != lowest {
			t.Errorf("%+v", v)
		}
		send(t, w.Engine, lowest, "Say", `{"n":1}`)
		if v := await(t, w.Engine, "r"); v.State != "Done" || string(v.Data) != `{"total":9,"files":[]}` {
			t.Errorf("%+v", v)
		}
		whole(t, w.Engine, db, "r")
	})
}

// TestRepairOfCalls: a task that is gone is made again with the child that it had, whether that
// has ended or not.
func TestRepairOfCalls(t *testing.T) {
	for _, ended := range []bool{true, false} {
		onEachStore(t, func(t *testing.T, db Store, _ *Engine, clock *ManualClock) {
			child := review(t)
			m := parent(t, child, "timeout 1h")
			e := NewEngine(db, WithClock(clock))
			registerBoth(t, e, child, m, findsN(0))
			callChild(t, e, 0)
			if v, err := e.RunUntilIdle(t.Context(), "r"); err != nil || v.State != "One" {
				t.Fatal(v, err)
			}
			lowest := "r/One.one.2.1"
			if ended {
				send(t, e, lowest, "Say", `{"n":4}`)
			} else {
				clock.Advance(2 * time.Hour)
			}
			rows, err := db.Claim(t.Context(), store.ClaimQuery{Worker: "w", Now: clock.Now(), Until: clock.Now().Add(time.Minute), Limit: 9,
				Activities: []store.Claimable{{Definition: m.Hash(), Activity: "Review"}}})
			if err != nil || len(rows) != 1 || rows[0].ChildEnded != ended {
				t.Fatalf("%+v, %v", rows, err)
			}
			row, err := db.Load(t.Context(), "r")
			must(t, err)
			claim := rows[0].Claim()
			must(t, db.Commit(t.Context(), &store.Commit{Run: row, Expect: row.Seq, Claim: &claim}))
			got, err := e.Repair(t.Context(), "r", RepairOptions{Apply: true, Operator: ada})
			if err != nil || len(got.Faults) != 1 || !strings.Contains(got.Faults[0], `no task stands for attempt 1 of "One/Review/one"`) {
				t.Fatalf("%+v, %v", got, err)
			}
			tasks, err := db.Tasks(t.Context(), "r")
			if err != nil || len(tasks) != 1 || tasks[0].Child != lowest || tasks[0].ChildEnded != ended || tasks[0].Cancelled {
				t.Fatalf("%+v, %v", tasks, err)
			}
			want := map[bool]string{true: "start>Idle Go>One repair>One one.Completed>All done>Done", false: "start>Idle Go>One repair>One one.failed(timeout)>Idle"}[ended]
			must(t, errOf(e.RunUntilIdle(t.Context(), "r")))
			wantLines(t, e, "r", want)
			if v := get(t, e, lowest); ended != (v.State == "Completed") {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestRepairOfOrphans: a child of which no task knows is reported, and cancelled.
func TestRepairOfOrphans(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, db, lowest := askingTree(t)
		w.stop()
		middle := "r/Calling.m.1.1"
		send(t, w.Engine, middle, "Leave", "")
		e := NewEngine(&emptied{Store: db, tasks: true})
		got, err := e.Repair(t.Context(), middle, RepairOptions{Apply: true, Operator: ada})
		if err != nil || len(got.Faults) != 1 || got.Faults[0] != `no task stands for the child "`+lowest+`"` || !got.Applied {
			t.Fatalf("%+v, %v", got, err)
		}
		if v := get(t, w.Engine, lowest); v.Status != Finished || v.Outcome != Cancelled {
			t.Errorf("%+v", v)
		}
	})
}
