package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/scenarios"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// save writes the moves so far: as a scenario where the file is one of the language, else for --script.
func (c *simulator) save(words []string) error {
	if len(words) != 1 {
		return fmt.Errorf("write save and the name of a file")
	}
	text, err := c.asScript(), error(nil)
	if filepath.Ext(words[0]) == ".fsm" {
		if text, err = c.asScenario(words[0]); err != nil {
			return fmt.Errorf("the moves are no scenario: %w", err)
		}
	}
	if err := createFile(words[0], []byte(text), 0o644); err != nil {
		return fmt.Errorf("file %q cannot be written: %w", words[0], reason(err))
	}
	fmt.Fprintf(c.out, "%s: %s\n", words[0], describe.Count(int64(len(c.taken)), "move"))
	return nil
}

// asScript is the moves so far as lines for --script.
func (c *simulator) asScript() string {
	var text strings.Builder
	for i, move := range c.simulation.Moves() {
		for _, v := range c.taken[i] {
			fmt.Fprintln(&text, v)
		}
		fmt.Fprintln(&text, moveText(&move))
	}
	return text.String()
}

// asScenario is the moves so far as a file of scenarios, which imports its machine.
func (c *simulator) asScenario(file string) (string, error) {
	switch {
	case c.picked == nil:
		return "", fmt.Errorf("a scenario begins with the start of a run, and not where a stored one stands")
	case c.picked.Span.Start.Filename == standardInput:
		return "", fmt.Errorf("a scenario imports the file of its machine, and this one came from standard input")
	}
	var moves []scenarios.Move
	for i, move := range c.simulation.Moves() {
		moves = append(moves, scenarios.Move{Move: move, Guards: byName(c.taken[i])})
	}
	state := c.simulation.View().State
	title := fmt.Sprintf("%s, by hand", state)
	text, err := scenarios.Moves(c.picked, title, c.given, byName(c.before), moves, state)
	if err != nil {
		return "", err
	}
	text = importsFor(filepath.Dir(file), []*ir.Machine{c.picked}) + "\n" + text
	formatted, list := lang.Format(file, []byte(text))
	if list.HasErrors() {
		return "", fmt.Errorf("what was written cannot be read, which is a fault of fsmc: %s", list[0].Message)
	}
	return string(formatted), nil
}

// byName are verdicts by the names of guards alone: a scenario does not ask for arguments.
func byName(verdicts []verdict) map[string]bool {
	answers := map[string]bool{}
	for _, v := range verdicts {
		name, _, _ := strings.Cut(v.key, " ")
		answers[name] = v.yes
	}
	return answers
}

// moveText is the line that makes a move again.
func moveText(move *simulate.Move) string {
	var text string
	switch move.Kind {
	case machine.EventInput:
		text = move.Name
	case machine.ResultInput:
		text = move.Do + " " + cmp.Or(move.Name, "ends")
	case machine.FailureInput:
		text = move.Do + " fails " + move.Name
	case machine.TimerInput:
		text = "next"
		if move.Pass > 0 {
			text = "wait " + machine.DurationText(move.Pass)
		}
	default:
		text = string(move.Kind)
		if move.Force {
			text += " force"
		}
	}
	var data map[string]json.RawMessage
	_ = json.Unmarshal(move.Data, &data) // of a move without any there is nothing to say
	text += valueWords(data)
	if len(move.Cost) > 0 {
		text += " cost" + valueWords(move.Cost)
	}
	return text
}

// valueWords are NAME=VALUE, in the order of the names.
func valueWords[T ~string | ~[]byte](of map[string]T) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(of)) {
		text += " " + name + "=" + string(of[name])
	}
	return text
}
