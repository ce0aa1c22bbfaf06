package table_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// epoch is when every script begins.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A player takes one run of a machine through a script, and checks after every
// input what must always hold: the snapshot before it is unchanged, the one
// after it reads back the same, and the records replay to it.
type player struct {
	t        *testing.T
	m        *machine.Machine
	d        *machine.Definition
	s        *machine.Snapshot
	now      time.Time
	answers  map[string]string // of host guards, by name
	attempts []machine.Task    // every attempt started, in order
	records  []*machine.Record
	line     string         // of the script
	cost     []machine.Cost // said with the next input
}

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newPlayer(t *testing.T, m *machine.Machine) *player {
	return &player{t: t, m: m, d: m.Definition(), s: m.NewSnapshot("r", 7), now: epoch, answers: map[string]string{}}
}

// playScript plays the lines at the margin, and gives the script with what came
// of each below it.
func (p *player) playScript(script string) string {
	p.t.Helper()
	var out strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			out.WriteString(line + "\n")
		case !strings.HasPrefix(line, " "):
			p.line = line
			out.WriteString(line + "\n")
			for _, what := range p.play(line) {
				out.WriteString("    " + what + "\n")
			}
		}
	}
	return out.String()
}

// play takes one input:
//
//	start {json}              the run begins, with its parameters
//	send EVENT {json}         an event from outside
//	raise DO EVENT {json}     an activity raises an event
//	end DO                    an activity ends with nothing to say
//	fail DO CATEGORY MESSAGE  an attempt fails
//	cancel, cancel force
//	pause, resume, retry, retry allow
//	begin DO, spent DO, late DO, lost DO, return DO
//	                          what an engine says of an attempt of a run that is held to a budget
//	cost usd 0.5              no input: what the attempt says with the next input
//	args DO                   no input: shows the arguments of an attempt
//	allowed                   no input: shows the events allowed
//	answer GUARD true         no input: what a host guard says from now on: true, false, or why it fails
//	+1h                       time passes, and what is due fires
//
// Before each may stand +DURATION: the input comes that much later. DO is a
// label, an activity or the full name of a do, with "[i]" an element of it, and means its open attempt; with
// "@k" the k-th attempt of it in the run, open or not.
func (p *player) play(line string) []string {
	p.t.Helper()
	verb, rest := word(line)
	if strings.HasPrefix(verb, "+") {
		d, err := time.ParseDuration(verb[1:])
		if err != nil {
			p.fatal(err)
		}
		p.now = p.now.Add(d)
		if rest == "" {
			next, commands, records, err := p.m.Settle(p.s, p.now, p.ask)
			return p.took(next, commands, records, err)
		}
		verb, rest = word(rest)
	}
	switch verb {
	case "args":
		args, err := p.m.TaskArgs(p.s, p.task(rest), p.now, p.ask)
		return []string{valueOr(string(args), err)}
	case "allowed":
		return []string{"allowed: " + p.allowed()}
	case "cost":
		name, amount := word(rest)
		p.cost = append(p.cost, machine.Cost{Name: name, Amount: amount})
		return nil
	case "answer":
		guard, answer := word(rest)
		p.answers[guard] = answer
		return nil
	}
	in, err := p.input(verb, rest)
	if err != nil {
		return []string{"unreadable: " + err.Error()}
	}
	in.Cost, p.cost = p.cost, nil
	next, commands, records, err := p.m.Advance(p.s, in, p.now, p.ask)
	return p.took(next, commands, records, err)
}

// input reads what a line gives the run. The error is of its payload.
func (p *player) input(verb, rest string) (machine.Input, error) {
	p.t.Helper()
	in := machine.Input{Kind: machine.EventInput, Event: -1}
	var err error
	switch verb {
	case "start":
		in.Kind = machine.StartInput
		in.Data, err = p.m.DecodeParams(json.RawMessage(rest))
	case "send":
		err = p.payload(&in, rest)
	case "raise", "end":
		do, event := word(rest)
		in = p.attempt(machine.ResultInput, do)
		if verb == "raise" {
			err = p.payload(&in, event)
		}
	case "fail":
		do, failure := word(rest)
		category, message := word(failure)
		in = p.attempt(machine.FailureInput, do)
		in.Category, in.Message = p.category(category), message
	case "cancel":
		in.Kind, in.Force = machine.CancelInput, rest == "force"
	case "pause", "resume", "retry":
		in.Kind, in.Allow = machine.InputKind(verb), rest == "allow"
	case "begin", "spent", "late", "lost", "return":
		in = p.attempt(machine.InputKind(verb), rest)
		in.Worker = "w"
	default:
		p.fatal("there is no such line")
	}
	return in, err
}

