package temporal

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Migrate moves a run to another definition of its machine.
type Migrate struct {
	Definition json.RawMessage   `json:"definition,omitempty"`
	Named      *Named            `json:"named,omitempty"`   // in place of Definition and Callees, as in Input
	Callees    []json.RawMessage `json:"callees,omitempty"` // of the machines that it calls, and of those that they call
	Mapping    machine.Mapping   `json:"mapping"`
	Actor      string            `json:"actor,omitempty"`
	Reason     string            `json:"reason,omitempty"`
}

// version is a machine by which records of an execution were made.
type version struct {
	from    int64 // the Seq of the first of them
	machine *machine.Machine
	callees map[string]*machine.Machine
}

// errMoved refuses what an attempt has returned that began by an earlier definition.
var errMoved = errors.New("the run has moved to another definition")

// moved is the run by another definition, or why it does not fit.
func (r *run) moved(ctx workflow.Context, of *Migrate, ask machine.Ask) (to version, next *machine.Snapshot, err error) {
	m, below, err := r.has.read(of.Definition, of.Callees, of.Named, &r.in)
	switch {
	case err != nil:
		return to, nil, err
	case m.Definition().Name != r.machine.Definition().Name:
		return to, nil, fmt.Errorf("it is a run of the machine %q, and not of %q", r.machine.Definition().Name, m.Definition().Name)
	case m.Hash() == r.machine.Hash():
		return to, nil, errors.New("it has that definition already")
	case r.snapshot.Status.Over():
		return to, nil, errors.New("it has ended")
	case r.in.Parent != nil:
		return to, nil, fmt.Errorf("its parent %q knows it by the definition that it has", r.in.Parent.Run)
	case len(r.children) > 0:
		return to, nil, fmt.Errorf("its child %q has yet to end", r.children[0].run)
	}
	next, err = m.Migrated(r.machine, r.snapshot, &of.Mapping, workflow.Now(ctx), ask)
	return version{r.snapshot.Seq + 1, m, below}, next, err
}

// fits says what would become of the run, and changes nothing.
func (r *run) fits(ctx workflow.Context, of Migrate) (runtime.MigratedRun, error) {
	if r.snapshot.State < 0 {
		return runtime.MigratedRun{}, errStarting
	}
	report := r.standing()
	to, next, err := r.moved(ctx, &of, func(int, []machine.Value) (bool, error) {
		return false, errors.New("a host guard decides, which is asked when the run is moved")
	})
	if err != nil {
		report.Why = err.Error()
	} else {
		report.To = to.machine.Definition().States[next.State].Path
	}
	return report, nil
}

// standing is where a run stands that has not moved.
func (r *run) standing() runtime.MigratedRun {
	return runtime.MigratedRun{Run: r.snapshot.Run, Definition: r.machine.Hash(), State: r.machine.Definition().States[r.snapshot.State].Path}
}

// admitMigrate refuses what does not fit before it stands in Temporal's history.
func (r *run) admitMigrate(ctx workflow.Context, of *Migrate) error {
	if of.Named != nil {
		if _, err := r.has.find(*of.Named); err != nil { // else the run would wait for a worker that has it
			return refused(err)
		}
	}
	if r.snapshot.State < 0 || r.turn.IsLocked() {
		return nil
	}
	return refused(unasked(func(ask machine.Ask) error {
		_, _, err := r.moved(ctx, of, ask)
		return err
	}))
}

// migrate moves the run. Attempts under way are cancelled, and made again by the new definition when they have
// stopped. Once nothing is under way the run goes on in a new execution, whose input has the new definition.
func (r *run) migrate(ctx workflow.Context, of Migrate) (runtime.MigratedRun, error) {
	r.updates++
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if err := r.turn.Lock(ctx); err != nil {
		return runtime.MigratedRun{}, err
	}
	defer r.turn.Unlock()
	report := r.standing()
	to, next, err := r.moved(ctx, &of, r.ask(ctx))
	if err != nil {
		failTask(err)
		return report, refused(err)
	}
	who := machine.Operator{Actor: of.Actor, Reason: of.Reason}
	after, _, record, err := to.machine.Step(r.snapshot, to.machine.MigrationInput(r.machine, r.snapshot, next, who), next.Now, nil)
	if err != nil {
		return report, refused(err)
	}
	for _, t := range r.snapshot.HandedOut() {
		r.end(&machine.Command{Task: t})
	}
	r.in.Definition, r.in.Callees, r.in.Named = of.Definition, of.Callees, of.Named
	r.machine, r.callees, r.snapshot, r.changed = to.machine, to.callees, after, true
	r.versions = append(r.versions, to)
	r.records = append(r.records, r.machine.EncodeRecord(record))
	r.forget()
	for _, t := range after.HandedOut() {
		r.begin(ctx, t)
	}
	report.To = r.machine.Definition().States[after.State].Path
	return report, r.publishAttributes(ctx)
}

// taskNow is the task of an attempt by the definition that the run has now; false where that has none.
func (r *run) taskNow(a *attempt) (*machine.Task, bool) {
	if a.machine == r.machine {
		return &a.task, true
	}
	t, ok := r.machine.TaskOf(a.machine.TaskName(&a.task))
	t.Key, t.Attempt = a.task.Key, a.task.Attempt
	return &t, ok
}

// chained says where the records are that the execution does not have, and what those are of that it has.
func (r *run) chained() (Chain, error) {
	c := Chain{Base: r.base, Previous: r.previous}
	for _, v := range r.versions {
		c.Versions = append(c.Versions, Version{v.from, v.machine.Hash()})
	}
	return c, nil
}
