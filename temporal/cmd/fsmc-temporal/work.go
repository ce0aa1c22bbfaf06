package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"go.temporal.io/sdk/worker"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/process"
	"github.com/fsmc-dev/fsmc/temporal"
)

// run starts a run, is a worker, or both.
func (o *options) run(ctx context.Context, c *temporal.Client, m *machine.Machine) error {
	switch {
	case !o.detach && o.activities == "" && !o.elsewhere:
		return errors.New("run needs --activities DIR to be a worker, or --elsewhere where other workers have the activities, or --detach --id ID to start a run")
	case o.elsewhere && o.activities+o.outbox+o.archive != "":
		return errors.New("--elsewhere is without --activities, --outbox and --archive: other workers have them, as the activities NAME, fsmc.Deliver and fsmc.Archive")
	case (o.deployment == "") != (o.build == ""):
		return errors.New("--deployment NAME and --build-id ID are given together")
	}
	c.Archive = o.archived || o.archive != ""
	c.Searchable = c.CanSearch(ctx)
	if o.id != "" {
		params, err := o.object(m)
		if err == nil {
			err = c.Start(ctx, m, o.id, params)
		}
		if err != nil {
			return err
		}
		if err := o.print(map[string]string{"run": o.id}, nil); err != nil || o.detach {
			return err
		}
	} else if o.detach || len(o.params) > 0 {
		return errors.New("--id ID is missing: it names the run that is started")
	}
	return o.work(ctx, c, m)
}

// work is a worker until it is interrupted.
func (o *options) work(ctx context.Context, c *temporal.Client, m *machine.Machine) error {
	handlers, err := o.handlers(m)
	if err != nil {
		return err
	}
	by := temporal.Options()
	by.LocalActivityWorkerOnly = o.elsewhere
	by.DeploymentOptions = worker.DeploymentOptions{UseVersioning: o.deployment != "",
		Version: worker.WorkerDeploymentVersion{DeploymentName: o.deployment, BuildID: o.build}}
	w := worker.New(c.Temporal, c.TaskQueue, by)
	of := temporal.Worker{Name: fmt.Sprint("fsmc-temporal ", os.Getpid()), Machine: m, Handlers: handlers, Client: c.Temporal, Elsewhere: o.elsewhere}
	for _, callee := range c.Callees {
		handlers, err := o.handlers(callee)
		if err != nil {
			return err
		}
		of.Callees = append(of.Callees, temporal.Callee{Machine: callee, Handlers: handlers})
	}
	for _, path := range o.earlier {
		machines, err := compile(path)
		if err != nil {
			return err
		}
		of.Earlier = append(of.Earlier, machines...)
	}
	if o.outbox != "" {
		of.Outbox = process.Outbox(o.outbox)
	}
	if o.archive != "" {
		of.Archive = archiveTo(o.archive)
	}
	if err := temporal.Register(w, of); err != nil {
		return err
	}
	if err := w.Start(); err != nil {
		return err
	}
	<-ctx.Done()
	w.Stop()
	return nil
}

// handlers are the executables for a machine.
func (o *options) handlers(m *machine.Machine) (runtime.Handlers, error) {
	if o.elsewhere {
		return runtime.Handlers{}, nil
	}
	return process.Load(o.activities, m)
}

// archived is what the command of --archive gets on standard input.
type archived struct {
	Run        string             `json:"run"`
	Machine    string             `json:"machine"`
	After      int64              `json:"after"`
	Steps      []machine.StepView `json:"steps"`
	View       *machine.View      `json:"view,omitempty"` // of the last part
	Definition json.RawMessage    `json:"definition"`
}

// archiveTo gives each part of a history to a command.
func archiveTo(command string) temporal.ArchiveFunc {
	give := process.Give(command)
	return func(ctx context.Context, a *temporal.Archived) error {
		steps, err := a.Steps()
		if err != nil {
			return err
		}
		return give(ctx, archived{a.Run, a.Machine, a.After, steps, a.View, a.Definition})
	}
}
