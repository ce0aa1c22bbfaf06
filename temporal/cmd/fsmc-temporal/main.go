// Command fsmc-temporal works with runs that Temporal keeps. fsmc hands over to it where --db begins
// with temporal://.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/process"
	"github.com/fsmc-dev/fsmc/temporal"
)

const usage = `fsmc-temporal works with runs that Temporal keeps.

  fsmc-temporal run PATH --activities DIR    be a worker for the machine of a file, until it is interrupted
  fsmc-temporal run PATH --detach --id ID    start a run, and leave the work to workers
  fsmc-temporal send ID EVENT                send an event to a run
  fsmc-temporal cancel|pause|resume|retry ID
  fsmc-temporal migrate PATH [--map FILE]    show which unfinished runs fit the definition in PATH; --apply moves them
  fsmc-temporal show ID                      print how a run stands
  fsmc-temporal history ID                   print the steps of a run
  fsmc-temporal list                         print the newest runs

All take --db temporal://HOST:PORT/NAMESPACE?queue=NAME, for which the variable FSMC_DB stands in.
TLS, certificates and an API key are those of Temporal's own programs: TEMPORAL_TLS, TEMPORAL_TLS_SERVER_CA_CERT_PATH,
TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH, TEMPORAL_API_KEY, TEMPORAL_PROFILE, and temporal.toml.
All but list, and run without an activity, need a worker. They print JSON.

Exit status: 0 all is well; 1 the run refuses it or does not fit, or is not there; 2 wrong usage, or no answer.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(do(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// do carries out a command line, and gives its exit status.
func do(ctx context.Context, args []string, out, errOut io.Writer) int {
	o := options{out: out, err: errOut}
	flags := o.flags()
	words, err := split(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp), err == nil && len(words) == 0:
		fmt.Fprint(out, usage)
		return 0
	case err == nil:
		err = o.command(ctx, words)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(errOut, "fsmc-temporal:", describe.Printable(err.Error()))
	var refused *machine.Rejected
	if errors.As(err, &refused) || errors.Is(err, errMisfit) || errors.Is(err, runtime.ErrNotFound) {
		return 1
	}
	return 2
}

// split reads flags, which may stand between words.
func split(flags *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return words, nil
		}
		words, args = append(words, flags.Arg(0)), flags.Args()[1:]
	}
}

// options are the flags of all commands.
type options struct {
	out, err               io.Writer
	db, id, data, eventID  string
	activities, outbox     string
	machine, actor, reason string
	format, mapping        string
	params                 map[string]string
	detach, force, apply   bool
	ifSeq, after           int64
	limit                  int
}

func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("fsmc-temporal", flag.ContinueOnError)
	f.SetOutput(io.Discard) // the error is printed by who gets it
	o.params = map[string]string{}
	f.StringVar(&o.db, "db", os.Getenv("FSMC_DB"), "")
	f.StringVar(&o.id, "id", "", "")
	f.StringVar(&o.data, "data", "", "")
	f.StringVar(&o.eventID, "event-id", "", "")
	f.StringVar(&o.activities, "activities", "", "")
	f.StringVar(&o.outbox, "outbox", "", "")
	f.StringVar(&o.machine, "machine", "", "")
	f.StringVar(&o.actor, "actor", cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME")), "")
	f.StringVar(&o.reason, "reason", "", "")
	f.StringVar(&o.format, "format", "json", "")
	f.StringVar(&o.mapping, "map", "", "")
	f.BoolVar(&o.apply, "apply", false, "")
	f.BoolVar(&o.detach, "detach", false, "")
	f.BoolVar(&o.force, "force", false, "")
	f.Int64Var(&o.ifSeq, "if-seq", 0, "")
	f.Int64Var(&o.after, "after", 0, "")
	f.IntVar(&o.limit, "limit", 1000, "")
	f.Func("param", "", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("a parameter is NAME=VALUE")
		}
		o.params[name] = value
		return nil
	})
	return f
}

func (o *options) command(ctx context.Context, words []string) error {
	name, rest := words[0], words[1:]
	wanted, ok := map[string]int{"run": 1, "migrate": 1, "send": 2, "cancel": 1, "pause": 1, "resume": 1, "retry": 1, "show": 1, "history": 1, "list": 0}[name]
	switch {
	case !ok:
		return fmt.Errorf("there is no command %q for runs on Temporal: see fsmc-temporal --help", name)
	case len(rest) != wanted:
		return fmt.Errorf("%s takes %d words, not %d: see fsmc-temporal --help", name, wanted, len(rest))
	case o.format != "json":
		return fmt.Errorf("--format is json, not %q", o.format)
	case o.limit < 1 || o.after < 0 || o.ifSeq < 0:
		return errors.New("--limit is at least 1, --after and --if-seq at least 0")
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
	// TLS, keys and headers are what all of Temporal's programs take: TEMPORAL_… and temporal.toml.
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{})
	if err != nil {
		return fmt.Errorf("the settings of Temporal (TEMPORAL_… and temporal.toml): %w", err)
	}
	options.Logger = log.NewStructuredLogger(slog.New(slog.NewTextHandler(o.err, &slog.HandlerOptions{Level: slog.LevelWarn})))
	c, err := temporal.Dial(ctx, o.db, options)
	if err != nil {
		return err
	}
	defer c.Temporal.Close()
	by := machine.Operator{Actor: o.actor, Reason: o.reason}
	c.Callees = callees
	switch name {
	case "run":
		return o.run(ctx, c, m)
	case "migrate":
		return o.migrate(ctx, c, m, by)
	case "send":
		return o.print(c.Send(ctx, rest[0], machine.ExternalEvent{Name: rest[1], Data: json.RawMessage(o.data), ID: o.eventID, IfSeq: o.ifSeq,
			Actor: o.actor, Reason: o.reason}))
	case "cancel":
		return o.print(c.Cancel(ctx, rest[0], runtime.CancelOptions{Force: o.force, Actor: o.actor, Reason: o.reason}))
	case "pause":
		return o.print(c.Pause(ctx, rest[0], by))
	case "resume":
		return o.print(c.Resume(ctx, rest[0], by))
	case "retry":
		return o.print(c.Retry(ctx, rest[0], by))
	case "show":
		return o.print(c.Show(ctx, rest[0]))
	case "history":
		steps, err := c.History(ctx, rest[0], o.after, o.limit)
		return o.print(steps, err)
	}
	rows, err := c.List(ctx, o.limit)
	return o.print(rows, err)
}

func (o *options) print(v any, err error) error {
	if err != nil {
		return err
	}
	e := json.NewEncoder(o.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// run starts a run, is a worker, or both.
func (o *options) run(ctx context.Context, c *temporal.Client, m *machine.Machine) error {
	if !o.detach && o.activities == "" {
		return errors.New("run needs --activities DIR to be a worker, or --detach --id ID to start a run")
	}
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
	handlers, err := process.Load(o.activities, m)
	if err != nil {
		return err
	}
	w := worker.New(c.Temporal, c.TaskQueue, worker.Options{})
	of := temporal.Worker{Name: fmt.Sprint("fsmc-temporal ", os.Getpid()), Machine: m, Handlers: handlers, Client: c.Temporal}
	for _, callee := range c.Callees {
		handlers, err := process.Load(o.activities, callee)
		if err != nil {
			return err
		}
		of.Callees = append(of.Callees, temporal.Callee{Machine: callee, Handlers: handlers})
	}
	if o.outbox != "" {
		of.Outbox = process.Outbox(o.outbox)
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

// object makes parameters of their texts: text as it stands, everything else as JSON.
func (o *options) object(m *machine.Machine) (json.RawMessage, error) {
	object := map[string]json.RawMessage{}
	for name, text := range o.params {
		value := json.RawMessage(text)
		if !json.Valid(value) || isText(m, name) {
			value, _ = json.Marshal(text)
		}
		object[name] = value
	}
	return json.Marshal(object)
}

func isText(m *machine.Machine, param string) bool {
	for _, p := range m.Definition().Params {
		if p.Name == param {
			return p.Type.Kind == machine.String
		}
	}
	return false
}

// load gives the one machine of a file, or the one called --machine, and those that it calls, and they.
func (o *options) load(path string) (m *machine.Machine, callees []*machine.Machine, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	unit := lang.Load([]lang.Source{{Name: path, Src: text}})
	if unit.Diags.HasErrors() {
		return nil, nil, fmt.Errorf("%s has errors: fsmc check %s shows them", path, path)
	}
	var names []string
	all := map[string]*machine.Machine{}
	for _, of := range unit.Program.Machines {
		next, err := machine.Compile(table.Compile(of))
		if err != nil {
			return nil, nil, err
		}
		all[next.Hash()] = next
		if names = append(names, of.Name); of.Name == o.machine || o.machine == "" && len(unit.Program.Machines) == 1 {
			m = next
		}
	}
	if m == nil {
		return nil, nil, fmt.Errorf("--machine NAME names one of %s", strings.Join(names, ", "))
	}
	found := map[string]bool{}
	var below func(*machine.Machine)
	below = func(m *machine.Machine) {
		for _, a := range m.Definition().Activities {
			if callee := all[a.Callee]; callee != nil && !found[a.Callee] { // one of another file is missed by name
				found[a.Callee] = true
				callees = append(callees, callee)
				below(callee)
			}
		}
	}
	below(m)
	return m, callees, nil
}
