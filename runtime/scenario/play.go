package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// Began is when the run of a scenario starts.
var Began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A scenario may play mostLines lines, those of a `repeat` each time, and its run may take
// mostSteps steps: a timer that fires each second takes many in one `wait`.
const (
	mostLines = 20_000
	mostSteps = 100_000
)

// Play plays s on m, of which NoJitter has taken the jitter.
func Play(m *machine.Machine, s *Scenario) Outcome {
	p := &player{m: m, answers: map[string]bool{}}
	begin := &Line{Place: s.Place, Text: fmt.Sprintf("scenario %q", s.Title)}
	lines := s.Lines
	for ; len(lines) > 0 && lines[0].Kind == Answer; lines = lines[1:] { // the start may ask
		p.answers[lines[0].Name] = lines[0].Yes
	}
	sim, err := simulate.Start(m, "scenario", s.Params, Began, p.answer)
	if err != nil {
		return Outcome{Failure: fails(begin, "the run starts", err.Error())}
	}
	p.sim = sim
	p.open = p.halted(begin)
	failed := p.all(lines)
	if failed == nil {
		failed = p.open
	}
	if failed != nil {
		failed.Path = sim.Steps()
	}
	return Outcome{failed, sim.Records()}
}

// player plays one scenario.
type player struct {
	m       *machine.Machine
	sim     *simulate.Simulation
	answers map[string]bool // of host guards
	played  int

	silent  string  // a host guard that was asked, and has no answer; empty for none
	refused bool    // the last line was refused
	open    *Failed // of the last line, which was refused or has halted the run, and does not say so: the next one may
}

func (p *player) answer(guard string, args json.RawMessage) (bool, error) {
	yes, known := p.answers[guard]
	if !known {
		p.silent = guard
		return false, fmt.Errorf("host guard %q has no answer", guard)
	}
	return yes, nil
}

func (p *player) all(lines []*Line) *Failed {
	for _, l := range lines {
		if p.played++; p.played > mostLines {
			return fails(l, fmt.Sprintf("a scenario plays at most %d lines", mostLines), "there are more: write a smaller `repeat`")
		}
		if p.open != nil && (l.Kind != ExpectRefused || !p.refused) && (l.Kind != ExpectHalted || p.refused) {
			return p.open
		}
		if f := p.line(l); f != nil {
			return f
		}
	}
	return nil
}

func fails(l *Line, expected, is string) *Failed {
	return &Failed{Place: l.Place, Line: l.Text, Expected: expected, Is: is}
}

func (p *player) line(l *Line) *Failed {
	switch l.Kind {
	case Answer:
		p.answers[l.Name] = l.Yes
		return nil
	case Repeat:
		for range l.Count {
			if f := p.all(l.Lines); f != nil {
				return f
			}
			if len(l.Lines) == 0 {
				break
			}
		}
		return nil
	case Send, Result, Failure, Checkpoint, Lost, Wait, Cancel:
		return p.move(l)
	}
	return p.expect(l)
}

// kinds are the inputs of moves.
var kinds = map[Kind]machine.InputKind{
	Send: machine.EventInput, Result: machine.ResultInput, Failure: machine.FailureInput, Checkpoint: machine.ProgressInput,
	Lost: machine.LostInput, Wait: machine.TimerInput, Cancel: machine.CancelInput,
}

// move makes the move that a line says.
func (p *player) move(l *Line) *Failed {
	p.refused, p.open = false, nil
	if l.Kind == Wait && l.Wait == 0 {
		return nil
	}
	if l.Do != "" {
		if f := p.begun(l); f != nil {
			return f
		}
	}
	_, err := p.sim.Take(simulate.Move{Kind: kinds[l.Kind], Do: l.Do, Name: l.Name, Text: l.Message, Data: l.Data, Cost: l.Cost, Pass: l.Wait})
	_, rejected := errors.AsType[*machine.Rejected](err)
	switch {
	case p.silent != "":
		return fails(l, "host guard "+p.silent+" has an answer", "the scenario does not say what it answers: write `guard "+p.silent+" = true`, or false, before this")
	case rejected && l.Kind == Send:
		if p.refused = true; !l.Refused {
			p.open = fails(l, "the run takes it", err.Error())
		}
		return nil
	case err != nil:
		return fails(l, "the run takes it", err.Error())
	case l.Refused:
		return fails(l, "the run refuses it", "the run has taken it, and "+p.stands())
	}
	if p.sim.Run().Seq > mostSteps {
		return fails(l, fmt.Sprintf("a run takes at most %d steps", mostSteps), "it has taken more: write a shorter `wait` or a smaller `repeat`")
	}
	p.open = p.halted(l)
	return nil
}

// halted is a failure where the run has halted behind l: nothing would take it further.
func (p *player) halted(l *Line) *Failed {
	halt := p.sim.Run().Halt
	if halt == nil {
		return nil
	}
	return fails(l, "the run goes on", "it has halted: "+halt.Cause.String())
}

