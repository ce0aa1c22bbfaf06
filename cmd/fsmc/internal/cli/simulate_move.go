package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/fields"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// take does what a line says.
func (c *simulator) take(line string) error {
	words := splitWords(line)
	if done, err := c.look(words); done || err != nil {
		return err
	}
	move, err := c.parse(words)
	if err != nil {
		return err
	}
	before := c.simulation.Now()
	steps, err := c.simulation.Take(move)
	if err != nil {
		return err
	}
	c.taken, c.told = append(c.taken, c.told), nil
	c.say(steps)
	if len(steps) == 0 {
		fmt.Fprintf(c.out, "%s later, nothing has happened\n", describe.Short(c.simulation.Now().Sub(before)))
	}
	c.offer()
	return nil
}

// look does what moves nothing, and reports whether the line was that.
func (c *simulator) look(words []string) (done bool, err error) {
	v := c.simulation.View()
	switch words[0] {
	case "?", "help":
		c.offer()
		fmt.Fprintln(c.out, otherLines)
	case "quit", "exit":
		fmt.Fprintln(c.out, "bye")
		return true, errQuit
	case "data":
		fmt.Fprintf(c.out, "params %s\ndata %s\n", describe.Plain(string(v.Params), 10_000), describe.Plain(string(v.Data), 10_000))
	case "bounds":
		for _, b := range v.Bounds {
			fmt.Fprintf(c.out, "%s %s: used %d of %d\n", b.Arm, b.Text, b.Used, b.Max)
		}
		if len(v.Bounds) == 0 {
			fmt.Fprintln(c.out, "nothing of any bound is used")
		}
	case "history":
		return true, writeHistory(c.out, c.simulation.Steps(), nil)
	case "guard":
		return true, c.tellGuard(words[1:])
	case "save":
		return true, c.save(words[1:])
	case "back":
		return true, c.back(words[1:])
	case "at":
		return true, c.backTo(words[1:])
	default:
		return false, nil
	}
	return true, nil
}

func (c *simulator) tellGuard(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("write guard NAME yes, or guard NAME no")
	}
	yes, ok := parseYes(words[len(words)-1])
	d := c.simulation.Machine().Definition()
	if !ok || !slices.ContainsFunc(d.Guards, func(g machine.Guard) bool { return g.Name == words[0] }) {
		return fmt.Errorf("write guard NAME yes, or guard NAME no, with the NAME of a host guard")
	}
	c.tell(strings.Join(words[:len(words)-1], " "), yes)
	return nil
}

func (c *simulator) back(words []string) error {
	n := 1
	if len(words) > 0 {
		var err error
		if n, err = strconv.Atoi(words[0]); err != nil || n < 1 || len(words) > 1 {
			return fmt.Errorf("write back, or back and how many moves")
		}
	}
	if len(c.taken) == 0 {
		return fmt.Errorf("no move has been made")
	}
	c.takeBack(min(n, len(c.taken)))
	c.offer()
	return nil
}

// takeBack takes the last n moves back.
func (c *simulator) takeBack(n int) {
	c.simulation.Back(n)
	c.taken = c.taken[:len(c.taken)-n]
}

// backTo takes moves back until the run stands where it stood after a step.
func (c *simulator) backTo(words []string) error {
	n, err := int64(0), error(nil)
	if len(words) == 1 {
		n, err = strconv.ParseInt(words[0], 10, 64)
	}
	if seq := c.simulation.View().Seq; err != nil || n < 1 || n > seq {
		return fmt.Errorf("write at and the number of a step: the run has taken %s", describe.Count(seq, "step"))
	}
	for len(c.taken) > 0 && c.simulation.View().Seq > n {
		c.takeBack(1)
	}
	c.offer()
	if seq := c.simulation.View().Seq; seq != n {
		fmt.Fprintf(c.out, "there is no move that ends with step %d: this is after step %d\n", n, seq)
	}
	return nil
}

// otherLines are what a person can write besides choices.
const otherLines = "or: next, wait 2h; data, history, bounds; back, at STEP; save FILE; quit"

// parse reads a move.
func (c *simulator) parse(words []string) (simulate.Move, error) {
	if n, err := strconv.Atoi(words[0]); err == nil {
		if n < 1 || n > len(c.choices) {
			return simulate.Move{}, fmt.Errorf("there is no choice %d", n)
		}
		choice := &c.choices[n-1]
		return c.fill(choice.Move, choice.Fields, words[1:])
	}
	switch words[0] {
	case "next":
		return simulate.Move{Kind: machine.TimerInput}, tooMany(words[1:])
	case "wait":
		if len(words) != 2 {
			return simulate.Move{}, fmt.Errorf("write wait and how long: wait 2h")
		}
		d, err := runtime.ParseAge(words[1])
		if err != nil || d <= 0 {
			return simulate.Move{}, fmt.Errorf("%q is no time that passes: write it like 90s, 2h or 30d", words[1])
		}
		return simulate.Move{Kind: machine.TimerInput, Pass: d}, nil
	case "cancel":
		force := len(words) == 2 && words[1] == "force"
		if force {
			words = words[1:]
		}
		return simulate.Move{Kind: machine.CancelInput, Force: force}, tooMany(words[1:])
	case string(machine.PauseInput), string(machine.ResumeInput):
		return simulate.Move{Kind: machine.InputKind(words[0])}, tooMany(words[1:])
	}
	return c.parseNamed(words)
}

