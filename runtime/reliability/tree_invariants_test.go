//go:build unix && cgo

package reliability

import (
	"encoding/json"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// forest is what the inspection has seen of runs that are children, and of their parents.
type forest struct {
	runs     map[string]*grown
	children map[string]*birth         // by the id of the child
	attempts map[string]*birth         // by the attempt that it is
	known    map[string][]machine.Cost // what parents have been told that a child has used, by its id
}

// birth is an attempt of a parent that is a child run, as the parent's history has it.
type birth struct {
	id     string
	parent *walk
	task   machine.Task
	told   *machine.Record // what the parent was told of its end; nil for nothing
}

// grown is a run that is there.
type grown struct {
	walk     *walk
	snapshot *machine.Snapshot
	tasks    []store.TaskRow
}

func newForest() *forest {
	return &forest{runs: map[string]*grown{}, children: map[string]*birth{}, attempts: map[string]*birth{}, known: map[string][]machine.Cost{}}
}

func (f *forest) add(w *walk, s *machine.Snapshot, tasks []store.TaskRow) {
	f.runs[w.row.Run] = &grown{w, s, tasks}
}

// childrenOf notes the children that the last step asks for.
func (w *walk) childrenOf(after *machine.Snapshot, commands []machine.Command) {
	for i := range commands {
		c := &commands[i]
		if c.Kind != machine.StartTask || w.m.Callee(c.Task.Do) == "" {
			continue
		}
		f := w.in.tree
		b := &birth{id: w.m.ChildID(after, &c.Task), parent: w, task: c.Task}
		if f.children[b.id] != nil && !endsFirst(commands[:i], &c.Task) {
			w.in.fault("run %q starts the child %q twice", w.row.Run, b.id)
		}
		f.children[b.id], f.attempts[attemptOf(c.Task.Key, c.Task.Attempt)] = b, b
	}
}

// endsFirst reports whether commands end the attempt that task starts: an operator's retry
// takes the wait off an attempt that has yet to begin by putting it there again.
func endsFirst(commands []machine.Command, task *machine.Task) bool {
	return slices.ContainsFunc(commands, func(c machine.Command) bool {
		return c.Kind == machine.EndTask && c.Task.Key == task.Key && c.Task.Attempt == task.Attempt
	})
}

// childTold notes the end of an attempt that is a child.
func (w *walk) childTold(attempt string, r *machine.Record) {
	if b := w.in.tree.attempts[attempt]; b != nil {
		b.told = r
	}
}

// hears notes what a record says that a child has used.
func (w *walk) hears(r *machine.Record) {
	child := r.Input.Actor
	if r.Input.Kind != machine.ToldInput {
		b := w.in.tree.attempts[attemptOf(r.Input.Key, r.Input.Attempt)]
		if b == nil {
			return
		}
		child = b.id
	}
	for _, c := range r.Input.Below {
		known := w.in.tree.known[child]
		if i := slices.IndexFunc(known, func(k machine.Cost) bool { return k.Name == c.Name }); i >= 0 {
			known[i].Amount = machine.AddAmounts(known[i].Amount, c.Amount)
		} else {
			w.in.tree.known[child] = append(known, c)
		}
	}
}

// costs holds what each parent has been told that a child has used against what it has: both
// are the same, but for what the store has yet to tell it.
func (in *inspection) costs() {
	for run, g := range in.tree.runs {
		if g.walk.row.Parent == "" {
			continue
		}
		want := g.snapshot.Spent
		reports, err := in.store.Reports(in.ctx, store.ReportQuery{Child: run})
		in.found(err)
		if len(reports) > 0 {
			if want = nil; reports[0].Told != nil {
				in.found(json.Unmarshal(reports[0].Told, &want))
			}
		}
		if got := in.tree.known[run]; !slices.Equal(got, want) {
			in.fault("run %q has used %v, and its parent knows %v of %v", run, g.snapshot.Spent, got, want)
		}
	}
}

// trees looks at the runs that are children:
//
//   - each was started by a step of its parent, under the id that follows from it, and has
//     its parent's root;
//   - one that has not ended is held by exactly one task of its parent; one that has ended
//     by none, but for one that waits to tell the parent;
//   - a parent was told no more and nothing else than how its child has ended, and of one
//     that has not ended nothing but that it is late, or what an operator said;
//   - no run has finished before its children, by its history and by the ledger;
//   - what a child has used its parent knows, or the store has it to tell: see costs.
func (in *inspection) trees() {
	for run, g := range in.tree.runs {
		row := g.walk.row
		if row.Parent == "" {
			if row.Root != run {
				in.fault("run %q has the root %q and no parent", run, row.Root)
			}
			continue
		}
		parent := in.tree.runs[row.Parent]
		if b := in.tree.children[run]; parent == nil || b == nil || b.parent.row.Run != row.Parent {
			in.fault("no step of run %q has started its child %q", row.Parent, run)
			continue
		}
		if row.Root != parent.walk.row.Root {
			in.fault("run %q has the root %q, and its parent %q", run, row.Root, parent.walk.row.Root)
		}
		in.held(g, parent)
		p := parent.walk
		later := !in.clocks && g.walk.finished.After(p.finished)
		if p.row.Status == runtime.Finished && (row.Status != runtime.Finished || later) {
			in.fault("run %q has finished before its child %q", p.row.Run, run)
		}
		in.order(g.walk, p)
	}
	for _, b := range in.tree.children {
		in.told(b)
	}
	in.costs()
	for run, g := range in.tree.runs {
		for i := range g.tasks {
			if child := g.tasks[i].Child; child != "" && in.tree.runs[child] == nil {
				in.fault("a task of run %q has the child %q, which is not there", run, child)
			}
		}
	}
}

// held looks at the tasks of a parent that have the child.
func (in *inspection) held(child, parent *grown) {
	live, ended := 0, 0
	for i := range parent.tasks {
		switch t := &parent.tasks[i]; {
		case t.Child != child.walk.row.Run:
		case t.ChildEnded:
			ended++
		default:
			live++
		}
	}
	switch finished := child.walk.row.Status == runtime.Finished; {
	case finished && live > 0, finished && ended > 1, !finished && (live != 1 || ended > 0):
		in.fault("run %q is %s, and %d tasks of its parent wait for it, %d know its end",
			child.walk.row.Run, child.walk.row.Status, live, ended)
	}
}

// told holds what a parent was told against what has become of the child.
func (in *inspection) told(b *birth) {
	if b.told == nil || b.told.Input.Worker == "" {
		return // or an operator has said it
	}
	got, child := &b.told.Input, in.tree.runs[b.id]
	if got.Kind == machine.FailureInput && b.parent.m.Definition().Categories[got.Category] != "cancelled" {
		return // it is late, or could not start
	}
	if child == nil || child.walk.row.Status != runtime.Finished {
		in.fault("run %q was told that its child %q has ended, and it has not", b.parent.row.Run, b.id)
		return
	}
	want := b.parent.m.EndedInput(&b.task, child.walk.m.Machine, child.snapshot, 1<<20)
	same := got.Kind == want.Kind
	if same && got.Kind == machine.ResultInput {
		same = got.Event == want.Event && slices.EqualFunc(got.Data, want.Data, machine.Value.Equal)
	}
	if !same {
		in.fault("run %q was told %s %v of its child %q, which has ended with %s %v", b.parent.row.Run,
			b.parent.m.Describe(*got), got.Data, b.id, b.parent.m.Describe(want), want.Data)
	}
}
