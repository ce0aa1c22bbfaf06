package nodetest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign/formats"
	"github.com/fsmc-dev/fsmc/lang"
)

// tapes are what a simulation cannot play: limits of attempts, and the elements of lists. What is
// to be seen is written by hand, from the contract of the language.
var tapes = []struct {
	name, text string
	guards     []string
	ops        []op
	states     []string // after the start and after each op
	data       string   // at the end, of some fields
}{
	{
		name: "an attempt that takes too long fails with timeout, and is tried again",
		text: `machine M {
			context { why string = "" }
			activity work() -> Worked
			event Worked
			initial Working
			after 1h -> Late
			state Working {
				do work() timeout 30s
				on Worked -> Done
				on failed(timeout) retry 2 backoff 1s..10s jitter 0 else -> Late { why = event.category }
				on failed -> Late { why = event.activity }
			}
			terminal Done
			terminal Late failure
		}`,
		ops:    []op{wait(29_999), wait(1), wait(999), wait(1), wait(30_000), wait(2_000), wait(30_000)},
		states: []string{"Working.running", "Working.running", "Working.waiting", "Working.waiting", "Working.running", "Working.waiting", "Working.running", "Late"},
		data:   `{"why": "timeout"}`,
	},
	{
		name: "a limit does not run while a retry waits",
		text: `machine M {
			activity work()
			initial Working
			after 1h -> Late
			state Working {
				do work() timeout 10s
				on failed retry 1 backoff 20s jitter 0 else -> Late
				on done -> Done
			}
			terminal Done
			terminal Late failure
		}`,
		ops:    []op{{Kind: "fail", Name: "unknown", Call: "work"}, wait(19_999), wait(1), {Kind: "end", Call: "work"}},
		states: []string{"Working.running", "Working.waiting", "Working.waiting", "Working.running", "Done"},
	},
	{
		name: "elements end one by one, and then all have",
		text: `machine M(names [0..5]string) {
			context { good int 0..5 = 0, bad [0..5]string = [] }
			event Read { size int }
			activity read(name string) -> Read
			initial Reading
			after 1h -> Late
			state Reading {
				do read(name) for name in names as file
				on file.Read when event.size > 10 { good = good + 1 } else {}
				on file.failed { bad = bad + event.item }
				on done when good > 1 -> Done else -> Late
			}
			terminal Done
			terminal Late failure
		}`,
		ops: []op{
			{Kind: "element", Call: "file", Name: "Read", Data: json.RawMessage(`{"size": 11, "index": 0, "item": "a"}`)},
			{Kind: "element", Call: "file", Name: "Read", Data: json.RawMessage(`{"size": 10, "index": 1, "item": "b"}`)},
			{Kind: "element", Call: "file", Name: "failed", Data: json.RawMessage(`{"category": "unknown", "index": 3, "item": "d"}`)},
			{Kind: "element", Call: "file", Name: "Read", Data: json.RawMessage(`{"size": 12, "index": 2, "item": "c"}`)},
			{Kind: "all", Call: "file"},
		},
		states: []string{"Reading.running", "Reading.running", "Reading.running", "Reading.running", "Reading.running", "Done"},
		data:   `{"good": 2, "bad": ["d"]}`,
	},
	{
		name: "names that mean something to the format",
		text: `machine M {
			context { new string = "", delete int = 0 }
			event Go { type string, a int }
			initial constructor
			after 1h -> Late
			state constructor { on Go when event.type == "x" -> toString { new = event.type, delete = event.a } else reject }
			state toString { after 1s -> Done }
			terminal Done
			terminal Late failure
		}`,
		ops: []op{
			{Kind: "send", Name: "Go", Data: json.RawMessage(`{"type_": "y", "a": 1}`)},
			{Kind: "send", Name: "Go", Data: json.RawMessage(`{"type_": "x", "a": 2}`)}, wait(1000),
		},
		states: []string{"constructor", "constructor", "toString", "Done"},
	},
	{
		name: "a deadline of the machine reaches into a state deep inside",
		text: `machine M {
			event E
			initial Outer
			after 1m -> Outer.Inner.Second
			state Outer {
				initial Inner
				on E -> Outer.Inner.First
				state Inner {
					initial First
					exit { left = left + 1 }
					state First {}
					state Second {}
				}
			}
			context { left int 0..9 = 0 }
			terminal Never
		}`,
		ops:    []op{{Kind: "send", Name: "E"}, wait(60_000), {Kind: "send", Name: "E"}},
		states: []string{"Outer.Inner.First", "Outer.Inner.First", "Outer.Inner.Second", "Outer.Inner.First"},
		data:   `{"left": 0}`,
	},
}

func wait(ms float64) op { return op{Kind: "wait", Wait: ms} }

func TestTapes(t *testing.T) {
	needNode(t)
	for _, target := range formats.Targets {
		if target.Name == "asl" {
			continue // it has no states inside others, and no event ends an element
		}
		t.Run(target.Name, func(t *testing.T) {
			var list []*played
			for _, tape := range tapes {
				unit := lang.Load([]lang.Source{{Name: "x.fsm", Src: []byte(tape.text)}})
				for _, d := range unit.Diags {
					t.Fatalf("%s: %s", tape.name, d.Message)
				}
				m := unit.Program.Machines[0]
				p := &played{Format: target.Name, Text: string(target.Write(m).Text), Name: m.Name, Runs: []*run{{Ops: tape.ops}}}
				for _, a := range m.Activities {
					p.Actors = append(p.Actors, a.Name, a.Name+" for names")
				}
				list = append(list, p)
			}
			for i, answer := range playAll(t, list) {
				tape := tapes[i]
				for n, want := range tape.states {
					if !slices.ContainsFunc(answer[0][n].States, func(s string) bool { return s == want || strings.HasSuffix(s, "."+want) }) {
						t.Errorf("%s: after %d, it is in %v, want %s\n%s", tape.name, n, answer[0][n].States, want, list[i].Text)
					}
				}
				var want map[string]any
				json.Unmarshal([]byte(tape.data), &want)
				end := answer[0][len(answer[0])-1].Data
				for field, value := range want {
					got, _ := json.Marshal(end[field])
					if text, _ := json.Marshal(value); string(got) != string(text) {
						t.Errorf("%s: %s is %s, want %s", tape.name, field, got, text)
					}
				}
			}
		})
	}
}
