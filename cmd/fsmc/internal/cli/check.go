package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

func newCheck(s *streams) *cobra.Command {
	var (
		format reportFormat
		strict bool
		bounds bool
		runs   bool
		expand bool
		limit  int
	)
	c := &cobra.Command{
		Use:   "check PATH...",
		Short: "Prove what machines can do, before they run",
		Long: `Check reads the named files, and every *.fsm file below the named directories, as
one unit. It reports everything that is wrong with the machines in them, sorted
by place. Many findings have a witness: a run that shows that the finding is true.

With --bounds, check also prints the worst case of each machine: the most steps,
attempts of each activity, costs and time that any run can take. It also prints
where each activity's results and failures are handled. Some run reaches a figure,
unless the figure says "at most". Each figure is followed by its factors. With
--witness, check also draws the run that reaches each figure. With --format json,
the worst cases are always there. Costs and time are those of a run with all the runs
that it starts. So are the figures of the tree.

A witness of a machine that calls others has a line for each run that it starts: what
it was given, and how it ended. With --expand, an example of such a run is below it.

A file may import others, below the nearest folder with go.mod or .git. Check reads
those as well, and reports only what is wrong with the files that are named.

Exit status 1: there is an error; or there is a warning and --strict is given; or
there is no machine, enum or record.`,
		Example: `  fsmc check review.fsm
  fsmc check --bounds review.fsm
  fsmc check --bounds --witness review.fsm
  fsmc check --strict --format github ./machines
  cat review.fsm | fsmc check -`,
		Args:              arguments("PATH..."),
		ValidArgsFunction: completeFSM,
		RunE: func(_ *cobra.Command, paths []string) error {
			if limit < 1 {
				return fmt.Errorf("--max-configurations is %d; it is at least 1", limit)
			}
			if runs && !bounds {
				return errors.New("--witness needs --bounds; findings show their witness without it")
			}
			collectSeldom()
			unit, err := s.load(paths)
			if err != nil {
				return err
			}
			r := report{unit: unit, bounds: bounds, runs: runs, expand: expand}
			if bounds || format.worst {
				r.list, r.worst = analyzed(unit, limit, runs)
			} else {
				r.list = findings(unit, limit)
			}
			r.fold()
			if err := format.write(s.out, r); err != nil {
				return err
			}
			switch {
			case r.list.HasErrors() || strict && r.list.Count(diag.Warning) > 0:
				return errFinding
			case len(unit.Program.Machines) == 0 && !hasTypes(unit.Program):
				return errNoMachine
			}
			return nil
		},
	}
	chooseFlag(c, &format, "format", "text", "how to print",
		option[reportFormat]{"text", reportFormat{write: writeText}},
		option[reportFormat]{"json", reportFormat{write: writeJSON, worst: true}},
		option[reportFormat]{"sarif", reportFormat{write: writeSARIF}},
		option[reportFormat]{"github", reportFormat{write: writeGitHub}},
	)
	c.Flags().BoolVar(&strict, "strict", false, "exit with 1 for a warning, too")
	c.Flags().BoolVar(&bounds, "bounds", false, "print the worst case of each machine, and where results and failures are handled")
	c.Flags().BoolVar(&runs, "witness", false, "with --bounds: draw the run that reaches each figure")
	c.Flags().BoolVar(&expand, "expand", false, "show the steps of the machines that a witness calls, below the line of each")
	c.Flags().IntVar(&limit, "max-configurations", explore.DefaultLimit, "explore at most `N` configurations of a machine; a question that is then open is \"undecided\"")
	return c
}

// collectSeldom lets garbage grow to twice what is in use before it is collected,
// unless GOGC says otherwise: check allocates much and soon ends, and collecting
// was a quarter of its work. Near two gigabytes it is collected as often as need be,
// unless GOMEMLIMIT says otherwise.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1792 << 20)
	}
}

// findings is everything that is wrong with unit: what the front end found,
// and what the rules found within limit configurations of a machine.
func findings(unit *lang.Unit, limit int) diag.List {
	return withFrontEnd(unit, check.RunUpTo(unit.Program, all.Rules, limit))
}

// analyzed is findings with the worst case of every machine, and with the runs that
// reach its figures where runs says so.
func analyzed(unit *lang.Unit, limit int, runs bool) (diag.List, []*check.Worst) {
	list, worst := check.Analyze(unit.Program, all.Rules, limit, runs)
	return withFrontEnd(unit, list), worst
}

// withFrontEnd adds what the front end found to list.
func withFrontEnd(unit *lang.Unit, list diag.List) diag.List {
	list = append(slices.Clone(unit.Diags), list...)
	list.Sort()
	return list
}

// refuseErrors is errFinding where unit has errors, which it prints: a machine
// with errors is neither generated nor run.
func (s *streams) refuseErrors(unit *lang.Unit) error {
	list := findings(unit, explore.DefaultLimit)
	if called := calledElsewhere(unit.Program); len(called) > 0 {
		list = append(list, check.RunUpTo(&ir.Program{Machines: called}, all.Rules, explore.DefaultLimit)...)
		list.Sort()
	}
	return s.refuse(list, unit.File)
}

// calledElsewhere are the machines of imported files that those of prog call, and that
// these call.
func calledElsewhere(prog *ir.Program) []*ir.Machine {
	var out []*ir.Machine
	known := map[*ir.Machine]bool{}
	for _, m := range prog.Machines {
		known[m] = true
	}
	for next := slices.Clone(prog.Machines); len(next) > 0; next = next[1:] {
		for _, a := range next[0].Activities {
			if m := a.Machine; m != nil && !known[m] {
				known[m] = true
				out, next = append(out, m), append(next, m)
			}
		}
	}
	return out
}

// refuse is errFinding where list has errors, which it prints.
func (s *streams) refuse(list diag.List, sources diag.Sources) error {
	var errs diag.List
	for _, d := range list {
		if d.Severity == diag.Error {
			errs.Add(d)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	if err := diag.WriteText(s.err, errs, sources, diag.TextOptions{Color: color(s.err)}); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "\n%s\n", diag.Summary(errs))
	return errFinding
}
