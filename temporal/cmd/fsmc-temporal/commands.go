package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// commands are the commands, with the least and the most words that they take.
var commands = map[string][2]int{"run": {1, 1}, "migrate": {1, 1}, "send": {2, 2}, "complete": {2, 3}, "cancel": {1, 1}, "pause": {1, 1},
	"resume": {1, 1}, "retry": {1, 1}, "wait": {1, 1}, "show": {1, 1}, "history": {1, 1}, "replay": {1, 1}, "list": {0, 0}, "stats": {0, 0}, "health": {0, 0}}

// elsewhere is what to do for a command of the other engines that there is not.
var elsewhere = map[string]string{
	"prune":   "Temporal deletes ended runs when the retention of their namespace is over: set it with temporal operator namespace update --retention",
	"backup":  "the Temporal server keeps the runs: back up its database",
	"restore": "the Temporal server keeps the runs: restore its database",
	"repair":  "a run on Temporal has no stored snapshot beside its history that could differ: terminate it with temporal workflow terminate, or reset it with temporal workflow reset",
	"move":    "a live run does not move to or from Temporal: let it end where it is, and start new runs elsewhere",
	"db":      "the Temporal server keeps its own tables",
	"serve":   "use the pages of the Temporal server",
	"watch":   "use show, or the pages of the Temporal server",
}

var (
	errUnwell = errors.New("something needs attention")
	errBad    = errors.New("the run has not succeeded")
	errWaits  = errors.New("the run has not ended")
)

func (o *options) command(ctx context.Context, words []string) error {
	name, rest := words[0], words[1:]
	wanted, ok := commands[name]
	switch {
	case !ok && elsewhere[name] != "":
		return fmt.Errorf("there is no command %q for runs on Temporal: %s", name, elsewhere[name])
	case !ok:
		return fmt.Errorf("there is no command %q for runs on Temporal: see fsmc-temporal --help", name)
	case len(rest) < wanted[0] || len(rest) > wanted[1]:
		most := fmt.Sprint(wanted[0])
		if wanted[1] > wanted[0] {
			most += fmt.Sprint(" or ", wanted[1])
		}
		return fmt.Errorf("%s takes %s words, not %d: see fsmc-temporal --help", name, most, len(rest))
	case o.format != "json":
		return fmt.Errorf("--format is json, not %q", o.format)
	case o.limit < 1 || o.after < 0 || o.timeout < 0:
		return errors.New("--limit is at least 1, --after and --timeout at least 0")
	case o.db == "":
		return errors.New("--db temporal://HOST:PORT/NAMESPACE?queue=NAME is missing")
	}
	var m *machine.Machine
	var callees []*machine.Machine
	if name == "run" || name == "migrate" {
		var err error
		if m, callees, err = o.load(rest[0]); err != nil {
			return err
		}
	}
	c, err := o.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Temporal.Close()
	c.Callees = callees
	switch name {
	case "run":
		return o.run(ctx, c, m)
	case "migrate":
		return o.migrate(ctx, c, m, machine.Operator{Actor: o.actor, Reason: o.reason})
	case "list":
		return o.print(c.List(ctx, o.limit))
	case "stats":
		return o.print(c.Stats(ctx, o.machine))
	case "health":
		return o.health(ctx, c)
	}
	return o.ofRun(ctx, c, name, rest)
}

// dial connects. TLS, keys and headers are what all of Temporal's programs take: TEMPORAL_… and temporal.toml.
func (o *options) dial(ctx context.Context) (*temporal.Client, error) {
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{})
	if err != nil {
		return nil, fmt.Errorf("the settings of Temporal (TEMPORAL_… and temporal.toml): %w", err)
	}
	options.Logger = log.NewStructuredLogger(slog.New(slog.NewTextHandler(o.err, &slog.HandlerOptions{Level: slog.LevelWarn})))
	return temporal.Dial(ctx, o.db, options)
}

// ofRun carries out a command about one run.
func (o *options) ofRun(ctx context.Context, c *temporal.Client, name string, words []string) error {
	id, by := words[0], machine.Operator{Actor: o.actor, Reason: o.reason}
	switch name {
	case "send":
		return o.print(c.Send(ctx, id, machine.ExternalEvent{Name: words[1], Data: json.RawMessage(o.data), ID: o.eventID, IfSeq: o.ifSeq,
			Actor: o.actor, Reason: o.reason}))
	case "complete":
		of := machine.Completion{Activity: words[1], Data: json.RawMessage(o.data), Operator: by}
		if len(words) > 2 {
			of.Event = words[2]
		}
		return o.print(c.Complete(ctx, id, of))
	case "cancel":
		return o.print(c.Cancel(ctx, id, runtime.CancelOptions{Force: o.force, Actor: o.actor, Reason: o.reason}))
	case "pause":
		return o.print(c.Pause(ctx, id, by))
	case "resume":
		return o.print(c.Resume(ctx, id, by))
	case "retry":
		return o.print(c.Retry(ctx, id, by))
	case "wait":
		return o.wait(ctx, c, id)
	case "history":
		return o.print(c.History(ctx, id, o.after, o.limit))
	case "replay":
		return o.print(c.Replay(ctx, id))
	}
	return o.print(c.Show(ctx, id))
}

// wait looks at a run each second until it has ended, or it or a child is halted.
func (o *options) wait(ctx context.Context, c *temporal.Client, id string) error {
	over := make(<-chan time.Time)
	if o.timeout > 0 {
		over = time.After(o.timeout)
	}
	for {
		about, err := c.Temporal.DescribeWorkflowExecution(ctx, id, "")
		closed := err == nil && about.GetWorkflowExecutionInfo().GetCloseTime() != nil
		v, err := c.Show(ctx, id)
		if err != nil {
			return err
		}
		var verdict error
		switch {
		case v.Status == machine.Finished && v.Outcome == machine.Success:
			return o.print(v, nil)
		case v.Status == machine.Finished:
			verdict = fmt.Errorf("%w: its outcome is %s", errBad, v.Outcome)
		case halted(&v):
			verdict = fmt.Errorf("%w: it is halted, or a run below it", errBad)
		case closed:
			verdict = fmt.Errorf("%w: its workflow was terminated, or the Temporal server has failed it", errBad)
		default:
			select {
			case <-time.After(time.Second):
				continue
			case <-over:
			case <-ctx.Done():
			}
			verdict = errWaits
		}
		return errors.Join(o.print(v, nil), verdict)
	}
}

func halted(v *machine.View) bool {
	for i := range v.Activities {
		if child := v.Activities[i].Child; child != nil && child.Status == machine.Halted {
			return true
		}
	}
	return v.Status == machine.Halted
}

// health prints what there is to know of the task queue. Runs without a worker, and runs that are halted, are unwell.
func (o *options) health(ctx context.Context, c *temporal.Client) error {
	h, err := c.Health(ctx)
	if err := o.print(h, err); err != nil {
		return err
	}
	switch {
	case h.Running > 0 && len(h.Workers) == 0:
		return fmt.Errorf("%w: %d runs are not over, and no worker serves the task queue %q", errUnwell, h.Running, h.Queue)
	case len(h.Stuck) > 0:
		return fmt.Errorf("%w: %d runs wait, since the last worker that tried their next step could not take it", errUnwell, len(h.Stuck))
	case len(h.Halted) > 0:
		return fmt.Errorf("%w: %d runs are halted", errUnwell, len(h.Halted))
	}
	return nil
}
