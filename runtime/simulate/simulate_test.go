package simulate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/lang/langtest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/simulate"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const order = `
machine Order(n int 0..9) {
    context { left int = 3, note string }
    budget { usd 1 }
    event Go { size int 0..9, note string }
    event Hold
    failures { busy }
    guard is_large(size int)
    event Packed { note string }
    activity pack(n int) -> Packed fails busy cost usd 0.1
    initial Idle
    on over_budget -> Poor
    state Idle {
        on Go when is_large(event.size) -> Packing { note = event.note } else -> Refused
        defer Hold
        after 1h -> Late
    }
    state Packing {
        do pack(n) as p timeout 10m
        on p.Packed -> Packed { note = event.note }
        on p.failed(busy) retry 2 backoff 1m..2m else -> Refused
        on p.failed -> Refused
        on Hold ignore
    }
    terminal Packed
    terminal Refused failure
    terminal Late failure
    terminal Poor failure
}`

func path(steps []machine.StepView) string {
	var text []string
	for i := range steps {
		text = append(text, fmt.Sprintf("%s>%s", steps[i].Input, steps[i].To))
	}
	return strings.Join(text, " ")
}

// begin starts a run of the machine above; large is what its guard answers.
func begin(t *testing.T, large bool) *Simulation {
	t.Helper()
	m := tabletest.Machine(t, order)
	s, err := Start(m, "o1", json.RawMessage(`{"n":4}`), noon, func(name string, args json.RawMessage) (bool, error) {
		if name != "is_large" || !strings.HasPrefix(string(args), `{"size":`) {
			t.Errorf("%s %s", name, args)
		}
		return large, nil
	})
	must(t, err)
	return s
}

// takes makes a move, and compares what it leads to.
func takes(t *testing.T, s *Simulation, move Move, want string) {
	t.Helper()
	steps, err := s.Take(move)
	must(t, err)
	if got := path(steps); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// refuses makes a move that changes nothing.
func refuses(t *testing.T, s *Simulation, move Move, why string) {
	t.Helper()
	before, now := s.View(), s.Now()
	if _, err := s.Take(move); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("%+v: got %v, want %s", move, err, why)
	}
	if !reflect.DeepEqual(before, s.View()) || !now.Equal(s.Now()) {
		t.Errorf("%+v changes something", move)
	}
}

var goes = Move{Kind: machine.EventInput, Name: "Go", Data: json.RawMessage(`{"size":3,"note":"a"}`)}

func TestSimulation(t *testing.T) {
	s := begin(t, true)
	takes(t, s, Move{Kind: machine.EventInput, Name: "Hold"}, "Hold>Idle")
	takes(t, s, Move{Kind: machine.TimerInput, Pass: 30 * time.Minute}, "")
	if !s.Now().Equal(noon.Add(30 * time.Minute)) {
		t.Error(s.Now())
	}
	takes(t, s, goes, "Go>Packing Hold>Packing p.begin>Packing")
	takes(t, s, Move{Kind: machine.FailureInput, Do: "p", Name: "busy"}, "p.failed(busy)>Packing")
	now := s.Now()
	takes(t, s, Move{Kind: machine.TimerInput}, "p.begin>Packing")
	if waited := s.Now().Sub(now); waited < 30*time.Second || waited > time.Minute {
		t.Error(waited)
	}
	takes(t, s, Move{Kind: machine.PauseInput}, "pause>Packing")
	takes(t, s, Move{Kind: machine.ResultInput, Do: "Packing.p", Name: "Packed", Data: json.RawMessage(`{"note":"b"}`)}, "p.Packed>Packing")
	takes(t, s, Move{Kind: machine.ResumeInput}, "resume>Packing p.Packed>Packed")
	if v := s.View(); v.Status != machine.Finished || string(v.Data) != `{"left":3,"note":"b"}` || len(s.Choices()) > 0 {
		t.Errorf("%+v %v", v, s.Choices())
	}
	if moves := s.Moves(); len(moves) != 8 || moves[2].Name != "Go" {
		t.Errorf("%+v", moves)
	}
	s.Back(3)
	if v := s.View(); v.State != "Packing" || v.Paused {
		t.Errorf("%+v", v)
	}
	takes(t, s, Move{Kind: machine.FailureInput, Do: "pack", Name: "timeout"}, "p.failed(timeout)>Refused")
	s.Back(100)
	if v := s.View(); v.State != "Idle" || v.Seq != 1 || len(s.Moves()) > 0 {
		t.Errorf("%+v", v)
	}
	takes(t, s, Move{Kind: machine.TimerInput}, "after 1h>Late")
}

// TestSpending: what an attempt has used counts, and an attempt that would pass the budget does not begin.
func TestSpending(t *testing.T) {
	s := begin(t, true)
	takes(t, s, goes, "Go>Packing p.begin>Packing")
	takes(t, s, Move{Kind: machine.FailureInput, Do: "p", Name: "busy", Cost: map[string]json.Number{"usd": "0.95"}}, "p.failed(busy)>Packing")
	takes(t, s, Move{Kind: machine.TimerInput}, "p.begin>Packing over_budget(usd)>Poor")
}

func TestRefusedMoves(t *testing.T) {
	s := begin(t, false)
	refuses(t, s, Move{Kind: machine.EventInput, Name: "God"}, `"God"`)
	refuses(t, s, Move{Kind: machine.EventInput, Name: "Go"}, "size")
	refuses(t, s, Move{Kind: machine.ResultInput, Do: "p", Name: "Packed"}, `"p" is not under way`)
	refuses(t, s, Move{Kind: machine.ResumeInput}, "changes nothing")
	refuses(t, s, Move{Kind: machine.StartInput}, "no move")
	silent, err := Start(s.Machine(), "o2", json.RawMessage(`{"n":4}`), noon, nil)
	must(t, err)
	refuses(t, silent, goes, `guard "is_large"`)
	takes(t, s, goes, "Go>Refused")
	refuses(t, s, Move{Kind: machine.TimerInput}, "no timer runs")
	if _, err := Start(s.Machine(), "o3", json.RawMessage(`{"n":40}`), noon, nil); err == nil {
		t.Error("a parameter out of its range is taken")
	}

	s = begin(t, true)
	takes(t, s, goes, "Go>Packing p.begin>Packing")
	refuses(t, s, Move{Kind: machine.FailureInput, Do: "p", Name: "silent"}, "does not fail")
	refuses(t, s, Move{Kind: machine.FailureInput, Do: "p", Name: "buzy"}, "busy")
	refuses(t, s, Move{Kind: machine.ResultInput, Do: "p", Name: "Go"}, "Go")
	refuses(t, s, Move{Kind: machine.ResultInput, Do: "p", Name: "Packed", Data: json.RawMessage(`{"note":3}`)}, "note")
	refuses(t, s, Move{Kind: machine.ResultInput, Do: "p", Name: "Packed", Data: json.RawMessage(`{"note":"x"}`), Cost: map[string]json.Number{"usd": "-1"}}, "usd")
}

// TestContinue: from where a run stands, in a simulation of its own.
func TestContinue(t *testing.T) {
	s := begin(t, true)
	var at *machine.Snapshot
	takes(t, s, goes, "Go>Packing p.begin>Packing")
	at, err := s.Machine().DecodeSnapshot(s.Machine().EncodeSnapshot(s.Run()))
	must(t, err)
	other := Continue(s.Machine(), at, nil)
	takes(t, other, Move{Kind: machine.CancelInput}, "cancel>Packing")
	if s.View().Status != machine.Running || other.View().Outcome != machine.Cancelled {
		t.Error(s.View(), other.View())
	}
}

// sample is some object that fits the fields of an event.
func sample(r *rand.Rand, d *machine.Definition, fields []machine.Field) json.RawMessage {
	object := map[string]any{}
	for _, f := range fields {
		if f.Optional && r.IntN(2) == 0 {
			continue
		}
		at, name := object, f.Name
		for point := strings.IndexByte(name, '.'); point >= 0; point = strings.IndexByte(name, '.') {
			if at[name[:point]] == nil {
				at[name[:point]] = map[string]any{}
			}
			at, name = at[name[:point]].(map[string]any), name[point+1:]
		}
		at[name] = sampleOf(r, d, &f.Type)
	}
	text, _ := json.Marshal(object)
	return text
}

func sampleOf(r *rand.Rand, d *machine.Definition, typ *machine.Type) any {
	switch typ.Kind {
	case machine.Bool:
		return r.IntN(2) == 0
	case machine.Int:
		if typ.Min != nil && typ.Max != nil {
			return *typ.Min + r.Int64N(min(*typ.Max-*typ.Min, 1000)+1)
		}
		return r.Int64N(5)
	case machine.Float:
		if typ.Min != nil && typ.Max != nil {
			return float64(*typ.Min)
		}
		return 0.5
	case machine.DurationKind:
		return (time.Duration(r.IntN(100)) * time.Second).String()
	case machine.TimeKind:
		return noon.Add(time.Duration(r.IntN(100)) * time.Hour).Format(time.RFC3339)
	case machine.JSON:
		return map[string]any{"a": 1}
	case machine.EnumKind:
		values := d.Enums[typ.Enum].Values
		return values[r.IntN(len(values))]
	case machine.ListKind:
		list := []any{}
		n := r.IntN(3)
		if typ.Len != nil {
			n = max(n, int(typ.Len.Min))
		}
		for range n {
			list = append(list, sampleOf(r, d, typ.Elem))
		}
		return list
	}
	return "x"
}

// TestRandomMoves: what a simulation makes of random moves is a history that replays, bit for bit; a
// choice leads where it says.
func TestRandomMoves(t *testing.T) {
	walks, moved := 40, map[machine.InputKind]int{}
	if testing.Short() {
		walks = 8
	}
	for _, source := range langtest.Sources(t, "../../examples/*/*.fsm") {
		for _, m := range tabletest.Machines(t, string(source.Src)) {
			for seed := range walks {
				randomWalk(t, m, rand.New(rand.NewPCG(uint64(seed), 1)), moved)
			}
		}
	}
	for _, kind := range []machine.InputKind{machine.EventInput, machine.ResultInput, machine.FailureInput, machine.TimerInput, machine.CancelInput} {
		if moved[kind] < 20 {
			t.Errorf("%s: %d moves", kind, moved[kind])
		}
	}
}

func randomWalk(t *testing.T, m *machine.Machine, r *rand.Rand, moved map[machine.InputKind]int) {
	t.Helper()
	d := m.Definition()
	s, err := Start(m, "w", sample(r, d, d.Params), noon, func(string, json.RawMessage) (bool, error) { return r.IntN(2) == 0, nil })
	if err != nil {
		var refused *machine.Rejected
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", d.Name, err)
		}
		return
	}
	for range 30 {
		choices := s.Choices()
		if len(choices) == 0 {
			break
		}
		c := choices[r.IntN(len(choices))]
		if c.Move.Kind == machine.CancelInput && r.IntN(4) > 0 {
			continue
		}
		if len(c.Fields) > 0 {
			c.Move.Data = sample(r, d, c.Fields)
		}
		steps, err := s.Take(c.Move)
		switch {
		case err != nil && len(c.Fields) == 0 && c.Steps != nil:
			t.Fatalf("%s: %+v was a choice: %v", d.Name, c.Move, err)
		case err != nil:
			continue // its data, or a guard, refuse it
		case c.Steps != nil && path(steps) != path(c.Steps):
			t.Fatalf("%s: %+v led to %s, not to %s", d.Name, c.Move, path(steps), path(c.Steps))
		}
		moved[c.Move.Kind]++
	}
	got, err := m.Replay("w", machine.SeedOf("w"), s.Records())
	if err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	if is, text := m.EncodeSnapshot(s.Run()), m.EncodeSnapshot(got); !bytes.Equal(text, is) {
		t.Fatalf("%s: the snapshot is\n%s\nand replays as\n%s", d.Name, is, text)
	}
}

// TestNoEndOfSteps: a wait in which timers fire without end is refused.
func TestNoEndOfSteps(t *testing.T) {
	m := tabletest.Machine(t, "machine Tick { context { n int = 0 }\n initial A state A { after 1ms -> B unbounded } state B { after 1ms -> A unbounded on cancel -> C } terminal C }")
	s, err := Start(m, "t", nil, noon, nil)
	must(t, err)
	if _, err := s.Take(Move{Kind: machine.TimerInput, Pass: 24 * 365 * time.Hour}); err == nil || !strings.Contains(err.Error(), "more than 20000 steps") {
		t.Errorf("%v", err)
	}
}
