package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// lease is how long a worker may be silent before its attempts are lost, and how long one
// delivery of a message may take.
const lease = 30 * time.Second

// stopping is how long an activity has to stop once it is told to.
const stopping = 30 * time.Second

const deliverType = "fsmc.Deliver"

// Options are what a worker is to start from. It asks for new runs, and for questions about runs that have ended, at all times: both
// pollers of the SDK's default may wait for a minute, after a busy time, for what only runs in its cache send. One task may
// take a minute on a busy computer.
func Options() worker.Options {
	return worker.Options{
		WorkflowTaskPollerBehavior: worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{}),
		DeadlockDetectionTimeout:   time.Minute,
	}
}

// Worker is what a program brings to a worker of Temporal.
type Worker struct {
	Name      string // stands in history; Temporal's identity of the worker is a good one
	Machine   *machine.Machine
	Handlers  runtime.Handlers
	Outbox    runtime.OutboxFunc      // delivers what the machine publishes; nil where it publishes nothing
	Archive   ArchiveFunc             // keeps the history of runs that are archived; nil leaves it to another worker
	Client    client.Client           // records checkpoints; without it Attempt.Progress is an error
	Converter converter.DataConverter // of Client; the default one if it is nil
	Callees   []Callee                // the machines that Machine calls, and that these call
	Earlier   []*machine.Machine      // other versions of them all: a run whose definitions are too large to carry waits for a worker that has them

	// Elsewhere says that other workers of the task queue have the activities for which there is no function here, as in
	// another language. A worker that has none at all is one with worker.Options.LocalActivityWorkerOnly.
	Elsewhere bool
}

// Callee is a machine that another calls, with the functions for it.
type Callee struct {
	Machine  *machine.Machine
	Handlers runtime.Handlers
}

// Register registers the workflow, and an activity for each function. The error says what is
// missing, or what of the machine does not run on Temporal yet. A task queue serves one machine, and those
// that it calls. With a Client, runs of another version of it get the functions of what that has with the same
// name and types; the rest of them waits for a worker that has it.
func Register(to worker.Registry, w Worker) error {
	known := make([]*machine.Machine, len(w.Callees))
	for i, c := range w.Callees {
		known[i] = c.Machine
	}
	below, err := tree(w.Machine.Definition(), known)
	if err != nil {
		return err
	}
	has := libraryOf(slices.Concat(w.Earlier, known, []*machine.Machine{w.Machine})...)
	served := []Callee{{w.Machine, w.Handlers}}
	for _, c := range w.Callees {
		if below[c.Machine.Hash()] == nil {
			return fmt.Errorf("machine %q is not called by machine %q", c.Machine.Definition().Name, w.Machine.Definition().Name)
		}
		served = append(served, c)
	}
	activities := map[string]map[string]*versions{} // by name, and by the machine: two may have one of a name
	for _, s := range served {
		d := s.Machine.Definition()
		of := &versions{client: w.Client, has: has, current: s, others: map[string]Callee{}}
		if err := w.complete(d, s.Handlers); err != nil {
			return err
		}
		for name := range s.Handlers.Activities {
			if activities[name] == nil {
				activities[name] = map[string]*versions{}
			}
			activities[name][d.Name] = of
		}
		for name, f := range s.Handlers.Guards {
			to.RegisterActivityWithOptions(func(ctx context.Context, args json.RawMessage) (verdict, error) {
				return verdictOf(f.Ask(ctx, args, guardLimit)), nil
			},
				activity.RegisterOptions{Name: guardType(d.Name, name)})
		}
	}
	run := func(ctx workflow.Context, in Input) (Output, error) { return runWorkflow(ctx, in, has, func(*run) {}) }
	to.RegisterWorkflowWithOptions(run, workflow.RegisterOptions{Name: WorkflowType,
		VersioningBehavior: workflow.VersioningBehaviorPinned})
	to.RegisterWorkflowWithOptions(LimitWorkflow, workflow.RegisterOptions{Name: LimitType,
		VersioningBehavior: workflow.VersioningBehaviorPinned})
	for name, of := range activities {
		to.RegisterActivityWithOptions(func(ctx context.Context, c Call) (Answer, error) {
			v := of[c.Machine].find(ctx, &c)
			if f := v.Handlers.Activities[name]; f != nil {
				return w.attempt(ctx, v.Machine, f, name, &c)
			}
			return Answer{End: endElsewhere, Worker: w.Name}, nil
		}, activity.RegisterOptions{Name: name})
	}
	if w.Client != nil {
		to.RegisterActivityWithOptions(w.progress, activity.RegisterOptions{Name: progressType})
		to.RegisterActivityWithOptions(w.tell, activity.RegisterOptions{Name: tellType})
		to.RegisterActivityWithOptions(w.check, activity.RegisterOptions{Name: checkType})
	}
	if w.Archive != nil {
		to.RegisterActivityWithOptions(func(ctx context.Context, a Archived) error {
			if a.Named != nil {
				all, err := has.find(*a.Named)
				if err != nil {
					return err
				}
				a.Definition, a.Named = all[len(all)-1].Encode(), nil
			}
			return w.Archive(ctx, &a)
		},
			activity.RegisterOptions{Name: archiveType})
	}
	if w.Outbox != nil {
		to.RegisterActivityWithOptions(func(ctx context.Context, m Message) error { return w.Outbox(ctx, &m) },
			activity.RegisterOptions{Name: deliverType})
	}
	return nil
}

