package nodetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/formats"
	"github.com/fsmc-dev/fsmc/codegen/table"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

const (
	exportedRuns   = 100 // of each machine
	exportedMoves  = 15  // of each run
	exportedRandom = 150 // machines
)

// played is a machine that has been exported, and runs of it.
type played struct {
	Format string   `json:"format"`
	Text   string   `json:"text"`
	Name   string   `json:"name"`
	Guards []string `json:"guards"`
	Actors []string `json:"actors"` // that the program provides
	Late   string   `json:"late"`   // of ASL: where a run ends whose time is over
	Runs   []*run   `json:"runs"`

	source string // its name
	fsm    string
	kinds  map[string]machine.Kind // of the fields
}

// source is a machine with its text.
type source struct {
	*ir.Machine
	fsm string
}

// run is what happens to a run, and what is to be seen after the start and after each of it.
type run struct {
	Input json.RawMessage `json:"input"`
	Ops   []op            `json:"ops"`
	want  []seen
}

// op is one thing that comes: an event, the end of what is invoked, or time.
type op struct {
	Kind string          `json:"kind"` // "send", "end", "fail", "wait"
	Name string          `json:"name,omitempty"`
	Call string          `json:"call,omitempty"` // the id of what is invoked
	Data json.RawMessage `json:"data,omitempty"`
	Wait float64         `json:"wait,omitempty"` // milliseconds
}

// seen is a run as it is seen.
type seen struct {
	States    []string       `json:"states"` // paths of all active states; of ours the leaf
	Data      map[string]any `json:"data"`
	Published []any          `json:"published"` // so far
	Ended     bool           `json:"ended"`
}

// TestExportedMachinesMoveAsOurs plays random runs of the examples and of random machines on the
// runtime's own step, and the same moves on the interpreter of the format.
func TestExportedMachinesMoveAsOurs(t *testing.T) {
	needNode(t)
	for _, target := range formats.Targets {
		t.Run(target.Name, func(t *testing.T) {
			t.Parallel()
			var list []*played
			found := machines(t)
			for _, name := range slices.Sorted(maps.Keys(found)) {
				m := found[name]
				if p := export(t, target, name, m.Machine); p != nil {
					p.fsm = m.fsm
					list = append(list, p)
				}
			}
			if len(list) < exportedRandom/10 {
				t.Fatalf("only %d machines are exported without loss: too few to say anything", len(list))
			}
			answers := playAll(t, list)
			moves := 0
			for i, p := range list {
				for j, r := range p.Runs {
					moves += len(r.Ops)
					p.compare(t, r, answers[i][j])
				}
			}
			t.Logf("%d machines, %d moves", len(list), moves)
		})
	}
}

// machines are those of the examples and random ones.
func machines(t *testing.T) map[string]*source {
	t.Helper()
	found := map[string]*source{}
	add := func(name string, src []byte) {
		unit := lang.Load([]lang.Source{{Name: name, Src: src}})
		spins := func(d diag.Diagnostic) bool { return d.Rule == "spinning-loop" }
		if unit.Diags.HasErrors() || slices.ContainsFunc(check.RunUpTo(unit.Program, all.Rules, 20_000), spins) {
			return // no interpreter finds an end of it
		}
		for _, m := range unit.Program.Machines {
			found[name+" "+m.Name] = &source{m, string(src)}
		}
	}
	paths, _ := filepath.Glob("../../../examples/*/*.fsm")
	for _, path := range paths {
		src, err := os.ReadFile(path)
		must(t, err)
		if !strings.HasSuffix(path, "_test.fsm") {
			add(filepath.Base(path), src)
		}
	}
	random := rand.New(rand.NewPCG(19, 8))
	for i := range exportedRandom {
		add(fmt.Sprintf("random %d", i), []byte(oracletest.Generate(random)))
	}
	return found
}

