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
	k := &checker{streams: s}
	c := &cobra.Command{
		Use:   "check PATH...",
		Short: "Prove what machines can do, before they run",
		Long: `Check reads the named files, and the *.fsm files below the named folders, but not
*_test.fsm there. It reports everything that is wrong with the machines in them, sorted
by place. Many findings have a witness: a run that shows that the finding is true.

With --bounds, check also prints the worst case of each machine: the most steps,
attempts of each activity, costs and time that any run can take. Some run reaches each
figure; only a figure with "at most" may be too high. Behind the figure stands how it is
computed. Costs, time and the figures "of the tree" include all runs that a run starts.
--bounds also prints where each activity's results and failures are handled. With
--witness, check draws the run that reaches each figure. If no run is known to reach an
"at most" figure, it draws one that comes near, and says so. --format json always has the
worst cases.

With --format scenario, check prints the run of each finding as a scenario of
fsmc test, which you can keep as a test.

If the machine of a witness calls others, the witness has a line for each child: what it
was given, and how it ended. With --expand, the steps of such a child follow below its
line. Of all children that end in this way, the shortest is shown for a finding, the one
that lasts longest for a time, and one that reaches the figure for any other figure. If the
steps of all would be more than 100,000 lines, they are left out.

With --fix, check changes the files. It makes the fixes that leave you no choice, formats
the files that it has changed, and reports what is left. These fixes are: a misspelt name
becomes the nearest one; an initial state is named where only one state can be meant; an
import that nothing needs and a suppression that suppresses nothing are removed. With
--fix-rules, it also makes the first fix of every finding of the rules that you name.
With --diff, check prints the changes and writes nothing; standard error names the rules
that --fix-rules could fix, too. Standard input (-) is printed with its fixes, and what is
left goes to standard error. If a file is read-only, or has changed meanwhile, that is an
error, and no file is written. The rules with fixes:

` + fixesHelp() + `
With --watch, check does not end. It checks again whenever a named or imported file changes,
and prints which findings are new and which are gone. A file that is missing is an error
until it is there again. Ctrl-C ends the command with the exit status of the last check.

A file may import others that are below the nearest folder with go.mod or .git. Check
reads those, too, but reports only what is wrong with the named files.

Exit status 1: there is an error; or there is a warning and --strict is given; or
there is no machine, scenario, enum or record; or --diff has printed a change.`,
		Example: `  fsmc check review.fsm
  fsmc check --bounds review.fsm
  fsmc check --bounds --witness review.fsm
  fsmc check --strict --format github ./machines
  fsmc check --fix --diff review.fsm
  fsmc check --fix-rules bound-without-else,unused review.fsm
  fsmc check --watch .
  cat review.fsm | fsmc check -`,
		RunE: k.run,
	}
	chooseFlag(c, &k.format, "format", "text", "how to print",
		option[reportFormat]{"text", reportFormat{write: writeText}},
		option[reportFormat]{"json", reportFormat{write: writeJSON, worst: true}},
		option[reportFormat]{"sarif", reportFormat{write: writeSARIF}},
		option[reportFormat]{"github", reportFormat{write: writeGitHub}},
		option[reportFormat]{"scenario", reportFormat{write: writeScenarios}},
	)
	c.Flags().BoolVar(&k.strict, "strict", false, "exit with 1 for a warning, too")
	c.Flags().BoolVar(&k.bounds, "bounds", false, "print the worst case of each machine, and where results and failures are handled")
	c.Flags().BoolVar(&k.runs, "witness", false, "with --bounds: draw the run that reaches each figure")
	c.Flags().BoolVar(&k.fix, "fix", false, "make the fixes that are safe, and report what is left")
	c.Flags().StringSliceVar(&k.fixes.rules, "fix-rules", nil, "as --fix, and fix all findings of `RULES`, too, as far as they have a fix")
	c.Flags().BoolVar(&k.fixes.diff, "diff", false, "with --fix: write nothing; print the changes; exit with 1 if there is one")
	c.Flags().BoolVar(&k.watch, "watch", false, "check again whenever a file changes, until it is stopped")
	c.Flags().BoolVar(&k.expand, "expand", false, "show the steps of the machines that a witness calls, below the line of each")
	c.Flags().IntVar(&k.limit, "max-configurations", explore.DefaultLimit, "explore at most `N` configurations of a machine; a question that is then open is \"undecided\"")
	return c
}

// checker is a call of check, as its flags say.
type checker struct {
	*streams
	format reportFormat
	strict bool
	bounds bool
	runs   bool
	expand bool
	limit  int
	fix    bool
	watch  bool
	fixes  fixer
}

// refuse is the error of flags that do not go together.
func (k *checker) refuse(cmd *cobra.Command) error {
	switch {
	case k.limit < 1:
		return fmt.Errorf("--max-configurations is %d; it is at least 1", k.limit)
	case k.runs && !k.bounds:
		return errors.New("--witness needs --bounds; findings show their witness without it, and --format scenario prints each as a scenario")
	case k.fixes.diff && !k.fix:
		return errors.New("--diff needs --fix or --fix-rules")
	case k.watch && (k.fix || k.bounds || cmd.Flags().Changed("format")):
		return errors.New("--watch prints findings as text, and takes neither --fix, --bounds nor --format")
	}
	return nil
}

func (k *checker) run(cmd *cobra.Command, paths []string) error {
	k.fix = k.fix || len(k.fixes.rules) > 0
	if err := k.refuse(cmd); err != nil {
		return err
	}
	collectSeldom()
	if k.watch {
		return (&checkWatcher{checker: k, paths: paths}).run(cmd.Context())
	}
	out, load := k.out, k.load
	if k.fix {
		k.fixes.streams, k.fixes.limit = k.streams, k.limit
		load = k.fixes.run
		if slices.Contains(paths, "-") {
			out = k.err
		}
	}
	unit, err := load(paths)
	if err != nil {
		return err
	}
	if k.fixes.diff {
		return k.fixes.verdict()
	}
	r := report{unit: unit, bounds: k.bounds, runs: k.runs, expand: k.expand}
	if k.bounds || k.format.worst {
		r.list, r.worst = check.Analyze(unit.Program, all.Rules, k.limit, k.runs)
		r.list = withFrontEnd(unit, r.list)
	} else {
		r.list = findings(unit, k.limit)
	}
	r.fold()
	if err := k.format.write(out, r); err != nil {
		return err
	}
	return r.status(k.strict)
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

// refuseUnit is errFinding where unit has errors of syntax, names or types, which it prints.
func (s *streams) refuseUnit(unit *lang.Unit) error { return s.refuse(unit.Diags, unit.File) }

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