// complete reports whether there is a function for each activity and guard: nobody else serves the task queue.
func (w *Worker) complete(d *machine.Definition, h runtime.Handlers) error {
	for i := range d.Activities {
		if d.Activities[i].Limit != nil && w.Client == nil {
			return fmt.Errorf("the activity %q of machine %q has a limit for all runs together, and no Client is brought that asks for a place", d.Activities[i].Name, d.Name)
		}
	}
	if w.Elsewhere {
		for i := range d.Guards { // which are asked in the worker that takes the step
			if name := d.Guards[i].Name; h.Guards[name] == nil {
				return fmt.Errorf("machine %q has the guard %q, and no function for it is brought", d.Name, name)
			}
		}
		return nil
	}
	own := slices.ContainsFunc(d.Activities, func(a machine.Activity) bool { return a.Callee == "" })
	if len(h.Activities)+len(h.Guards) == 0 && (own || len(d.Guards) > 0) {
		return fmt.Errorf("machine %q has activities or guards, and no function for it is brought", d.Name)
	}
	for i := range d.Dos {
		if d.Dos[i].Progress != nil && w.Client == nil {
			return fmt.Errorf("the do %q of machine %q has a limit between checkpoints, and no Client is brought that records them", d.Dos[i].Name, d.Name)
		}
	}
	for i := range d.Timers {
		if d.Timers[i].Idle && len(h.Activities) > 0 && w.Client == nil {
			return fmt.Errorf("the timer %q of machine %q starts again with a checkpoint, and no Client is brought that records them", d.Timers[i].Name, d.Name)
		}
	}
	return h.Check(d)
}

func guardType(machine, guard string) string { return machine + "." + guard }

// verdict is what a guard has answered.
type verdict struct {
	Answer bool   `json:"answer"`
	Error  string `json:"error,omitempty"`
}

func verdictOf(answer bool, err error) verdict {
	if err != nil {
		return verdict{Error: err.Error()}
	}
	return verdict{Answer: answer}
}

func (v verdict) read() (bool, error) {
	if v.Error != "" {
		return false, errors.New(v.Error)
	}
	return v.Answer, nil
}

// attempt calls the function, held to its limits, and beats for as long as it lasts.
func (w *Worker) attempt(ctx context.Context, m *machine.Machine, f runtime.ActivityFunc, name string, c *Call) (Answer, error) {
	task, ok := m.TaskOf(c.Do)
	if !ok {
		return Answer{}, fmt.Errorf("machine %q has no do %q", c.Machine, c.Do)
	}
	task.Key, task.Attempt = c.Key, c.Attempt
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	beats := &pulse{client: w.Client, token: activity.GetInfo(ctx).TaskToken, cancel: cancel, last: c.Checkpoint, key: c.Key}
	beating, stop := context.WithCancel(ctx)
	defer stop()
	go beats.beat(beating)
	hooks := runtime.AttemptHooks{}
	if w.Client != nil {
		hooks.Checkpoint = func(data json.RawMessage) error { return beats.checkpoint(ctx, data) }
	}
	a := runtime.NewAttempt(runtime.Attempt{Run: c.Run, Machine: c.Machine, Activity: name, Number: c.Attempt, Key: c.Key,
		Args: c.Args, Checkpoint: c.Checkpoint, Started: c.Started, Visit: c.Visit}, hooks)
	began := time.Now()
	if c.Limiter != "" {
		go w.began(ctx, c)
	}
	o := runtime.Perform(ctx, f, a, runtime.AttemptLimits{Timeout: c.Timeout, Heartbeat: c.Heartbeat, Progress: c.Progress, Stopping: stopping})
	answer := Answer{Worker: w.Name, Took: time.Since(began), Cost: o.Cost}
	answer.Checkpoint, answer.Mark = beats.current()
	read(&answer, &o, m, &task)
	return answer, nil
}

// read puts an outcome into an answer. One that was cancelled is told as it came; the workflow
// notes it as late.
func read(answer *Answer, o *runtime.AttemptOutcome, m *machine.Machine, task *machine.Task) {
	switch o.End {
	case runtime.AttemptReturned:
		answer.End, answer.Message = endDeclined, o.Message
		return
	case runtime.AttemptLost:
		answer.End = endLost
		return
	case runtime.AttemptCancelled:
		answer.End, answer.Category, answer.Message = endFailed, "unknown", o.Message
		if o.Event == "" {
			return
		}
	}
	in := o.Input(m, task, maxPayload)
	if in.Kind == machine.FailureInput {
		answer.End, answer.Category, answer.Message = endFailed, m.Definition().Categories[in.Category], in.Message
		return
	}
	answer.End, answer.Event, answer.Data = endResult, o.Event, o.Data
}