// export makes runs of m and its text; nil where something of it is lost.
func export(t *testing.T, target foreign.Target, name string, m *ir.Machine) *played {
	t.Helper()
	plainly(m)
	if target.Name == "asl" && slices.ContainsFunc(m.States, func(s *ir.State) bool { return len(s.Dos) > 1 }) {
		return nil // what they end with is taken when all have ended
	}
	result := target.Write(m)
	if result.Report.Grade() == foreign.Lost || slices.ContainsFunc(m.Dos, func(d *ir.Do) bool { return d.Fan != nil }) {
		return nil
	}
	compiled, err := machine.Compile(table.Compile(m))
	if err != nil {
		return nil // the checker refuses it, too
	}
	p := &played{Format: target.Name, Text: string(result.Text), Name: m.Name, source: name, kinds: map[string]machine.Kind{}}
	for _, f := range compiled.Definition().Fields {
		p.kinds[f.Name] = f.Type.Kind
	}
	for _, t := range m.Root.Timers {
		p.Late = t.Arms[0].Target.Path
	}
	for _, g := range m.Guards {
		p.Guards = append(p.Guards, g.Name)
	}
	for _, a := range m.Activities {
		p.Actors = append(p.Actors, a.Name)
	}
	for i := range exportedRuns {
		if r := p.play(m, compiled, i); r != nil {
			p.Runs = append(p.Runs, r)
		}
	}
	if p.Runs == nil {
		return nil
	}
	return p
}

// plainly takes out of m what a simulation does not do by itself, chance and the limits of
// attempts, and what the formats leave open: which of two timers is first that are due at once.
func plainly(m *ir.Machine) {
	for _, a := range m.Arms {
		if a.Backoff != nil && a.Backoff.By == nil {
			a.Backoff.Jitter = new(big.Rat)
			a.Backoff.First += int64(a.ID) * int64(11*time.Second)
			a.Backoff.Last += int64(a.ID) * int64(11*time.Second)
		}
	}
	for _, t := range m.Timers {
		t.Jitter = nil
		t.Delay += int64(t.ID) * int64(13*time.Second)
	}
	for _, d := range m.Dos {
		if d.Timeout != nil {
			d.Timeout = new(int64(5 * 365 * 24 * time.Hour))
		}
	}
}

// play takes a run along random moves; nil where it cannot start.
func (p *played) play(m *ir.Machine, compiled *machine.Machine, salt int) *run {
	random := rand.New(rand.NewPCG(uint64(salt), 20))
	d := compiled.Definition()
	params, err := compiled.EncodeParams(machinetest.RandomValues(random, d, d.Params))
	if err != nil {
		return nil
	}
	guard := func(name string, _ json.RawMessage) (bool, error) { return verdict(name, salt), nil }
	sim, err := simulate.Start(compiled, "r", params, time.Unix(1_800_000_000, 0), guard)
	if err != nil || sim.View().Status == machine.Halted {
		return nil
	}
	r := &run{Input: milliseconds(params, d, d.Params)}
	r.want = append(r.want, p.look(sim))
	for tries := 0; tries < 3*exportedMoves && sim.View().Status == machine.Running; tries++ {
		choices := sim.Choices()
		if len(choices) == 0 {
			break
		}
		before := len(sim.Moves())
		o, ok := p.move(m, sim, choices[random.IntN(len(choices))], random)
		if !ok {
			sim.Back(len(sim.Moves()) - before)
			continue
		}
		r.Ops = append(r.Ops, o)
		r.want = append(r.want, p.look(sim))
	}
	return r
}

// move makes a move, and is what comes of it there.
func (p *played) move(m *ir.Machine, sim *simulate.Simulation, c simulate.Choice, random *rand.Rand) (op, bool) {
	d := sim.Machine().Definition()
	move := c.Move
	if i := slices.IndexFunc(d.Events, func(e machine.Event) bool { return e.Name == move.Name }); i >= 0 && len(c.Fields) > 0 {
		move.Data, _ = sim.Machine().EncodePayload(i, machinetest.RandomValues(random, d, c.Fields))
	}
	o := op{Name: move.Name, Data: milliseconds(move.Data, d, c.Fields)}
	if task, err := sim.Attempt(move.Do); err == nil {
		do := m.Dos[task.Do]
		o.Call = cmp.Or(do.Label, do.Activity.Name)
	}
	switch move.Kind {
	case machine.EventInput:
		o.Kind = "send"
	case machine.ResultInput:
		o.Kind = "end"
		if i := slices.IndexFunc(m.Events, func(e *ir.Event) bool { return e.Name == move.Name }); i >= 0 {
			o.Name = m.Events[i].Exit()
		}
	case machine.FailureInput:
		o.Kind = "fail"
	case machine.TimerInput:
		o.Kind, o.Wait = "wait", float64(c.In)/float64(time.Millisecond)
	case machine.CancelInput:
		leaf := m.States[slices.IndexFunc(m.States, func(s *ir.State) bool { return s.Path == sim.View().State })]
		if len(m.Choices(leaf, ir.Case{Kind: ir.CaseCancel})) == 0 {
			return o, false
		}
		o.Kind, o.Name = "send", "cancel"
	}
	// What has to wait for a retry is told there when it has.
	if c.In > 0 && move.Kind != machine.TimerInput {
		return o, false
	}
	_, err := sim.Take(move)
	return o, err == nil && sim.View().Status != machine.Halted
}