func tooMany(words []string) error {
	if len(words) > 0 {
		return fmt.Errorf("%q is one word too many", words[0])
	}
	return nil
}

// parseNamed reads a move that begins with an event, or with what names an attempt.
func (c *simulator) parseNamed(words []string) (simulate.Move, error) {
	d := c.simulation.Machine().Definition()
	if e, ok := c.simulation.Machine().Event(words[0]); ok && !d.Events[e].Internal {
		return c.fill(simulate.Move{Kind: machine.EventInput, Name: words[0]}, d.Events[e].Fields, words[1:])
	}
	move := simulate.Move{Kind: machine.ResultInput, Do: words[0]}
	switch {
	case len(words) < 2:
		return move, c.noMove(words[0])
	case words[1] == "fails":
		if len(words) < 3 {
			return move, fmt.Errorf("write the category, too: %s fails unknown", words[0])
		}
		move.Kind, move.Name = machine.FailureInput, words[2]
		return c.fill(move, nil, words[3:])
	case words[1] == "ends":
		return c.fill(move, nil, words[2:])
	}
	if words[1] == "->" { // as in a scenario
		return move, fmt.Errorf(`write a move without "->" and braces: %s EVENT n=2, or %[1]s ends`, words[0])
	}
	e, ok := c.simulation.Machine().Event(words[1])
	if !ok && !slices.ContainsFunc(c.choices, func(o simulate.Choice) bool { return o.Move.Do == words[0] }) {
		return move, c.noMove(words[0])
	}
	if !ok {
		return move, fmt.Errorf("there is no event %q%s", words[1], machine.DidYouMean(words[1], c.names()))
	}
	move.Name = words[1]
	return c.fill(move, d.Events[e].Fields, words[2:])
}

func (c *simulator) noMove(word string) error {
	return fmt.Errorf("there is no event %q, and no move of that name: ? prints what may come%s", word, machine.DidYouMean(word, c.names()))
}

// names are those of events.
func (c *simulator) names() (names []string) {
	for _, e := range c.simulation.Machine().Definition().Events {
		names = append(names, e.Name)
	}
	return names
}

// fill gives a move its data, and behind the word cost what it has used.
func (c *simulator) fill(move simulate.Move, taken []machine.Field, words []string) (simulate.Move, error) {
	if i := slices.Index(words, "cost"); i >= 0 {
		move.Cost = map[string]json.Number{}
		for _, word := range words[i+1:] {
			name, amount, ok := strings.Cut(word, "=")
			if !ok || machine.CheckCost(name, json.Number(amount)) != nil {
				return move, fmt.Errorf("%q is no cost: write cost usd=0.5", word)
			}
			move.Cost[name] = json.Number(amount)
		}
		words = words[:i]
	}
	if len(taken) == 0 {
		return move, tooMany(words)
	}
	plainWords := make([]string, len(words))
	for i, word := range words {
		plainWords[i] = unquoted(taken, word)
	}
	var err error
	move.Data, err = fields.Object(taken, "", plainWords)
	return move, err
}

// splitWords splits a line at spaces, but for those in a JSON string, list or object.
func splitWords(line string) (words []string) {
	start, depth, quoted := -1, 0, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		space := !quoted && depth <= 0 && (c == ' ' || c == '\t')
		if space && start >= 0 {
			words, start = append(words, line[start:i]), -1
		} else if !space && start < 0 {
			start = i
		}
	}
	if start >= 0 {
		words = append(words, line[start:])
	}
	return words
}

// unquoted is NAME=VALUE without the quotes around a VALUE of which the field takes the text.
func unquoted(fields []machine.Field, word string) string {
	name, value, _ := strings.Cut(word, "=")
	var text string
	for _, f := range fields {
		if f.Name == name && f.Type.Kind != machine.JSON && json.Unmarshal([]byte(value), &text) == nil {
			return name + "=" + text
		}
	}
	return word
}

// leadsTo says in short what some steps make of a run.
func leadsTo(steps []machine.StepView) string {
	if len(steps) == 0 {
		return ""
	}
	first, last := &steps[0], &steps[len(steps)-1]
	switch {
	case first.Effect == machine.Stopped:
		return "ends as cancelled"
	case last.To != first.From || first.Effect == machine.Moved:
		return "-> " + last.To
	}
	return "stays (" + string(first.Effect) + ")"
}

func (c *simulator) choiceText(choice *simulate.Choice) string {
	text := moveText(&choice.Move)
	switch {
	case choice.Move.Kind != machine.TimerInput || choice.Steps == nil:
	case len(choice.Steps) > 0:
		text += ": " + choice.Steps[0].Input
	default:
		text += ": the wait of a retry ends"
	}
	d := c.simulation.Machine().Definition()
	for i := range choice.Fields {
		text += " " + choice.Fields[i].Name + "=" + d.FieldType(&choice.Fields[i])
	}
	if choice.In > 0 {
		text += ", in " + describe.Short(choice.In.Round(time.Millisecond))
	}
	return text
}
