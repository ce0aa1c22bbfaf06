package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// taking are the inputs with the one that a form means: the number of a choice, a wait, or what
// a host guard answers.
func (d *simData) taking(q url.Values) ([]simulate.Input, error) {
	take, n := q.Get("take"), len(d.Inputs)
	var in simulate.Input
	switch number, err := strconv.Atoi(take); {
	case take == "wait":
		in.Wait = q.Get("wait")
	case take == "yes" || take == "no":
		if d.Played.Ask == nil {
			return nil, &fault{http.StatusBadRequest, "no guard is asked"}
		}
		answer := take == "yes"
		in = simulate.Input{Guard: d.Played.Ask.Guard, Args: d.Played.Ask.Args, Answer: &answer}
		return slices.Insert(slices.Clone(d.Inputs), max(0, n-1), in), nil // before the input for which it is asked
	case err != nil || number < 1 || number > len(d.Played.Choices):
		return nil, &fault{http.StatusBadRequest, fmt.Sprintf("there is no choice %q", describe.Plain(take, 50))}
	default:
		in = d.Played.Choices[number-1].Input
		if list := d.fieldsOf(&in); len(list) > 0 {
			data, err := payload(list, q)
			if err != nil {
				return nil, err
			}
			in.Data = data
		}
	}
	return append(slices.Clone(d.Inputs), in), nil
}

// fieldsOf are the fields of what an input raises.
func (d *simData) fieldsOf(in *simulate.Input) []machine.Field {
	if e := eventOf(d.Machine.def, in.Event); e != nil {
		return e.Fields
	}
	return nil
}

// Href is where a simulation with some inputs stands, below the base.
func (d *simData) Href(inputs []simulate.Input) string {
	q := maps.Clone(d.Base)
	q["input"] = textsOf(inputs)
	return d.Path + "?" + q.Encode()
}

// simMove is an input that has been taken, and where the simulation is without it and what follows.
type simMove struct{ Text, Href string }

// Moves are the inputs so far, newest first.
func (d *simData) Moves() (out []simMove) {
	for i := range slices.Backward(d.Inputs) {
		out = append(out, simMove{inputText(&d.Inputs[i]), d.Href(d.Inputs[:i])})
	}
	return out
}

// Back is where the simulation stands after one input less, with all of them behind the slider.
func (d *simData) Back() string { return d.at(len(d.Inputs) - 1) }

// Forward is the same after one input more.
func (d *simData) Forward() string { return d.at(len(d.Inputs) + 1) }

func (d *simData) at(inputs int) string { return fmt.Sprintf("%s&back=%d", d.Href(d.All), inputs) }

// Texts are the inputs as a form of a choice sends them again, and AllTexts as the slider does.
func (d *simData) Texts() []string    { return textsOf(d.Inputs) }
func (d *simData) AllTexts() []string { return textsOf(d.All) }

func textsOf(inputs []simulate.Input) (out []string) {
	for i := range inputs {
		text, _ := json.Marshal(&inputs[i]) // it came from JSON
		out = append(out, string(text))
	}
	return out
}

// simChoice is an input that may be taken.
type simChoice struct {
	Number             int
	Label, Leads, When string
	Bad                bool
	Fields             []field
}

// Choices are those that the run may take.
func (d *simData) Choices() (out []simChoice) {
	for i := range d.Played.Choices {
		c := &d.Played.Choices[i]
		one := simChoice{Number: i + 1, Label: inputText(&c.Input), When: describe.Duration(c.In), Bad: c.Input.Fails != "" || c.Input.Command == "cancel"}
		one.Fields = fieldsOf(d.Machine.def, fmt.Sprintf("choice%d", i+1), d.fieldsOf(&c.Input))
		if n := len(c.Leads); n > 0 {
			first, last := &c.Leads[0], &c.Leads[n-1]
			one.Leads = string(first.Effect)
			if last.To != first.From || first.Effect == machine.Moved {
				one.Leads = "→ " + last.To
			}
			if c.Input.Command == "next" {
				one.Label = "next: " + first.Input
			}
		}
		out = append(out, one)
	}
	return out
}

// inputText is an input in a few words.
func inputText(in *simulate.Input) string {
	data := ""
	if len(in.Data) > len("{}") {
		data = " " + describe.Plain(string(in.Data), 80)
	}
	label := in.Activity[strings.LastIndexByte(in.Activity, '.')+1:]
	switch {
	case in.Guard != "":
		return fmt.Sprintf("guard %s is %t", in.Guard, in.Answer != nil && *in.Answer)
	case in.Activity != "" && in.Fails != "":
		return label + " fails: " + in.Fails
	case in.Activity != "" && in.Event != "":
		return label + ": " + in.Event + data
	case in.Activity != "":
		return label + " ends"
	case in.Event != "":
		return in.Event + data
	case in.Wait != "":
		return "wait " + in.Wait
	}
	return in.Command
}
