package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"go.temporal.io/sdk/client"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// machineOf gives the machine of an execution of a run that has a hash.
func (c *Client) machineOf(ctx context.Context, run, execution, hash string) (*machine.Machine, error) {
	c.mu.Lock()
	m := c.machines[hash]
	c.mu.Unlock()
	if m != nil {
		return m, nil
	}
	encoded, err := query(func(into any, name string, args ...any) error {
		return c.query(ctx, run, execution, into, name, args...)
	}).definition(hash)
	if err != nil {
		return nil, err
	}
	m, err = compile(encoded)
	if err != nil {
		return nil, fmt.Errorf("the definition of run %q: %w", run, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.machines == nil || len(c.machines) >= 1000 {
		c.machines = map[string]*machine.Machine{}
	}
	c.machines[hash] = m
	return m, nil
}

// current is the machine by which a run goes on.
func (c *Client) current(ctx context.Context, run string) (*machine.Machine, error) {
	var at Chain
	if err := c.query(ctx, run, "", &at, QueryChain); err != nil {
		return nil, err
	}
	if len(at.Versions) == 0 {
		return nil, fmt.Errorf("the worker of run %q is older than this client", run)
	}
	return c.machineOf(ctx, run, "", at.Versions[len(at.Versions)-1].Definition)
}

// Migrate moves the unfinished runs of the machine, of those on the task queue, to the definition of m, and tells
// each what becomes of it, newest first. A run that does not fit stays with the definition that it has. Without
// Apply nothing is moved. The runs stand in Temporal's list, which is behind by a moment.
func (c *Client) Migrate(ctx context.Context, m *machine.Machine, o runtime.MigrateOptions, each func(runtime.MigratedRun) error) error {
	if !reflect.ValueOf(o.Of).IsZero() {
		return errors.New("on Temporal all runs of a machine are moved, and not some")
	}
	below, err := tree(m.Definition(), c.Callees)
	if err != nil {
		return err
	}
	of := Migrate{Mapping: o.Mapping, Actor: o.Actor, Reason: o.Reason}
	of.Definition, of.Callees, of.Named = carry(m, below)
	var failed error
	err = c.each(ctx, c.unfinished(), func(row *Row) bool {
		failed = c.migrateRun(ctx, row.Run, m, &of, o.Apply, each)
		return failed == nil
	})
	return cmp.Or(failed, err)
}

// migrateRun moves one run, where it is one of the machine, has not ended meanwhile, and has another definition.
func (c *Client) migrateRun(ctx context.Context, run string, m *machine.Machine, of *Migrate, apply bool, each func(runtime.MigratedRun) error) error {
	var v machine.View
	if err := c.query(ctx, run, "", &v, QueryView); err != nil {
		return err
	}
	if v.Machine != m.Definition().Name || v.Definition == m.Hash() || v.Status.Over() {
		return nil
	}
	var report runtime.MigratedRun
	if err := c.query(ctx, run, "", &report, QueryFits, of); err != nil {
		return err
	}
	if apply {
		moved, err := c.move(ctx, run, of)
		switch refused := refusalIn(err); {
		case isMissing(err): // it has ended
			return nil
		case err == nil:
			report = moved
		case refused != nil:
			report.To, report.Why = "", refused.Message()
		default:
			return c.explain(ctx, run, err)
		}
	}
	return each(report)
}

func (c *Client) move(ctx context.Context, run string, of *Migrate) (moved runtime.MigratedRun, err error) {
	waiting, cancel := context.WithTimeout(ctx, c.patience())
	defer cancel()
	handle, err := c.Temporal.UpdateWorkflow(waiting, client.UpdateWorkflowOptions{WorkflowID: run, UpdateName: UpdateMigrate,
		Args: []any{of}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = handle.Get(waiting, &moved)
	}
	return moved, err
}

// decode reads the records of an execution, each by the definition by which it was made.
func (c *Client) decode(ctx context.Context, run, execution string, versions []Version, encoded []json.RawMessage) ([]machine.StepView, error) {
	steps := make([]machine.StepView, len(encoded))
	for i, line := range encoded {
		var of struct{ Seq int64 }
		if err := json.Unmarshal(line, &of); err != nil {
			return nil, err
		}
		hash := ""
		for _, v := range versions {
			if v.From <= of.Seq {
				hash = v.Definition
			}
		}
		m, err := c.machineOf(ctx, run, execution, hash)
		if err != nil {
			return nil, err
		}
		record, err := m.DecodeRecord(line)
		if err != nil {
			return nil, fmt.Errorf("the history of run %q: %w", run, err)
		}
		steps[i] = m.StepView(record)
	}
	return steps, nil
}