// begun is a failure where the attempt that a line speaks of has not begun.
func (p *player) begun(l *Line) *Failed {
	t, err := p.attempt(l.Do)
	if err != nil {
		return fails(l, l.Do+" is under way", err.Error()+"; "+p.stands())
	}
	if wait := t.NotBefore.Sub(p.sim.Now()); wait > 0 {
		return fails(l, l.Do+" is under way", fmt.Sprintf("it waits for its retry: write `wait %s` before it", machine.DurationSource(wait)))
	}
	if t.State == machine.TaskWaiting {
		return fails(l, l.Do+" is under way", "it waits until another element has ended or waits")
	}
	return nil
}

// attempt is the one under way that a line names. Executions without labels have names in a simulation, and none in
// a scenario.
func (p *player) attempt(do string) (machine.Task, error) {
	t, err := p.sim.Attempt(do)
	if _, several := errors.AsType[*simulate.Unlabelled](err); several {
		err = fmt.Errorf("%q is more than one attempt, of executions without labels: give each a label, as in `do %s() as first`", do, do)
	}
	return t, err
}

// stands says where the run stands.
func (p *player) stands() string {
	v := p.sim.View()
	switch v.Status {
	case machine.Finished:
		return "the run has ended in " + v.State
	case machine.Halted:
		return "the run has halted in " + v.State
	}
	return "the run stands in " + v.State
}

func (p *player) expect(l *Line) *Failed {
	switch l.Kind {
	case ExpectState:
		if state := p.sim.View().State; state != l.Name && !strings.HasPrefix(state, l.Name+".") {
			return fails(l, "state "+l.Name, "state "+state)
		}
	case ExpectRefused:
		p.open = nil
		if !p.refused {
			return fails(l, "the line before is refused", "nothing was refused, and "+p.stands())
		}
	case ExpectEnded:
		if p.sim.Run().Status != machine.Finished {
			return fails(l, "the run has ended", p.stands())
		}
	case ExpectHalted:
		p.open = nil
		if p.sim.Run().Halt == nil {
			return fails(l, "the run has halted", p.stands())
		}
	case ExpectAttempt, ExpectWaiting:
		return p.expectAttempt(l)
	case ExpectPublished:
		return p.expectPublished(l)
	case Expect:
		return p.expectTrue(l)
	}
	return nil
}

func (p *player) expectAttempt(l *Line) *Failed {
	t, err := p.attempt(l.Do)
	waits := t.State == machine.TaskWaiting || t.NotBefore.After(p.sim.Now())
	switch {
	case err != nil && l.Kind == ExpectWaiting:
		return fails(l, l.Do+" waits for its retry", err.Error()+"; "+p.stands())
	case err != nil:
		return fails(l, l.Do+" is under way", err.Error()+"; "+p.stands())
	case l.Kind == ExpectWaiting && !waits:
		return fails(l, l.Do+" waits for its retry", fmt.Sprintf("attempt %d of it is under way", t.Attempt))
	case l.Kind == ExpectAttempt && int64(t.Attempt) != l.Count:
		return fails(l, fmt.Sprintf("attempt %d of %s", l.Count, l.Do), fmt.Sprintf("attempt %d", t.Attempt))
	}
	return nil
}

func (p *player) expectTrue(l *Line) *Failed {
	ask := func(e *machine.Expr) string {
		v, err := p.m.Query(e, p.sim.Run(), p.sim.Now())
		if err != nil {
			return err.Error()
		}
		return string(v)
	}
	got := ask(l.Cond)
	if got == "true" {
		return nil
	}
	if got == "false" && len(l.Sides) > 0 {
		var parts []string
		for _, s := range l.Sides {
			if v := ask(s.Expr); v != s.Text {
				parts = append(parts, s.Text+" is "+v)
			}
		}
		got = strings.Join(parts, ", ")
	}
	return fails(l, strings.TrimSpace(strings.TrimPrefix(l.Text, "expect")), got)
}

// expectPublished looks for a message with the fields that the line names.
func (p *player) expectPublished(l *Line) *Failed {
	var want map[string]json.RawMessage
	if err := json.Unmarshal(l.Data, &want); err != nil && len(l.Data) > 0 {
		return fails(l, "fields that can be read", err.Error())
	}
	var seen []string
	for _, c := range p.sim.Published() {
		name := p.m.Definition().Events[c.Event].Name
		data, err := p.m.EncodePayload(c.Event, c.Data)
		if err != nil {
			return fails(l, "messages that can be written", err.Error())
		}
		if name == l.Name && has(data, want) {
			return nil
		}
		seen = append(seen, name+" "+string(data))
	}
	is := "nothing was published"
	if len(seen) > 0 {
		is = "published were " + strings.Join(seen[max(0, len(seen)-5):], ", ")
	}
	return fails(l, strings.TrimSpace(strings.TrimPrefix(l.Text, "expect")), is)
}

// has reports whether an object has these fields among others.
func has(object json.RawMessage, want map[string]json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return false
	}
	for name, value := range want {
		if !same(fields[name], value) {
			return false
		}
	}
	return true
}

// same reports whether two texts are one JSON.
func same(a, b json.RawMessage) bool {
	var v, w any
	d, e := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	e.UseNumber()
	return d.Decode(&v) == nil && e.Decode(&w) == nil && reflect.DeepEqual(v, w)
}