func (p *player) payload(in *machine.Input, text string) error {
	p.t.Helper()
	name, data := word(text)
	for e := range p.d.Events {
		if p.d.Events[e].Name == name {
			var err error
			in.Event = e
			in.Data, err = p.m.DecodePayload(e, json.RawMessage(data))
			return err
		}
	}
	p.fatal("there is no event " + name)
	return nil
}

func (p *player) category(name string) int {
	p.t.Helper()
	for i, c := range p.d.Categories {
		if c == name {
			return i
		}
	}
	p.fatal("there is no category " + name)
	return 0
}

func (p *player) attempt(kind machine.InputKind, do string) machine.Input {
	p.t.Helper()
	task := p.task(do)
	return machine.Input{Kind: kind, Event: -1, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt}
}

// task is the attempt that text means.
func (p *player) task(text string) *machine.Task {
	p.t.Helper()
	do, nth, old := strings.Cut(text, "@")
	tasks := p.s.Tasks
	n := 1
	if old {
		var err error
		if n, err = strconv.Atoi(nth); err != nil {
			p.fatal(err)
		}
		tasks = p.attempts
	}
	for _, task := range tasks {
		d := &p.d.Dos[task.Do]
		of, index, element := machine.CutElement(do)
		means := (of == d.Label || of == d.Name || of == p.d.Activities[d.Activity].Name) && element == (d.Fan != nil) && index == task.Index
		if !means || !old && task.State != machine.TaskOpen {
			continue
		}
		if n--; n == 0 {
			return &task
		}
	}
	p.fatal(do + " has no such attempt")
	return nil
}

func (p *player) ask(guard int, _ []machine.Value) (bool, error) {
	switch answer := p.answers[p.d.Guards[guard].Name]; answer {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	default:
		return false, errors.New(answer)
	}
}

// took goes on with what came of an input, and tells it.
func (p *player) took(next *machine.Snapshot, commands []machine.Command, records []*machine.Record, err error) []string {
	p.t.Helper()
	before := p.s
	p.s = next
	p.records = append(p.records, records...)
	for _, c := range commands {
		if c.Kind == machine.StartTask {
			p.attempts = append(p.attempts, c.Task)
		}
	}
	p.check()
	told := p.tell(commands, records)
	told = append(told, p.changes(before)...)
	var rejected *machine.Rejected
	switch {
	case errors.As(err, &rejected):
		told = append(told, "refused: "+err.Error())
	case err != nil:
		told = append(told, "error: "+err.Error())
	}
	return told
}

// check holds the run against its own history and its written form, from which it then
// goes on.
func (p *player) check() {
	p.t.Helper()
	encoded := p.m.EncodeSnapshot(p.s)
	decoded, err := p.m.DecodeSnapshot(encoded)
	if err != nil {
		p.fatal(fmt.Sprintf("%v\n%s", err, encoded))
	}
	if again := p.m.EncodeSnapshot(decoded); string(again) != string(encoded) {
		p.fatal(fmt.Sprintf("the snapshot reads back otherwise\nfrom %s\nto   %s", encoded, again))
	}
	records := make([]*machine.Record, len(p.records))
	for i, r := range p.records {
		if records[i], err = p.m.DecodeRecord(p.m.EncodeRecord(r)); err != nil {
			p.fatal(err)
		}
	}
	replayed, err := p.m.Replay(p.s.Run, p.s.Seed, records)
	if err != nil {
		p.fatal(err)
	}
	if got := p.m.EncodeSnapshot(replayed); string(got) != string(encoded) {
		p.fatal(fmt.Sprintf("replay differs\ngot  %s\nwant %s", got, encoded))
	}
	p.s = decoded
}

func (p *player) fatal(why any) {
	p.t.Helper()
	p.t.Fatalf("%s: %v", p.line, why)
}

// word cuts the first word off.
func word(text string) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimSpace(text), " ")
	return first, strings.TrimSpace(rest)
}

func valueOr(text string, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}
