package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A run carries the definition of its machine, and of those that it calls, with it, as far as they have 256 KiB in all. Larger ones
// it names, and each worker has to have them. One that has them not fails the workflow task, and not the run, which waits for
// a worker that does.

// Named is a definition that workers have to have.
type Named struct {
	Machine string `json:"machine"`
	Hash    string `json:"hash"`
}

// carry is how a run knows the definitions of a machine and of those that it calls: by value, in a fixed order, or by name.
func carry(m *machine.Machine, below map[string]*machine.Machine) (own json.RawMessage, callees []json.RawMessage, named *Named) {
	own = m.Definition().Encode()
	size := len(own)
	for _, hash := range slices.Sorted(maps.Keys(below)) {
		encoded := below[hash].Definition().Encode()
		callees, size = append(callees, encoded), size+len(encoded)
	}
	if size > maxDefinitions {
		return nil, nil, &Named{m.Definition().Name, m.Hash()}
	}
	return own, callees, nil
}

// library are the definitions that a worker has, by their hashes.
type library map[string]*machine.Definition

func libraryOf(machines ...*machine.Machine) library {
	l := library{}
	for _, m := range machines {
		l[m.Hash()] = m.Definition()
	}
	return l
}

// errLacks says that a worker has not a definition.
type errLacks struct{ Named }

func (e *errLacks) Error() string {
	return fmt.Sprintf("the worker does not have the definition %s of the machine %q, which is too large for a run to carry with it: start a worker that has the file of which it was made",
		e.Hash, e.Machine)
}

// find gives a definition and those of the machines that it calls, which come first.
func (l library) find(of Named) (all []*machine.Definition, err error) {
	d := l[of.Hash]
	if d == nil {
		return nil, &errLacks{of}
	}
	for i := range d.Activities {
		if a := &d.Activities[i]; a.Callee != "" {
			below, err := l.find(Named{a.Name, a.Callee})
			if err != nil {
				return nil, err
			}
			for _, callee := range below {
				if !slices.Contains(all, callee) {
					all = append(all, callee)
				}
			}
		}
	}
	return append(all, d), nil
}

// read compiles the definitions of a machine and of those that it calls, for a run that has started with in.
func (l library) read(own json.RawMessage, callees []json.RawMessage, named *Named, in *Input) (*machine.Machine, map[string]*machine.Machine, error) {
	var all []*machine.Definition
	var err error
	if named != nil {
		all, err = l.find(*named)
	} else {
		all, err = parseAll(append(slices.Clip(callees), own))
	}
	if err != nil {
		return nil, nil, err
	}
	last := len(all) - 1
	return compileTree(all[last], all[:last], machine.WithSemantics(max(1, in.Semantics)), machine.WithMaxData(in.MaxData))
}

func parseAll(encoded []json.RawMessage) (all []*machine.Definition, err error) {
	for _, e := range encoded {
		d, err := machine.ParseDefinition(e)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Workflow is RunWorkflow of a worker that has the machines, as for a replay of recorded histories.
func Workflow(machines ...*machine.Machine) func(workflow.Context, Input) (Output, error) {
	has := libraryOf(machines...)
	return func(ctx workflow.Context, in Input) (Output, error) { return runWorkflow(ctx, in, has, func(*run) {}) }
}

// failTask ends the workflow task, and not the run, where the worker lacks a definition.
func failTask(err error) {
	if lacks, ok := errors.AsType[*errLacks](err); ok {
		panic(lacks.Error())
	}
}

// definition gives one by which records of this execution were made, or of a machine that such a one calls; of a large one the
// bytes from a place on, as many as one payload takes.
func (r *run) definition(hash string, from int) (any, error) {
	for _, v := range r.versions {
		m := v.callees[hash]
		if v.machine.Hash() == hash {
			m = v.machine
		}
		if m == nil {
			continue
		}
		encoded := m.Definition().Encode()
		if len(encoded) <= maxPart {
			return json.RawMessage(encoded), nil
		}
		part := encoded[min(max(from, 0), len(encoded)):]
		return part[:min(len(part), maxPart)], nil
	}
	return nil, fmt.Errorf("this execution has no definition %q", hash)
}

// query asks a run for something.
type query func(into any, name string, args ...any) error

// definition asks for a definition, in parts if it is large.
func (q query) definition(hash string) (encoded json.RawMessage, err error) {
	for {
		var part json.RawMessage
		if err := q(&part, QueryDefinition, hash, len(encoded)); err != nil {
			return nil, err
		}
		if encoded = append(encoded, part...); len(part) == 0 || json.Valid(encoded) { // a part of an object is none
			return encoded, nil
		}
	}
}

// queryOf asks by a client of Temporal.
func queryOf(ctx context.Context, c client.Client, run string) query {
	return func(into any, name string, args ...any) error {
		answer, err := c.QueryWorkflow(ctx, run, "", name, args...)
		if err == nil {
			err = answer.Get(into)
		}
		return err
	}
}
