package simulate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

// Input is a move as programs write it, or what a host guard answers from then on:
//
//	{"event": "StartReview", "data": {"pr": 17}}
//	{"activity": "fetch_diff", "event": "DiffLoaded", "data": {"size": 3}}
//	{"activity": "post", "fails": "timeout", "cost": {"usd": 0.5}}
//	{"activity": "notify"}                 it ends, and has nothing to say
//	{"wait": "2h"}                         so much time passes
//	{"command": "next"}                    time passes until something happens by itself
//	{"command": "cancel"}                  or "force", "pause", "resume"
//	{"guard": "is_large", "answer": true}  with "args" only for these
type Input struct {
	Event    string                 `json:"event,omitempty"`
	Activity string                 `json:"activity,omitempty"`
	Fails    string                 `json:"fails,omitempty"`
	Data     json.RawMessage        `json:"data,omitempty"`
	Cost     map[string]json.Number `json:"cost,omitempty"`
	Wait     string                 `json:"wait,omitempty"`
	Command  string                 `json:"command,omitempty"`
	Guard    string                 `json:"guard,omitempty"`
	Args     json.RawMessage        `json:"args,omitempty"`
	Answer   *bool                  `json:"answer,omitempty"`
}

// InputOf is a move as programs write it.
func InputOf(m *Move) Input {
	switch m.Kind {
	case machine.EventInput:
		return Input{Event: m.Name, Data: m.Data}
	case machine.ResultInput:
		return Input{Activity: m.Do, Event: m.Name, Data: m.Data, Cost: m.Cost}
	case machine.FailureInput:
		return Input{Activity: m.Do, Fails: m.Name, Cost: m.Cost}
	case machine.TimerInput:
		if m.Pass > 0 {
			return Input{Wait: machine.DurationText(m.Pass)}
		}
		return Input{Command: "next"}
	case machine.CancelInput:
		if m.Force {
			return Input{Command: "force"}
		}
	}
	return Input{Command: string(m.Kind)}
}

// errForm is the error of an input that is no move.
var errForm = errors.New(`an input has one of "event", "activity", "wait", "command" and "guard", and only what belongs to it`)

// commands are the moves that need no more than their name.
var commands = map[string]Move{
	"next":   {Kind: machine.TimerInput},
	"cancel": {Kind: machine.CancelInput},
	"force":  {Kind: machine.CancelInput, Force: true},
	"pause":  {Kind: machine.PauseInput},
	"resume": {Kind: machine.ResumeInput},
}

// Move is the move that an input means. An answer of a guard is none.
func (in *Input) Move() (Move, error) {
	// What an input means is told by its first member; with that alone, written
	// back, it has to be the same.
	move, err := in.meant()
	if err != nil {
		return Move{}, err
	}
	back := InputOf(&move)
	if back.Wait != "" {
		back.Wait = in.Wait // which has many forms
	}
	if !in.same(&back) {
		return Move{}, errForm
	}
	return move, nil
}

// same reports whether an input has the members of another.
func (in *Input) same(other *Input) bool {
	a, _ := json.Marshal(in)
	b, _ := json.Marshal(other)
	return bytes.Equal(a, b)
}

func (in *Input) meant() (Move, error) {
	switch {
	case in.Activity != "" && in.Fails != "":
		return Move{Kind: machine.FailureInput, Do: in.Activity, Name: in.Fails, Cost: in.Cost}, nil
	case in.Activity != "":
		return Move{Kind: machine.ResultInput, Do: in.Activity, Name: in.Event, Data: in.Data, Cost: in.Cost}, nil
	case in.Event != "":
		return Move{Kind: machine.EventInput, Name: in.Event, Data: in.Data}, nil
	case in.Wait != "":
		d, err := time.ParseDuration(in.Wait)
		if err != nil || d <= 0 {
			return Move{}, fmt.Errorf("%q is no time that passes: write it like 90s or 2h", in.Wait)
		}
		return Move{Kind: machine.TimerInput, Pass: d}, nil
	case in.Command != "":
		move, known := commands[in.Command]
		if !known {
			return Move{}, fmt.Errorf("there is no command %q: it is next, cancel, force, pause or resume", in.Command)
		}
		return move, nil
	}
	return Move{}, errForm
}

