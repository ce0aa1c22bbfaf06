package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/parallel"
	"github.com/fsmc-dev/fsmc/lang/token"
	"github.com/fsmc-dev/fsmc/runtime/scenario"
)

func newTest(s *streams) *cobra.Command {
	t := tester{streams: s}
	c := &cobra.Command{
		Use:   "test PATH...",
		Short: "Run the scenarios of machines",
		Long: `Test runs the scenarios in the named files, and in every *.fsm file below the named
folders. It uses the rules of the runtime with simulated time: nothing is stored,
no activity runs, and nothing waits. No wait has a jitter.

Put the scenarios of invoice.fsm into invoice_test.fsm, which imports it. For the
machine that fsmc new Invoice makes:

  import "invoice.fsm"

  scenario "an invoice is delivered" of Invoice(name = "Ada") {
      prepare -> Prepared { text = "for Ada" }
      deliver -> Delivered
      expect Completed
  }

With --cover or --cover=FILE.svg, test also lists what no scenario of a machine took:
arms, redirections by require, and terminal states. FILE.svg has the machine, with these
parts in another colour; then all scenarios must be of one machine.

With --generate, test runs nothing, but prints scenarios for the machines in PATH: few
and short ones that together take every arm that can be taken. A comment names each arm
that is missed, and says why. Each scenario ends with the state that is expected of the
run: add what else you expect.

Exit status 1: a scenario fails, or something is wrong with the files; or there is no
scenario. With --generate: a machine has more configurations than are explored.`,
		Example: `  fsmc test .
  fsmc test --run "rate limit" review_test.fsm
  fsmc test --cover=review.svg review_test.fsm
  fsmc test --format junit . > tests.xml
  fsmc test --generate review.fsm > review_test.fsm`,
		RunE: func(_ *cobra.Command, paths []string) error {
			if t.generate {
				return t.writeScenarios(paths)
			}
			return t.run(paths)
		},
	}
	chooseFlag(c, &t.report, "format", "text", "how to print",
		option[testReport]{"text", writeTestText}, option[testReport]{"json", writeTestJSON}, option[testReport]{"junit", writeTestJUnit})
	c.Flags().StringVar(&t.pattern, "run", "", "run only the scenarios whose title the regular expression `PATTERN` matches")
	c.Flags().StringVar(&t.cover, "cover", "", "``also list what no scenario took; with a FILE.svg, draw it there")
	c.Flags().Lookup("cover").NoOptDefVal = coverList
	c.Flags().BoolVar(&t.generate, "generate", false, "print scenarios that take every arm")
	c.MarkFlagsMutuallyExclusive("generate", "cover")
	c.MarkFlagsMutuallyExclusive("generate", "run")
	c.MarkFlagsMutuallyExclusive("generate", "format")
	return c
}

type tester struct {
	*streams
	pattern string
	cover   string // a file for the picture; coverList for none, empty for no cover at all
	report  testReport

	generate bool
}

// played is a scenario and what has come of it.
type played struct {
	test *table.Test
	scenario.Outcome
}

// noScenario says that there is none in paths, and where one may be that was meant.
func noScenario(paths []string, machines int) error {
	for _, path := range paths {
		beside := strings.TrimSuffix(path, ".fsm") + "_test.fsm"
		if _, err := os.Stat(beside); err == nil && beside != path {
			return findingf("there is no scenario in the input, but %s stands beside it: name that file, or the folder", beside)
		}
	}
	if machines > 0 {
		return findingf("there is no scenario in the input; fsmc test --generate prints some for its machines")
	}
	return findingf("there is no scenario in the input")
}

func (t *tester) run(paths []string) error {
	match, err := regexp.Compile(t.pattern)
	if err != nil {
		return fmt.Errorf("--run %q is no regular expression: %w", t.pattern, err)
	}
	unit, err := t.loadFiles(paths, lang.IsSource)
	if err != nil {
		return err
	}
	if err := t.refuseUnit(unit); err != nil {
		return err
	}
	tests, err := table.Tests(unit.Program.Scenarios, func(s *ir.Scenario) bool { return !s.Broken && match.MatchString(s.Title) }, textIn(unit))
	switch {
	case err != nil:
		return t.unsound(unit, err)
	case len(tests) == 0 && t.pattern != "" && len(unit.Program.Scenarios) > 0:
		return findingf("no scenario has a title that %q matches", t.pattern)
	case len(tests) == 0:
		return noScenario(paths, len(unit.Program.Machines))
	}
	if err := t.canDraw(tests); err != nil {
		return err
	}
	r := tested{list: make([]played, len(tests))}
	parallel.Do(len(tests), func(i int) { r.list[i] = played{tests[i], tests[i].Play()} })
	if t.cover != "" {
		r.cover = coverOf(r.list)
	}
	if err := t.drawCover(&r); err != nil {
		return err
	}
	if err := t.report(t.out, &r); err != nil {
		return err
	}
	if r.failed() > 0 {
		return errFinding
	}
	return nil
}

// unsound says what is wrong with machines that the runtime does not take: err tells it of numbers,
// and not of places.
func (t *tester) unsound(unit *lang.Unit, err error) error {
	machines := slices.Clone(unit.Program.Machines)
	for _, s := range unit.Program.Scenarios {
		if s.Machine != nil && !slices.Contains(machines, s.Machine) {
			machines = append(machines, s.Machine)
		}
	}
	return cmp.Or(t.refuse(check.RunUpTo(&ir.Program{Machines: machines}, all.Rules, explore.DefaultLimit), unit.File), err)
}

// textIn gives what stands at a place of unit, up to the end of its line.
func textIn(unit *lang.Unit) func(token.Span) string {
	return func(at token.Span) string {
		line, _, _ := bytes.Cut(unit.File(at.Start.Filename).Src[at.Start.Offset:at.End.Offset], []byte("\n"))
		return string(line)
	}
}
