package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/fields"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

func newSimulate(s *streams) *cobra.Command {
	c := &simulator{streams: s, answers: map[string]bool{}}
	cmd := &cobra.Command{
		Use:   "simulate [PATH...]",
		Short: "Step through a run by hand",
		Long: `Simulate steps through a run of the machine in PATH by hand. Nothing is stored and no
activity runs: you say which event comes, how each attempt ends, and how much time
passes. After each step it prints what may come next, with a number for each choice.
With --run, it begins in the present state of a stored run; with --at N, in the state
that this run had after its step N.

A line is a number of the list, or a move in words:
  StartReview size=3             an event from outside, with its fields
  fetch_diff DiffLoaded n=2      an activity raises an event
  fetch_diff fails timeout       an activity fails
  fetch_diff ends                an activity ends that declares no event
  next                           time passes until something happens by itself
  wait 2h                        so much time passes
  cancel, cancel force, pause, resume
  guard is_large yes             what a host guard answers from now on
After a move of an activity, cost usd=0.5 says what it has used. Other lines print
something, or take moves back:
  data    history    bounds      the data; the steps; how far the bounds are used
  back, back 3                   take moves back
  at 4                           take moves back to where the run stood after its step 4
  save FILE                      write the moves so far, for --script
  save FILE.fsm                  write them as a scenario, for fsmc test
  ?                              print the choices again, and these lines in short
  quit

With --script, the moves are the lines of FILE; # begins a comment. Exit status 1: a
line of the script could not be taken.`,
		Example: `  fsmc simulate --param pr=17 review.fsm
  fsmc simulate --script path.txt --param pr=17 review.fsm
  fsmc simulate --db runs.db --run pr-17 --at 12`,
		RunE: func(cmd *cobra.Command, paths []string) error { return c.run(cmd.Context(), paths) },
	}
	dbFlag(cmd, &c.db)
	machineFlag(cmd, &c.machine)
	f := cmd.Flags()
	f.StringVar(&c.stored, "run", "", "begin where the stored run `ID` stands")
	f.Int64Var(&c.at, "at", 0, "begin where that run stood after its step `N`")
	f.StringVar(&c.id, "id", "run", "the `ID` of the simulated run")
	f.StringArrayVar(&c.params, "param", nil, "a parameter of the machine, `NAME=VALUE`; repeat for more")
	f.StringVar(&c.script, "script", "", "take the moves of `FILE`; - is standard input")
	return cmd
}

type simulator struct {
	*streams
	db, machine, stored, id, script string
	at                              int64
	params                          []string

	simulation *simulate.Simulation
	choices    []simulate.Choice
	answers    map[string]bool // of host guards, by name, and by name and arguments
	lines      *bufio.Scanner
	told       []verdict   // what guards have been told since the last move
	before     []verdict   // what they were told for the start
	taken      [][]verdict // what they were told for each move

	picked *ir.Machine     // nil for a stored run
	given  json.RawMessage // its parameters
}

// verdict is what a host guard answers, by its name, or by that and its arguments.
type verdict struct {
	key string
	yes bool
}

func (v verdict) String() string {
	word := "no"
	if v.yes {
		word = "yes"
	}
	return "guard " + v.key + " " + word
}

func (c *simulator) run(ctx context.Context, paths []string) error {
	if err := c.usage(paths); err != nil {
		return err
	}
	in := c.in
	if c.script != "" && c.script != "-" {
		file, err := os.Open(c.script)
		if err != nil {
			return readError(c.script, err)
		}
		defer file.Close()
		in = file
	}
	c.lines = bufio.NewScanner(in)
	c.lines.Buffer(nil, runtime.MaxPayload+1<<10)
	if err := c.begin(ctx, paths); err != nil {
		return err
	}
	c.before, c.told = c.told, nil
	c.say(c.simulation.Steps())
	return c.play()
}

func (c *simulator) usage(paths []string) error {
	switch {
	case c.stored == "" && len(paths) == 0:
		return errors.New("PATH is missing: name a machine, or a stored run with --db and --run")
	case c.stored == "" && c.at != 0:
		return errors.New("--at is about a stored run: name it with --run")
	case c.stored != "" && (len(paths) > 0 || len(c.params) > 0 || c.machine != ""):
		return errors.New("a stored run has its own machine and parameters: leave PATH, --param and --machine out")
	case c.at < 0:
		return errors.New("--at counts from 1, the step with which a run starts")
	case len(paths) == 1 && paths[0] == "-" && (c.script == "" || c.script == "-"):
		return errors.New("standard input can be the machine or the moves, not both: use --script FILE")
	}
	return nil
}