// look is the run as it stands.
func (p *played) look(sim *simulate.Simulation) seen {
	d := sim.Machine().Definition()
	v := sim.View()
	s := seen{States: []string{v.State}, Ended: v.Status == machine.Finished, Published: []any{}}
	var data map[string]any
	if json.Unmarshal(milliseconds(v.Data, d, d.Fields), &data) == nil {
		s.Data = data
	}
	for _, c := range sim.Published() {
		e := &d.Events[c.Event]
		fields, _ := sim.Machine().EncodePayload(c.Event, c.Data)
		var message map[string]any
		json.Unmarshal(milliseconds(fields, d, e.Fields), &message)
		if message == nil {
			message = map[string]any{}
		}
		message["type"] = e.Name
		s.Published = append(s.Published, message)
	}
	return s
}

// milliseconds is an object of fields with durations as numbers, and without times.
func milliseconds(object json.RawMessage, d *machine.Definition, fields []machine.Field) json.RawMessage {
	var values map[string]any
	if json.Unmarshal(object, &values) != nil {
		return nil
	}
	for _, f := range fields {
		switch value, ok := values[f.Name].(string); {
		case ok && f.Type.Kind == machine.DurationKind:
			wait, _ := time.ParseDuration(value)
			values[f.Name] = float64(wait) / float64(time.Millisecond)
		case f.Type.Kind == machine.TimeKind:
			delete(values, f.Name)
		}
	}
	text, _ := json.Marshal(values)
	return text
}

// playAll has Node play all runs.
func playAll(t *testing.T, all []*played) [][][]seen {
	t.Helper()
	text, err := json.Marshal(all)
	must(t, err)
	c := exec.Command("node", "play.mjs")
	var problems strings.Builder
	c.Stdin, c.Stderr = strings.NewReader(string(text)), &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	var answers [][][]seen
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatalf("%v\n%.300s", err, out)
	}
	return answers
}

// compare holds what was seen there against what is seen here.
func (p *played) compare(t *testing.T, r *run, got []seen) {
	t.Helper()
	for i, want := range r.want {
		if i >= len(got) {
			t.Fatalf("%s: Node answers %d times, not %d", p.source, len(got), len(r.want))
		}
		problem := ""
		switch {
		case p.Late != "" && len(got[i].States) == 1 && got[i].States[0] == p.Late && want.States[0] == p.Late:
		case !slices.ContainsFunc(got[i].States, func(s string) bool { return s == want.States[0] || strings.HasPrefix(s, want.States[0]+" waits") }):
			problem = fmt.Sprintf("it is in %v, and ours in %s", got[i].States, want.States[0])
		case got[i].Ended != want.Ended:
			problem = fmt.Sprintf("ended is %v, and ours %v", got[i].Ended, want.Ended)
		default:
			problem = diff.Diff(want.Data, p.fields(got[i].Data)) + diff.Diff(want.Published, got[i].Published)
		}
		if problem != "" {
			ops, _ := json.Marshal(r.Ops[:i])
			t.Fatalf("%s: with %s, after %s:\n%s\n%s\n%s", p.source, r.Input, ops, problem, p.fsm, p.Text)
		}
	}
}

// fields are the fields of the machine among data, but for times.
func (p *played) fields(data map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range data {
		if kind, known := p.kinds[name]; known && kind != machine.TimeKind {
			out[name] = value
		}
	}
	return out
}
