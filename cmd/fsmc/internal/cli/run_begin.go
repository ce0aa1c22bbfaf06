package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/fields"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/process"
)

// program is the machine that a command line names, ready to run, and those that it calls.
type program struct {
	machine  *runtime.Machine
	source   string
	handlers runtime.Handlers
	callees  []*program // all below it in its tree, those that are called first
}

// compile turns the machine in paths into its definition, unless it has errors,
// and finds its executables.
func (r *runner) compile(paths []string) (*program, error) {
	unit, m, err := r.loadOne(paths, r.machine, r.refuseErrors)
	if err != nil {
		return nil, err
	}
	var all []*program
	for _, c := range table.Tree(m) {
		p := &program{source: sourceOf(unit, c.Machine)}
		if p.machine, err = machine.Compile(c.Definition); err != nil {
			return nil, fmt.Errorf("machine %q does not compile: %w", c.Machine.Name, err)
		}
		all = append(all, p)
	}
	p := all[len(all)-1]
	p.callees = all[:len(all)-1]
	return p, r.equip(p)
}

// equip gives p, and the machines that it calls, what does their work. The error is of all of them.
func (r *runner) equip(p *program) error {
	if err := r.checkActivities(); err != nil {
		return err
	}
	var faults []error
	for _, one := range append(slices.Clip(p.callees), p) {
		var err error
		one.handlers, err = r.handlers(one.machine)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// register makes p known to engine, and before it the machines that it calls.
func (p *program) register(engine *runtime.Engine) error {
	for _, one := range append(slices.Clip(p.callees), p) {
		if err := engine.Register(one.machine, one.source, one.handlers); err != nil {
			return err
		}
	}
	return nil
}

// handlers are what does the work of a machine: the processes of --worker, or
// the executables of --activities. Those of --worker are there once it has been
// started.
func (r *runner) handlers(m *runtime.Machine) (runtime.Handlers, error) {
	switch {
	case r.pool != nil:
		return r.pool.Handlers(m), nil
	case r.activities != "":
		return process.Load(r.activities, m)
	}
	return runtime.Handlers{}, nil
}

// refuseParams holds the parameters against the machine before a database is
// made for the run. Where there is one the run may be there, and need none.
func (r *runner) refuseParams(m *runtime.Machine) error {
	if isServer(r.db) {
		return nil
	}
	info, err := os.Stat(r.db)
	if made := err == nil && info.Size() > 0; made || err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	params, err := r.readParams(m)
	if err != nil {
		return err
	}
	if _, err := m.DecodeParams(params); err != nil {
		return findingf("the run is not started: %w", err)
	}
	return nil
}

// readParams are the parameters that the command line says.
func (r *runner) readParams(m *runtime.Machine) (json.RawMessage, error) {
	if len(r.given) > 0 {
		return r.given, nil
	}
	return fields.Object(m.Definition().Params, "--param ", r.params)
}

// begin continues the run that has the id, or starts one.
func (r *runner) begin(ctx context.Context, engine *runtime.Engine, m *runtime.Machine) (runtime.View, error) {
	params, err := r.readParams(m)
	if err != nil {
		return runtime.View{}, err
	}
	if r.id != "" {
		v, err := r.proceed(ctx, engine, m, params)
		if !errors.Is(err, runtime.ErrNotFound) {
			return v, err
		}
	}
	v, err := engine.Start(ctx, m.Definition().Name, r.id, params, runtime.WithTags(r.tags))
	var refused *runtime.Rejected
	switch {
	case errors.Is(err, runtime.ErrExists): // another process was faster
		return r.proceed(ctx, engine, m, params)
	case errors.As(err, &refused):
		return v, findingf("the run is not started: %s", refused.Why)
	}
	return v, err
}

// proceed finds the run that has the id, and holds against it what the command
// line says of it.
func (r *runner) proceed(ctx context.Context, engine *runtime.Engine, m *runtime.Machine, params json.RawMessage) (runtime.View, error) {
	v, err := engine.Get(ctx, r.id)
	switch {
	case err != nil:
		return v, err
	case v.Machine != m.Definition().Name:
		return v, notOfMachine(v.Run, v.Machine, m.Definition().Name)
	case len(r.params)+len(r.given) > 0 && !sameParams(m, params, v.Params):
		return v, findingf("run %q was started with other parameters: %s", v.Run, v.Params)
	case len(r.tags) > 0 && !maps.Equal(r.tags, v.Tags):
		return v, findingf("run %q was started with other tags%s", v.Run, describe.After(": ", describe.Tags(v.Tags)))
	case v.Definition != m.Hash() && v.Status != runtime.Finished:
		if err := r.sayVersion(ctx, engine, &v); err != nil {
			return v, err
		}
	}
	if v.Status != runtime.Finished {
		r.say("%s continues in %s", v.Run, v.State)
		left := maxHeldIn
		return v, r.sayHeld(ctx, engine, &v, time.Now(), &left)
	}
	return v, nil
}

// maxHeldIn is how many runs below one that continues are asked who holds their attempts.
const maxHeldIn = 100

// sayHeld says until when other workers hold attempts of a run that continues, and of those
// below it: after a crash, the run stands still until then.
func (r *runner) sayHeld(ctx context.Context, engine *runtime.Engine, v *runtime.View, now time.Time, left *int) error {
	for i := range v.Activities {
		a := &v.Activities[i]
		switch {
		case a.Child != nil && *left > 0:
			*left--
			child, err := engine.Get(ctx, a.Child.Run)
			if err != nil {
				return err
			}
			if err := r.sayHeld(ctx, engine, &child, now, left); err != nil {
				return err
			}
		case a.Worker != "" && a.Lease != nil && a.Lease.After(now):
			r.say("          %s  %s, attempt %d: claimed by %s until %s; if that worker is dead, another one claims it then",
				v.Run, describe.Attempt(a.Activity, a.Do), a.Attempt, a.Worker, describe.When(*a.Lease, now))
		}
	}
	return nil
}

// sayVersion says of a run of another version than the file's what becomes of
// it, and what of it is not done.
func (r *runner) sayVersion(ctx context.Context, engine *runtime.Engine, v *runtime.View) error {
	names, err := engine.Unmatched(ctx, v.Definition)
	switch {
	case err != nil:
		return err
	case len(names) == 0 || r.detach:
		fmt.Fprintf(r.err, "fsmc: %s keeps another version of %s than that of the file; fsmc migrate moves it\n", v.Run, v.Machine)
		return nil
	}
	what, them := undone(names)
	fmt.Fprintf(r.err, "fsmc: %s has another version of %s, and this file does not declare its %s in the same way, so %s: name the file of that version, or no file\n",
		v.Run, v.Machine, what, them)
	return nil
}

// undone names activities, and says of them that they do not run.
func undone(names []string) (what, them string) {
	if len(names) == 1 {
		return "activity " + check.And(names), "it does not run"
	}
	return "activities " + check.And(names), "they do not run"
}

// sameParams reports whether given, in canonical form, is started.
func sameParams(m *runtime.Machine, given, started json.RawMessage) bool {
	values, err := m.DecodeParams(given)
	if err != nil {
		return false
	}
	canonical, err := m.EncodeParams(values)
	return err == nil && bytes.Equal(canonical, started)
}
