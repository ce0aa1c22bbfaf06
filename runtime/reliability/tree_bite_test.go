//go:build unix && cgo

package reliability

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestTreesBite changes what is in the store of two trees, and looks that the inspection says
// so. One has ended. Of the other, where no one weighs crates, a child has ended by hand and
// its parent has not been told, and a child runs.
func TestTreesBite(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	start := func(w *work, run string) *station {
		s, err := w.open(dir, run, 0)
		if err == nil {
			_, err = s.Start(ctx, "Convoy", run, []byte(`{"trucks": [1], "crates": [2]}`))
		}
		must(t, err)
		s.world.ledger.note(started, run)
		t.Cleanup(func() { _ = s.close() })
		return s
	}
	done := ""
	for n := 0; done == ""; n++ { // until no truck and no crate was late
		run := fmt.Sprintf("done%d", n)
		s := start(convoys, run)
		whole, err := s.RunUntilDone(ctx, run)
		must(t, err)
		v, err := s.Get(ctx, run+"/Driving.t.1.1[0]")
		if err == nil && whole.State == "Arrived" && v.State == "Full" && strings.Contains(string(v.Data), `"packed":1`) {
			done = run
		}
	}
	s := start(&work{model: convoy, handlers: auctions.handlers}, "open")
	working, stop := context.WithCancel(ctx)
	wait := s.serve(working)
	for runs := 0; runs < 4; time.Sleep(time.Millisecond) {
		rows, err := s.List(ctx, runtime.RunFilter{Root: "open"})
		if runs = len(rows); err != nil || t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	if stop(); wait() != nil {
		t.Fatal("the worker has failed")
	}
	const ended, truck = "open/Driving.spare.1.1", "open/Driving.t.1.1[0]"
	told := done + "/Driving.t.1.1[0]"
	must(t, errOf(s.Complete(ctx, ended, endings["Weighing"][0])))
	e, err := readLedger(ledgerIn(dir))
	must(t, err)
	if err := inspect(ctx, s.store, convoy(), e, false); err != nil {
		t.Fatalf("what is sound is found damaged: %v", err)
	}

	row := func(run string, change func(*runtime.RunRow)) damaged {
		return damaged{load: func(r *runtime.RunRow) {
			if r.Run == run {
				change(r)
			}
		}}
	}
	task := func(child string, change func(store.TaskRow) []store.TaskRow) damaged {
		return damaged{tasks: func(rows []store.TaskRow) (all []store.TaskRow) {
			for _, t := range rows {
				if t.Child == child {
					all = append(all, change(t)...)
				} else {
					all = append(all, t)
				}
			}
			return all
		}}
	}
	for _, c := range []struct {
		want string
		in   damaged
	}{
		{`run "open/Driving.t.1.1[0]" has the root "other"`, row(truck, func(r *runtime.RunRow) { r.Root = "other" })},
		{`run "open" has the root "` + done + `" and no parent`, row("open", func(r *runtime.RunRow) { r.Root = done })},
		{`no step of run "` + done + `" has started its child "open/`, row(truck, func(r *runtime.RunRow) { r.Parent = done })},
		{`is not there`, damaged{runs: func(rows []runtime.RunRow) (all []runtime.RunRow) {
			for _, r := range rows {
				if r.Run != ended {
					all = append(all, r)
				}
			}
			return all
		}}},
		{`is running, and 0 tasks of its parent wait for it, 0 know its end`, task(truck, func(store.TaskRow) []store.TaskRow { return nil })},
		{`is running, and 2 tasks of its parent wait for it`, task(truck, func(t store.TaskRow) []store.TaskRow { return []store.TaskRow{t, t} })},
		{`is running, and 0 tasks of its parent wait for it, 1 know its end`, task(truck, func(t store.TaskRow) []store.TaskRow {
			t.ChildEnded = true
			return []store.TaskRow{t}
		})},
		{`is finished, and 1 tasks of its parent wait for it`, task(ended, func(t store.TaskRow) []store.TaskRow {
			t.ChildEnded = false
			return []store.TaskRow{t}
		})},
		{`run "open" has finished before its child "open/Driving.t`, row("open", func(r *runtime.RunRow) { r.Status = runtime.Finished })},
		{`has used [{fuel 7.5}], and its parent knows`, row(told, func(r *runtime.RunRow) {
			r.Snapshot = regexp.MustCompile(`"spent":\[\{"name":"fuel","amount":"[0-9.]*"`).ReplaceAll(r.Snapshot, []byte(`"spent":[{"name":"fuel","amount":"7.5"`))
		})},
		{`run "` + done + `" was told that its child "` + told + `" has ended, and it has not`,
			row(told, func(r *runtime.RunRow) { r.Status = runtime.Running })},
		{`of its child "` + told + `", which has ended with`, row(told, func(r *runtime.RunRow) {
			r.Snapshot = regexp.MustCompile(`"packed":1`).ReplaceAll(r.Snapshot, []byte(`"packed":2`))
		})},
	} {
		t.Run(c.want, func(t *testing.T) {
			c.in.Store = s.store
			err := inspect(ctx, &c.in, convoy(), e, false)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the inspection finds: %v", err)
			}
		})
	}

	// The ledger says who ended first.
	want := `the end of run "` + done + `" was acknowledged before that of its child "` + told + `" was tried`
	var late, never []finish
	for _, f := range e.finishes {
		if f.run == told && !f.done { // tried, perhaps more than once
			late = append(late, f)
		} else {
			never = append(never, f)
		}
	}
	for _, finishes := range [][]finish{append(slices.Clone(never), late...), never} {
		changed := *e
		changed.finishes = finishes
		if err := inspect(ctx, s.store, convoy(), &changed, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the inspection finds: %v", err)
		}
	}
}
