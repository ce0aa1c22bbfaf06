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
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

const usage = `fsmc-temporal works with runs that Temporal keeps.

  fsmc-temporal run PATH --activities DIR    be a worker for the machine of a file, until it is interrupted
  fsmc-temporal run PATH --elsewhere         the same without activities, which are in workers of another language
  fsmc-temporal run PATH --detach --id ID    start a run, and leave the work to workers
  fsmc-temporal send ID EVENT                send an event to a run
  fsmc-temporal cancel|pause|resume|retry ID
  fsmc-temporal complete ID ACTIVITY [EVENT] end an open activity by hand
  fsmc-temporal wait ID [--timeout TIME]     wait until a run has ended or is halted
  fsmc-temporal migrate PATH [--map FILE]    show which unfinished runs fit the definition in PATH; --apply moves them
  fsmc-temporal show ID                      print how a run stands
  fsmc-temporal history ID                   print the steps of a run
  fsmc-temporal list                         print the newest runs
  fsmc-temporal stats [--machine NAME]       count the runs by state and outcome
  fsmc-temporal health                       print the workers of the task queue, and the runs that are halted
  fsmc-temporal replay ID                    compute a run from Temporal's history, and compare its steps

A worker delivers messages with --outbox COMMAND, and keeps the history of ended runs with --archive COMMAND; --archived
starts a run whose history is kept. --earlier FILE, once for each, gives it other versions of its machines, for runs whose definitions are
larger than the 256 KiB that a run carries with it. --deployment NAME and --build-id ID make it one of a worker deployment of Temporal.

All take --db temporal://HOST:PORT/NAMESPACE?queue=NAME, for which the variable FSMC_DB stands in.
TLS, certificates and an API key are those of Temporal's own programs: TEMPORAL_TLS, TEMPORAL_TLS_SERVER_CA_CERT_PATH,
TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH, TEMPORAL_API_KEY, TEMPORAL_PROFILE, and temporal.toml.
All but list, stats, health, and run --detach need a worker. They print JSON.

Exit status: 0 all is well; 1 the run refuses it or does not fit, is not there, is halted or has not succeeded, or something
is wrong with health; 2 wrong usage, or no answer; 3 the run has not ended, and the time of wait is over.
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
	switch {
	case errors.Is(err, errWaits):
		return 3
	case errors.As(err, &refused), slices.ContainsFunc([]error{errMisfit, errUnwell, errBad, temporal.ErrDiffers, runtime.ErrNotFound},
		func(known error) bool { return errors.Is(err, known) }):
		return 1
	}
	return 2
}

// split reads flags, which may stand between words.
func split(flags *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
				err = fmt.Errorf("there is no flag --%s for runs on Temporal: see fsmc-temporal --help", strings.TrimPrefix(name, "-"))
			}
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
	earlier                []string
	detach, force, apply   bool
	ifSeq, after           int64
	limit                  int

	archive           string
	archived          bool
	elsewhere         bool
	deployment, build string
	timeout           time.Duration
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
	f.StringVar(&o.archive, "archive", "", "")
	f.BoolVar(&o.archived, "archived", false, "")
	f.BoolVar(&o.elsewhere, "elsewhere", false, "")
	f.StringVar(&o.deployment, "deployment", "", "")
	f.StringVar(&o.build, "build-id", "", "")
	f.DurationVar(&o.timeout, "timeout", 0, "")
	f.BoolVar(&o.apply, "apply", false, "")
	f.BoolVar(&o.detach, "detach", false, "")
	f.BoolVar(&o.force, "force", false, "")
	f.Func("if-seq", "", func(text string) (err error) {
		if o.ifSeq, err = strconv.ParseInt(text, 10, 64); err != nil || o.ifSeq < 1 {
			return errors.New("steps count from 1, with which a run starts")
		}
		return nil
	})
	f.Int64Var(&o.after, "after", 0, "")
	f.IntVar(&o.limit, "limit", 1000, "")
	f.Func("earlier", "", func(path string) error {
		o.earlier = append(o.earlier, path)
		return nil
	})
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

func (o *options) print(v any, err error) error {
	if err != nil {
		return err
	}
	e := json.NewEncoder(o.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
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
	return slices.ContainsFunc(m.Definition().Params, func(p machine.Field) bool {
		return p.Name == param && p.Type.Kind == machine.String
	})
}

// compile gives the machines of a file.
func compile(path string) (machines []*machine.Machine, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	unit := lang.Load([]lang.Source{{Name: path, Src: text}})
	if unit.Diags.HasErrors() {
		return nil, fmt.Errorf("%s has errors: fsmc check %s shows them", path, path)
	}
	for _, of := range unit.Program.Machines {
		m, err := machine.Compile(table.Compile(of))
		if err != nil {
			return nil, err
		}
		machines = append(machines, m)
	}
	return machines, nil
}

// load gives the one machine of a file, or the one called --machine, and those that it calls, and they.
func (o *options) load(path string) (m *machine.Machine, callees []*machine.Machine, err error) {
	machines, err := compile(path)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	all := map[string]*machine.Machine{}
	for _, next := range machines {
		all[next.Hash()] = next
		name := next.Definition().Name
		if names = append(names, name); name == o.machine || o.machine == "" && len(machines) == 1 {
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
