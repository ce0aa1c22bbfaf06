package simulate_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	. "github.com/fsmc-dev/fsmc/runtime/simulate"
)

// play plays inputs of the machine of an order, which stand in text.
func play(t *testing.T, text string) (*Played, error) {
	t.Helper()
	var inputs []Input
	must(t, json.Unmarshal([]byte(text), &inputs))
	m := tabletest.Machine(t, order)
	return Play(func(g Guard) (*Simulation, error) {
		return Start(m, "o", json.RawMessage(`{"n": 3}`), noon, g)
	}, inputs)
}

func TestPlay(t *testing.T) {
	for _, c := range []struct{ name, inputs, want string }{
		{"nothing", `[]`, "start>Idle"},
		{"an event", `[{"guard": "is_large", "answer": true}, {"event": "Go", "data": {"size": 3, "note": "x"}}]`, "start>Idle Go>Packing p.begin>Packing"},
		{"an answer for these arguments", `[{"guard": "is_large", "answer": false}, {"guard": "is_large", "args": {"size" : 3}, "answer": true},
			{"event": "Go", "data": {"size": 3, "note": "x"}}]`, "start>Idle Go>Packing p.begin>Packing"},
		{"an answer for others", `[{"guard": "is_large", "answer": false}, {"guard": "is_large", "args": {"size": 4}, "answer": true},
			{"event": "Go", "data": {"size": 3, "note": "x"}}]`, "start>Idle Go>Refused"},
		{"the end of an attempt", `[{"guard": "is_large", "answer": true}, {"event": "Go", "data": {"size": 3, "note": "x"}},
			{"activity": "pack", "fails": "busy"}, {"activity": "p", "event": "Packed", "data": {"note": "y"}, "cost": {"usd": 0.1}}]`, "start>Idle Go>Packing p.begin>Packing p.failed(busy)>Packing p.begin>Packing p.Packed>Packed"},
		{"time", `[{"wait": "59m"}, {"command": "next"}]`, "start>Idle after 1h>Late"},
		{"cancel", `[{"command": "cancel"}]`, "start>Idle cancel>Idle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := play(t, c.inputs)
			must(t, err)
			if diff := cmp.Diff(c.want, path(p.Steps)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlayAsks(t *testing.T) {
	p, err := play(t, `[{"event": "Go", "data": {"size": 3, "note": "x"}}, {"event": "Nothing"}]`)
	must(t, err)
	if p.Ask == nil || p.Ask.Guard != "is_large" || string(p.Ask.Args) != `{"size":3}` || path(p.Steps) != "start>Idle" {
		t.Errorf("ask %+v after %s", p.Ask, path(p.Steps))
	}
}

func TestPlayRefuses(t *testing.T) {
	for _, c := range []struct{ inputs, why string }{
		{`[{}]`, "input 1: an input has one of"},
		{`[{"command": "next"}, {"event": "Go", "data": {"size": 3, "note": ""}}]`, `input 2: event "Go" is refused`},
		{`[{"guard": "is_large", "answer": true}, {"event": "Go", "data": {"size": 10, "note": ""}}]`, "input 2: "},
		{`[{"event": "Go", "wait": "2h"}]`, "input 1: an input has one of"},
		{`[{"activity": "pack", "fails": "busy", "event": "Packed"}]`, "input 1: an input has one of"},
		{`[{"command": "next", "data": {}}]`, "input 1: an input has one of"},
		{`[{"wait": "soon"}]`, `"soon" is no time that passes`},
		{`[{"wait": "-1h"}]`, `"-1h" is no time that passes`},
		{`[{"command": "stop"}]`, `there is no command "stop"`},
		{`[{"command": "resume"}]`, "resume changes nothing here"},
		{`[{"guard": "is_large"}]`, `a guard has its "answer"`},
		{`[{"guard": "is_large", "answer": true, "event": "Go"}]`, "input 1: an input has one of"},
		{`[{"command": "pause"}, {"guard": "is_large"}]`, "input 2: "},
	} {
		if _, err := play(t, c.inputs); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: got %v, want %q", c.inputs, err, c.why)
		}
	}
}

// TestPlayEnds holds that years of a timer of one second are given up.
func TestPlayEnds(t *testing.T) {
	m := tabletest.Machine(t, "machine M {\n initial A\n state A { after 1s -> B }\n state B { after 1s -> A\n after 9000h -> C }\n terminal C }")
	_, err := Play(func(g Guard) (*Simulation, error) {
		return Start(m, "m", nil, noon, g)
	}, []Input{{Wait: "1h"}, {Wait: "876000h"}})
	if err == nil || err.Error() != "input 2: it leads to more than 10000 steps" {
		t.Errorf("got %v", err)
	}
}

// TestChoicesCanBePlayed holds that each choice, written as JSON, is a move that leads where it says.
func TestChoicesCanBePlayed(t *testing.T) {
	m := tabletest.Machine(t, order)
	begin := func(g Guard) (*Simulation, error) {
		return Start(m, "o", json.RawMessage(`{"n": 3}`), noon, g)
	}
	yes := true
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		inputs := []Input{{Guard: "is_large", Answer: &yes}}
		for range 6 {
			before, err := Play(begin, inputs)
			must(t, err)
			if len(before.Choices) == 0 {
				break
			}
			choice := before.Choices[r.IntN(len(before.Choices))]
			if choice.Data != nil {
				choice.Input.Data = map[string]json.RawMessage{"Go": json.RawMessage(`{"size":3,"note":"x"}`), "Packed": json.RawMessage(`{"note":"x"}`)}[choice.Input.Event]
			}
			text, err := json.Marshal(&choice.Input)
			must(t, err)
			var again Input
			must(t, json.Unmarshal(text, &again))
			inputs = append(inputs, again)
			after, err := Play(begin, inputs)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if diff := cmp.Diff(choice.Leads, after.Steps[len(before.Steps):]); len(choice.Leads) > 0 && diff != "" {
				t.Errorf("%s (-said +was):\n%s", text, diff)
			}
		}
	}
}