// Played is what inputs have led to.
type Played struct {
	Steps   []machine.StepView `json:"steps"`
	View    machine.View       `json:"view"`
	Choices []ChoiceView       `json:"choices"`
	// Ask is the question that the next input, or the start, could not be taken without:
	// what a host guard answers. The rest of the inputs was not taken. Of a start there is
	// nothing else then.
	Ask *Ask `json:"ask,omitempty"`
}

// ChoiceView is a Choice as programs read it.
type ChoiceView struct {
	Input Input              `json:"input"`
	Data  *schema.Schema     `json:"data,omitempty"` // what its data has to be; absent where it has none
	In    string             `json:"in,omitempty"`   // until it can come: "23h56m"
	Leads []machine.StepView `json:"leads,omitempty"`
}

// Ask is what a host guard is asked.
type Ask struct {
	Guard string          `json:"guard"`
	Args  json.RawMessage `json:"args"`
}

// maxPlayed is how many steps inputs lead to at most: a timer may come each second for years.
const maxPlayed = 10_000

// errEndless is the error of inputs that lead to more.
var errEndless = fmt.Errorf("it leads to more than %d steps", maxPlayed)

// Begin starts a simulation, whose host guards are answered by another.
type Begin = func(Guard) (*Simulation, error)

// Play begins a simulation, and takes inputs. The error is of the first input that the run
// refuses, or that is none.
func Play(begin Begin, inputs []Input) (*Played, error) {
	p := &player{answers: map[string]bool{}}
	for ; len(inputs) > 0 && inputs[0].Guard != ""; inputs = inputs[1:] { // those that the start needs
		if err := p.learn(&inputs[0]); err != nil {
			return nil, err
		}
	}
	s, err := begin(p.answer)
	switch {
	case p.asked != nil:
		return &Played{Steps: []machine.StepView{}, Choices: []ChoiceView{}, Ask: p.asked}, nil
	case err != nil:
		return nil, err
	}
	s.most = maxPlayed
	for i := range inputs {
		if err := p.take(s, &inputs[i]); err != nil && p.asked == nil {
			return nil, err
		} else if err != nil {
			break
		}
	}
	return &Played{Steps: s.Steps(), View: s.View(), Choices: s.choiceViews(), Ask: p.asked}, nil
}

// player takes inputs.
type player struct {
	answers map[string]bool // of host guards, by name, and by name and arguments
	taken   int
	asked   *Ask // what has no answer
}

func (p *player) take(s *Simulation, in *Input) error {
	if in.Guard != "" {
		return p.learn(in)
	}
	move, err := in.Move()
	if err == nil {
		var steps []machine.StepView
		steps, err = s.Take(move)
		if s.most -= len(steps); err == nil && s.most <= 0 {
			err = errEndless
		}
	}
	return p.said(err)
}

// said is err of an input, with its number.
func (p *player) said(err error) error {
	p.taken++
	if err != nil {
		return fmt.Errorf("input %d: %w", p.taken, err)
	}
	return nil
}

// learn notes what a host guard answers.
func (p *player) learn(in *Input) error {
	switch {
	case in.Answer == nil:
		return p.said(errors.New(`a guard has its "answer", true or false`))
	case !in.same(&Input{Guard: in.Guard, Args: in.Args, Answer: in.Answer}):
		return p.said(errForm)
	}
	p.answers[p.key(in.Guard, in.Args)] = *in.Answer
	return p.said(nil)
}

func (p *player) key(guard string, args json.RawMessage) string {
	if len(args) == 0 {
		return guard
	}
	var b bytes.Buffer
	if json.Compact(&b, args) != nil {
		return guard + " " + string(args)
	}
	return guard + " " + b.String()
}

// answer is a Guard.
func (p *player) answer(name string, args json.RawMessage) (bool, error) {
	for _, key := range []string{p.key(name, args), name} {
		if yes, known := p.answers[key]; known {
			return yes, nil
		}
	}
	p.asked = &Ask{name, args}
	return false, fmt.Errorf("host guard %q: %w", name, errNoGuard)
}

func (s *Simulation) choiceViews() []ChoiceView {
	choices := s.Choices()
	views := make([]ChoiceView, len(choices))
	for i := range choices {
		c := &choices[i]
		views[i] = ChoiceView{Input: InputOf(&c.Move), Leads: c.Steps}
		if len(c.Fields) > 0 {
			data := schema.Object(s.machine.Definition(), c.Fields)
			views[i].Data = &data
		}
		if c.In > 0 {
			views[i].In = machine.DurationText(c.In)
		}
	}
	return views
}