// begin starts the run, or reads where a stored one stood.
func (c *simulator) begin(ctx context.Context, paths []string) error {
	if c.stored != "" {
		t := target{streams: c.streams, db: c.db}
		return t.with(ctx, readOnly, c.stored, func(store runtime.Store) error {
			engine := runtime.NewEngine(store)
			v, err := engine.Get(ctx, c.stored)
			switch {
			case err != nil:
				return err
			case c.at > v.Seq:
				return findingf("run %q has taken %s: there is no step %d", v.Run, describe.Count(v.Seq, "step"), c.at)
			}
			m, s, err := engine.At(ctx, c.stored, c.at)
			if err != nil {
				return err
			}
			c.simulation = simulate.Continue(m, s, c.answer)
			return nil
		})
	}
	_, picked, err := c.loadOne(paths, c.machine, c.refuseErrors)
	if err != nil {
		return err
	}
	m, err := machine.Compile(table.Compile(picked))
	if err != nil {
		return fmt.Errorf("machine %q does not compile: %w", picked.Name, err)
	}
	c.picked = picked
	if c.given, err = fields.Object(m.Definition().Params, "--param ", c.params); err != nil {
		return err
	}
	c.simulation, err = simulate.Start(m, c.id, c.given, time.Now(), c.answer)
	var refused *machine.Rejected
	switch {
	case errors.As(err, &refused):
		return findingf("the run is not started: %s", refused.Why)
	case err != nil:
		return findingf("the run is not started: %w", err)
	}
	return nil
}

// answer says what a host guard answers: what it was told, or else the person.
func (c *simulator) answer(name string, args json.RawMessage) (bool, error) {
	for _, key := range []string{name + " " + string(args), name} {
		if yes, known := c.answers[key]; known {
			return yes, nil
		}
	}
	if c.script != "" {
		return false, fmt.Errorf("host guard %q has no answer: write guard %s yes, or no, before it", name, name)
	}
	for {
		fmt.Fprintf(c.out, "does %s hold for %s? [yes/no] ", name, args)
		if !c.lines.Scan() {
			return false, fmt.Errorf("host guard %q has no answer", name)
		}
		if yes, ok := parseYes(strings.TrimSpace(c.lines.Text())); ok {
			c.tell(name+" "+string(args), yes)
			return yes, nil
		}
	}
}

func parseYes(text string) (yes, ok bool) {
	switch text {
	case "yes", "y", "true":
		return true, true
	case "no", "n", "false":
		return false, true
	}
	return false, false
}

// tell remembers what a host guard answers.
func (c *simulator) tell(key string, yes bool) {
	c.answers[key] = yes
	c.told = append(c.told, verdict{key, yes})
}

var errQuit = errors.New("quit")

// play takes line after line.
func (c *simulator) play() error {
	c.offer()
	for number := 1; ; number++ {
		if c.script == "" {
			fmt.Fprint(c.out, "> ")
		}
		if !c.lines.Scan() {
			break
		}
		line := strings.TrimSpace(c.lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		err := c.take(line)
		switch {
		case errors.Is(err, errQuit):
			return nil
		case err != nil && c.script != "":
			return findingf("line %d: %s: %w", number, line, err)
		case err != nil:
			fmt.Fprintln(c.out, describe.Plain(err.Error(), 1000))
		}
	}
	if c.script == "" {
		fmt.Fprintln(c.out)
	}
	if err := c.lines.Err(); err != nil {
		return fmt.Errorf("the moves cannot be read: %w", err)
	}
	return nil
}

// offer prints how the run stands, and what may come.
func (c *simulator) offer() {
	c.choices = c.simulation.Choices()
	if c.script != "" {
		return
	}
	v := c.simulation.View()
	fmt.Fprintf(c.out, "\n%s\n", c.standing(&v))
	for i := range c.choices {
		line := fmt.Sprintf("%3d  %-52s %s", i+1, c.choiceText(&c.choices[i]), leadsTo(c.choices[i].Steps))
		fmt.Fprintln(c.out, strings.TrimRight(line, " "))
	}
}

// standing says where the run is, for how long, and its data.
func (c *simulator) standing(v *machine.View) string {
	if v.Status == machine.Finished {
		return describe.Stands(v) + describe.After(", returned ", describe.Plain(string(v.Returns), 1000))
	}
	text := fmt.Sprintf("%s after %s, %s", describe.Stands(v), describe.Short(c.simulation.Now().Sub(v.Started)), describe.Count(v.Seq, "step"))
	if data := string(v.Data); data != "{}" {
		text += "  " + describe.Plain(data, 300)
	}
	return text
}

func (c *simulator) say(steps []machine.StepView) {
	for i := range steps {
		s := &steps[i]
		switch {
		case s.From == "":
			fmt.Fprintf(c.out, "started in %s\n", s.To)
		case s.From != s.To || s.Effect == machine.Moved:
			fmt.Fprintf(c.out, "%s -> %s  (%s)\n", s.From, s.To, s.Input)
		default:
			fmt.Fprintf(c.out, "%s  (%s, %s)\n", s.To, s.Input, s.Effect)
		}
		for _, note := range describe.Notes(s) {
			fmt.Fprintf(c.out, "%s%s\n", noteIndent, note)
		}
	}
}
