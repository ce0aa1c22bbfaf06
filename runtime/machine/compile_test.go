package machine_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

func TestDefinitionRoundTrip(t *testing.T) {
	for seed := range uint64(50) {
		d := randomMachine(rand.New(rand.NewPCG(seed, 0)))
		again, err := machine.ParseDefinition(d.Encode())
		must(t, err)
		m, err := machine.Compile(again)
		must(t, err)
		first, err := machine.Compile(d)
		must(t, err)
		if !bytes.Equal(d.Encode(), again.Encode()) || m.Hash() != first.Hash() || len(m.Hash()) != 64 || m.Definition() != again {
			t.Fatal("the definition reads back otherwise")
		}
	}
	for _, c := range [][2]string{
		{`{`, "the definition is not valid JSON"},
		{`{"format":2}`, "the definition has format 2, this program reads format 1"},
		{`{"format":1,"nmae":"M"}`, `unknown field "nmae"`},
		{`{"format":1}{}`, "not valid JSON"},
	} {
		if _, err := machine.ParseDefinition([]byte(c[0])); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
}

func sound() *machine.Definition {
	return Define(WithParams("p string"), WithFields("n int 0..3 = 1, s string, w duration = \"1s\""), WithEnum("Color", "Red"), WithEvent("E", "k int"), WithEvent("R", ""), WithGuard("g", "n int"),
		WithActivity("a", "n int", "R", "flaky"),
		WithState("W", After("w", GoTo("D")), Leaving(Set("n", "2")),
			WithState("A", Doing("a", []string{"n"}, "per W", "timeout 1s"), On("E", GoTo("D", When("event.k > n && g(n)"), Set("n", "n + 1"), Publishing("E", "n"), Bound(1, "W"))),
				On("R", Retry(1, WithBackoff("1s", "2s", 2, 0.1)), GoTo("D")), On("failed", GoTo("D")))),
		WithState("B", WithRequire("n > 0", "D"), On("done", GoTo("D"))),
		WithTerminal("D", machine.Success, Set("n", "0")), Returning("D", "p", "n"))
}

// TestDamagedDefinitions breaks one thing at a time in a sound definition.
func TestDamagedDefinitions(t *testing.T) {
	if _, err := machine.Compile(sound()); err != nil {
		t.Fatal(err)
	}
	five := int64(5)
	for _, c := range []struct {
		want  string
		spoil func(d *machine.Definition)
	}{
		{"has format 0", func(d *machine.Definition) { d.Format = 0 }},
		{"machine 0 has no valid name", func(d *machine.Definition) { d.Name = "" }},
		{`two of field "n"`, func(d *machine.Definition) { d.Params[0].Name = "n" }},
		{`two of event "E"`, func(d *machine.Definition) { d.Events[1].Name = "E" }},
		{"arm 1 has no valid name", func(d *machine.Definition) { d.Arms[1].Name = "\xff" }},
		{`two of timer`, func(d *machine.Definition) { d.Timers = append(d.Timers, d.Timers[0]) }},
		{`two of value of enum Color "Red"`, func(d *machine.Definition) { d.Enums[0].Values = []string{"Red", "Red"} }},
		{`no kind of type "text"`, func(d *machine.Definition) { d.Params[0].Type.Kind = "text" }},
		{"no enum 4", func(d *machine.Definition) { d.Params[0].Type = machine.Type{Kind: machine.EnumKind, Enum: 4} }},
		{"no type of its items", func(d *machine.Definition) { d.Params[0].Type = machine.Type{Kind: machine.ListKind} }},
		{"string has no range", func(d *machine.Definition) { d.Params[0].Type.Min = &five }},
		{"a range of int is damaged", func(d *machine.Definition) { d.Fields[0].Type.Min = &five }},
		{"string has no length", func(d *machine.Definition) { d.Params[0].Type.Len = &machine.Length{Max: 1} }},
		{"int has no length", func(d *machine.Definition) { d.Fields[0].Type.Len = &machine.Length{Max: 1} }},
		{"list has no range", func(d *machine.Definition) {
			d.Params[0].Type = machine.Type{Kind: machine.ListKind, Min: &five, Max: &five, Elem: &machine.Type{Kind: machine.Bool}}
		}},
		{"a length of list is damaged", func(d *machine.Definition) {
			d.Params[0].Type = machine.Type{Kind: machine.ListKind, Len: &machine.Length{Min: -1}, Elem: &machine.Type{Kind: machine.Bool}}
		}},
		{"a length of list is damaged", func(d *machine.Definition) {
			inner := machine.Type{Kind: machine.ListKind, Len: &machine.Length{Min: 2, Max: 1}, Elem: &machine.Type{Kind: machine.Bool}}
			d.Params[0].Type = machine.Type{Kind: machine.ListKind, Elem: &inner}
		}},
		{`default of field "n": a list of length 0`, func(d *machine.Definition) {
			d.Fields[0].Type = machine.Type{Kind: machine.ListKind, Len: &machine.Length{Min: 1, Max: 1}, Elem: &machine.Type{Kind: machine.Bool}}
			d.Fields[0].Default = []byte("[]")
		}},
		{`default of field "n"`, func(d *machine.Definition) { d.Fields[0].Default = []byte("7") }},
		{`returns "n" twice`, func(d *machine.Definition) { d.States[4].Returns[0] = d.States[4].Returns[1] }},
		{"no context field 9", func(d *machine.Definition) { d.States[4].Returns[1].Index = 9 }},
		{"no parameter -1", func(d *machine.Definition) { d.States[4].Returns[0].Index = -1 }},
		{"said to be of type int", func(d *machine.Definition) { d.States[4].Returns[0].Type.Kind = machine.Int }},
		{`neither a parameter nor a field: "now"`, func(d *machine.Definition) {
			d.States[4].Returns[0] = &machine.Expr{Op: "now", Type: machine.Type{Kind: machine.TimeKind}}
		}},
		{"an expression is missing", func(d *machine.Definition) { d.States[4].Returns[0] = nil }},
		{"a leaf cannot have", func(d *machine.Definition) { d.States[3].Returns = d.States[4].Returns }},
		{`category "unknown" is missing`, func(d *machine.Definition) { d.Categories = []string{"flaky", "timeout"} }},
		{`category "timeout" is missing`, func(d *machine.Definition) { d.Categories = []string{"flaky", "unknown", "late", "silent"} }},
		{"raises event 9", func(d *machine.Definition) { d.Activities[0].Results[0] = 9 }},
		{"raises event 0, which is none that activities raise", func(d *machine.Definition) { d.Activities[0].Results[0] = 0 }},
		{"fails with category -1", func(d *machine.Definition) { d.Activities[0].Fails[0] = -1 }},
		{"first state must be the machine itself", func(d *machine.Definition) { d.States[0].Kind = machine.LeafState }},
		{"its parent is no composite before it", func(d *machine.Definition) { d.States[1].Parent = 2 }},
		{"its parent is no composite before it", func(d *machine.Definition) { d.States[2].Parent = -1 }},
		{"is inside a state", func(d *machine.Definition) { d.States[4].Parent = 1 }},
		{`no outcome "good"`, func(d *machine.Definition) { d.States[4].Outcome = "good" }},
		{`no kind of state "odd"`, func(d *machine.Definition) { d.States[3].Kind = "odd" }},
		{"its initial state is none inside it", func(d *machine.Definition) { d.States[1].Initial = 3 }},
		{"its initial state is none inside it", func(d *machine.Definition) { d.States[0].Initial = -1 }},
		{"what a composite cannot have", func(d *machine.Definition) { d.States[1].Choice = true }},
		{"what a terminal cannot have", func(d *machine.Definition) { d.States[4].Exit = &machine.Block{} }},
		{"do 7 is none of its own", func(d *machine.Definition) { d.States[2].Dos = []int{7} }},
		{"stands in no state", func(d *machine.Definition) { d.States[2].Dos = nil; d.States[2].Handlers = nil }},
		{"timer 0 is none of its own", func(d *machine.Definition) { d.Timers[0].State = 2 }},
		{"target of its require is no state", func(d *machine.Definition) { d.States[3].Require.Target = 0 }},
		{"require of \"B\": an expression is missing", func(d *machine.Definition) { d.States[3].Require.Cond = nil }},
		{"there is no activity 3", func(d *machine.Definition) { d.Dos[0].Activity = 3; d.States[2].Handlers = nil }},
		{"do \"W.A/a\" runs no activity", func(d *machine.Definition) { d.Dos[0].Activity = 3 }},
		{"0 arguments for 1 parameters", func(d *machine.Definition) { d.Dos[0].Args = nil }},
		{"scope of its execution is damaged", func(d *machine.Definition) { d.Dos[0].Scope = machine.Scope{machine.PerState, 99} }},
		{"a limit is not positive", func(d *machine.Definition) { d.Dos[0].Timeout = new(int64) }},
		{"its jitter is no share", func(d *machine.Definition) { d.Timers[0].Jitter = math.NaN() }},
		{"neither a duration nor a time", func(d *machine.Definition) {
			d.Timers[0].Var = &machine.Expr{Op: "field", Index: 0, Type: machine.Type{Kind: machine.Int}}
		}},
		{"there is no arm 99", func(d *machine.Definition) { d.States[2].Handlers[0].Arms[0] = 99 }},
		{"stands in another state", func(d *machine.Definition) { d.Arms[1].State = 3 }},
		{"stands in no state", func(d *machine.Definition) { d.Arms[1].State = -1 }},
		{"there are two for one input", func(d *machine.Definition) {
			d.States[2].Handlers = append(d.States[2].Handlers, d.States[2].Handlers[0])
		}},
		{`no handler of kind "start"`, func(d *machine.Definition) { d.States[2].Handlers[0].Kind = machine.StartInput }},
		{"event 1 does not come from outside", func(d *machine.Definition) { d.States[2].Handlers[0].Event = 1 }},
		{"retries what no activity raised", func(d *machine.Definition) { d.States[2].Handlers[0].Arms[0] = 2 }},
		{"its target is no state", func(d *machine.Definition) { d.Arms[1].Target = 0 }},
		{`there is no kind of arm "jump"`, func(d *machine.Definition) { d.Arms[1].Kind = "jump" }},
		{"would reject what does not come from outside", func(d *machine.Definition) { d.Arms[0] = machine.Arm{Name: "x", Kind: machine.RejectArm, State: 1} }},
		{`"ignore" has no effects`, func(d *machine.Definition) { d.Arms[1].Kind = machine.IgnoreArm }},
		{"its bound is negative", func(d *machine.Definition) { n := int64(-1); d.Arms[1].Max = &n }},
		{"scope of its counter is damaged", func(d *machine.Definition) { d.Arms[1].Scope.Kind = "while" }},
		{"its backoff is damaged", func(d *machine.Definition) { d.Arms[2].Backoff.Last = 1 }},
		{"its backoff is damaged", func(d *machine.Definition) { d.Arms[2].Backoff.Factor = math.Inf(1) }},
		{"its backoff is no duration", func(d *machine.Definition) {
			d.Arms[2].Backoff.By = &machine.Expr{Op: "now", Type: machine.Type{Kind: machine.TimeKind}}
		}},
		{"a condition is no bool", func(d *machine.Definition) {
			d.Arms[1].When = &machine.Expr{Op: "now", Type: machine.Type{Kind: machine.TimeKind}}
		}},
		{"there is no context field 9", func(d *machine.Definition) { d.Arms[1].Block.Assigns[0].Field = 9 }},
		{`assigned twice`, func(d *machine.Definition) {
			d.Arms[1].Block.Assigns = append(d.Arms[1].Block.Assigns, d.Arms[1].Block.Assigns[0])
		}},
		{"has a default and is never unset", func(d *machine.Definition) { d.Arms[1].Block.Assigns[0].Value = nil }},
		{"is given a string", func(d *machine.Definition) {
			d.Arms[1].Block.Assigns[0].Value = &machine.Expr{Op: "param", Type: machine.Type{Kind: machine.String}}
		}},
		{`a run has no value "seed" of its own`, func(d *machine.Definition) {
			d.Arms[1].Block.Assigns[0].Value = &machine.Expr{Op: "run", Name: "seed", Type: machine.Type{Kind: machine.Int}}
		}},
		{"is said to be of type int, and is of type string", func(d *machine.Definition) {
			d.Arms[1].Block.Assigns[0].Value = &machine.Expr{Op: "run", Name: "id", Type: machine.Type{Kind: machine.Int}}
		}},
		{"there is no event 5", func(d *machine.Definition) { d.Arms[1].Block.Publishes[0].Event = 5 }},
		{"with 0 values for 1 fields", func(d *machine.Definition) { d.Arms[1].Block.Publishes[0].Values = nil }},
		{`read outside an arm`, func(d *machine.Definition) {
			d.States[3].Require.Cond = &machine.Expr{Op: "event", Name: "k", Type: machine.Type{Kind: machine.Bool}}
		}},
		{`no field "q" of type int`, func(d *machine.Definition) { d.Arms[1].When.Args[0].Args[0].Name = "q" }},
		{"there is no guard 3", func(d *machine.Definition) { d.Arms[1].When.Args[1].Index = 3 }},
		{`no operator "xor"`, func(d *machine.Definition) { d.Arms[1].When.Op = "xor" }},
		{`does not take 0 operands`, func(d *machine.Definition) { d.Arms[1].When.Args = nil }},
		{`"&&" does not take a`, func(d *machine.Definition) {
			d.Arms[1].When.Args[0] = &machine.Expr{Op: "now", Type: machine.Type{Kind: machine.TimeKind}}
		}},
		{"is said to be of type string", func(d *machine.Definition) { d.Arms[1].When.Type.Kind = machine.String }},
		{"nested deeper than 5000", func(d *machine.Definition) { e := d.Arms[1].When; e.Args[0] = e }},
		{`"set" takes one parameter or field`, func(d *machine.Definition) {
			d.Arms[1].When = &machine.Expr{Op: "set", Type: machine.Type{Kind: machine.Bool}, Args: []*machine.Expr{{Op: "field", Index: 77}}}
		}},
		{"a literal: ", func(d *machine.Definition) {
			d.Arms[1].When = &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.Bool}}
		}},
	} {
		d := sound()
		c.spoil(d)
		m, err := machine.Compile(d)
		if err == nil || m != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %s\n got %v", c.want, err)
		}
	}
}

func TestDamagedSnapshots(t *testing.T) {
	m, err := machine.Compile(sound())
	must(t, err)
	s, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Data: []machine.Value{machine.StringValue("x")}}, epoch, nil)
	must(t, err)
	good := string(m.EncodeSnapshot(s))
	for _, c := range [][3]string{
		{`"state":"W.A"`, `"state":"W"`, "is no leaf"},
		{`"state":"W.A"`, `"state":"X"`, `there is no state "X"`},
		{`"state":"W.A"`, `"state":"D"`, `is not "running"`},
		{`"state":"W.A"`, `"state":"B"`, "has 0 activities"},
		{`"n":1`, `"n":9`, `field "n": 9 is out of range`},
		{`"n":1`, `"n":1,"zz":1`, "there is no such field"},
		{`"params":{"p":"x"}`, `"params":{}`, "it is not set"},
		{`"seq":1`, `"seq":-1`, "-1 is no count"},
		{`"seq":1`, `"seq":1,"seq":1`, `"seq" is given twice`},
		{`"run":"r"`, `"run":"r","odd":1`, `there is no member "odd"`},
		{`"status":"running"`, `"status":"halted"`, "a halted run has"},
		{`"status":"running"`, `"status":"finished","outcome":"success"`, "a finished run has"},
		{`"attempt":1`, `"attempt":0`, "activity of the visit is damaged"},
		{`"executions":[`, `"executions":[{"do":"W.A/a","key":"k","attempt":1},`, "an open execution is damaged"},
		{`"timer":"W/after w #0"`, `"timer":"x"`, `there is no timer "x"`},
		{`"due":`, `"wait":"1s","due":`, "a timer is damaged"},
		{`"seed":"1"`, `"seed":"z"`, "the seed is no"},
		{`"seed":"1"`, `"seed":"1","kept_next":1`, "the kept events are damaged"},
		{`"seed":"1"`, `"seed":"1","counters":{"W.A#1":2}`, "over its bound"},
		{`"seed":"1"`, `"seed":"1","kept":[{"event":"R"}]`, "the kept events are damaged"},
		{`"seed":"1"`, `"seed":"1","kept":[{"event":"E"}]`, `of kind "kept" is incomplete`},
		{`"seed":"1"}`, `"seed":"1"}x`, "there is more"},
	} {
		bad := strings.Replace(good, c[0], c[1], 1)
		if bad == good {
			t.Fatalf("%s is not in %s", c[0], good)
		}
		if _, err := m.DecodeSnapshot([]byte(bad)); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s\n got %v\nwant %s", c[1], err, c[2])
		}
	}
}

func TestReplayFindsAForgedRecord(t *testing.T) {
	m := working(t, On("Found", Stay(Set("n", "event.n"))), On("None", GoTo("D")), On("done", GoTo("B")), On("failed", GoTo("D")))
	r := begin(t, m, "")
	r.result("work", `Found {"n":5}`)
	for i, forge := range []func(r *machine.Record){
		func(r *machine.Record) { r.To++ },
		func(r *machine.Record) { r.Effect = machine.Moved },
		func(r *machine.Record) { r.At = r.At.Add(time.Second) },
	} {
		copied := *r.records[1]
		forge(&copied)
		records := []*machine.Record{r.records[0], &copied, r.records[2]}
		if _, err := m.Replay("r", 7, records); err == nil || !strings.Contains(err.Error(), "does not replay") {
			t.Errorf("forgery %d: %v", i, err)
		}
	}
}

func TestMisuseIsAnError(t *testing.T) {
	m := working(t, On("Found, None", GoTo("D")), On("failed", GoTo("D")))
	fresh := m.NewSnapshot("r", 1)
	if _, _, _, err := m.Step(fresh, machine.Input{Kind: machine.CancelInput}, epoch, nil); err == nil || err.Error() != "the run has not started" {
		t.Error(err)
	}
	r := begin(t, m, "")
	for want, in := range map[string]machine.Input{
		"done is not due":              {Kind: machine.DoneInput},
		"the timer is not due":         {Kind: machine.TimerInput},
		"no kept event is due":         {Kind: machine.KeptInput},
		"there is no event 99":         {Kind: machine.EventInput, Event: 99},
		`there is no input of kind ""`: {},
	} {
		if _, _, _, err := m.Step(r.s, in, epoch, nil); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	if _, _, _, err := m.Step(r.s, machine.Input{Kind: machine.CancelInput}, time.Date(10001, 1, 1, 0, 0, 0, 0, time.UTC), nil); err == nil {
		t.Error("the year 10001 was taken")
	}
	if _, err := m.TaskArgs(r.s, &machine.Task{Do: 5}, epoch, nil); err == nil {
		t.Error("there is no do 5")
	}
}

// TestCallsOfMachines: what says that it calls a machine must look like a call of one.
func TestCallsOfMachines(t *testing.T) {
	child := Build(t, Named("Review"), WithParams("file string"), WithFields("n int = 0"),
		WithState("Work", On("done", GoTo("Completed"))), WithTerminal("Completed", machine.Success), Returning("Completed", "n"), WithTerminal("Failed", machine.Failed))
	parent := func() *machine.Definition {
		return Define(WithFields("n int = 0"), Calling(child), WithEvent("Own", ""), WithActivity("work", "", "Own", ""),
			WithState("A", Doing("Review", []string{`"f"`}, "as one", "timeout 1m"), Doing("Review", []string{`"g"`}), Doing("work", nil),
				On("one.Completed", Stay(Set("n", "event.n"))), On("Review.Completed, Review.Failed, Own, failed", GoTo("D"))),
			WithTerminal("D", machine.Success))
	}
	m, err := machine.Compile(parent())
	must(t, err)
	if again, err := machine.ParseDefinition(m.Definition().Encode()); err != nil || again.Activities[0].Callee != child.Hash() {
		t.Fatal(again, err)
	}
	for want, spoil := range map[string]func(d *machine.Definition){
		`activity "Review" has a callee, and is no call`: func(d *machine.Definition) { d.Activities[0].Callee = "f00" },
		`"Review" raises "Review.Completed", which is`:   func(d *machine.Definition) { d.Activities[0].Callee = "" },
		`"Review" raises "Own", which is no event of it`: func(d *machine.Definition) { d.Activities[0].Results = d.Activities[1].Results },
		`"work" raises "Review.Failed", which is no`:     func(d *machine.Definition) { d.Activities[1].Results[0] = 1 },
		`"Other" raises "Review.Completed", which is no`: func(d *machine.Definition) { d.Activities[0].Name = "Other" },
		`"Review.Completed" comes from outside`:          func(d *machine.Definition) { d.Events[0].Internal = false },
		`has no valid name: "Review/Completed"`:          func(d *machine.Definition) { d.Events[0].Name = "Review/Completed" },
		"it runs a machine, which has no scope":          func(d *machine.Definition) { d.Dos[0].Heartbeat = d.Dos[0].Timeout },
	} {
		d := parent()
		spoil(d)
		if _, err := machine.Compile(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s\n got %v", want, err)
		}
	}
	d := parent()
	d.Activities[0].Costs = []machine.Cost{{"usd", "1"}}
	if _, err := machine.Compile(d); err == nil {
		t.Error("the call of a machine has a cost")
	}
}

// TestNamesAreNames: a definition may have been written by anyone, and its names
// become names of files and what is printed.
func TestNamesAreNames(t *testing.T) {
	whole := func() *machine.Definition {
		d := Define(WithParams("p int"), WithFields("n int = 0"), WithEnum("Color", "Red", "Green"),
			WithEvent("Found", "n int"), WithEvent("Go", ""), WithGuard("ok", "n int"),
			WithActivity("work", "n int", "Found", "flaky"),
			WithState("Idle", On("Go", GoTo("Work.Busy", When("ok(n)")), Refuse())),
			WithState("Work", WithState("Busy", Doing("work", []string{"n"}, "as one"), After("1m", GoTo("Done")), On("Found, failed", GoTo("Done")))),
			WithTerminal("Done", machine.Success))
		d.Activities[0].Costs = []machine.Cost{{"usd", "1"}}
		d.Budget = &machine.Budget{Costs: []machine.Cost{{"usd", "5"}}}
		return d
	}
	if _, err := machine.Compile(whole()); err != nil {
		t.Fatal(err)
	}
	names := map[string]func(*machine.Definition) *string{
		"machine":   func(d *machine.Definition) *string { return &d.Name },
		"parameter": func(d *machine.Definition) *string { return &d.Params[0].Name },
		"field":     func(d *machine.Definition) *string { return &d.Fields[0].Name },
		"enum":      func(d *machine.Definition) *string { return &d.Enums[0].Name },
		"value":     func(d *machine.Definition) *string { return &d.Enums[0].Values[1] },
		"event":     func(d *machine.Definition) *string { return &d.Events[1].Name },
		"of event":  func(d *machine.Definition) *string { return &d.Events[0].Fields[0].Name },
		"category":  func(d *machine.Definition) *string { return &d.Categories[0] },
		"activity":  func(d *machine.Definition) *string { return &d.Activities[0].Name },
		"of work":   func(d *machine.Definition) *string { return &d.Activities[0].Params[0].Name },
		"cost":      func(d *machine.Definition) *string { return &d.Activities[0].Costs[0].Name },
		"budget":    func(d *machine.Definition) *string { return &d.Budget.Costs[0].Name },
		"guard":     func(d *machine.Definition) *string { return &d.Guards[0].Name },
		"of guard":  func(d *machine.Definition) *string { return &d.Guards[0].Params[0].Name },
		"state":     func(d *machine.Definition) *string { return &d.States[len(d.States)-1].Path },
		"label":     func(d *machine.Definition) *string { return &d.Dos[0].Label },
	}
	for what, name := range names {
		for _, bad := range []string{"../../bin/sh", "/bin/sh", "..", "a/b", "a b", "a\x00", "a\nb", "\x1b[2J", "\u202e", "é", "a\xff", "1a", "-x"} {
			d := whole()
			*name(d) = bad
			if _, err := machine.Compile(d); err == nil {
				t.Errorf("%s %q is taken", what, bad)
			}
		}
	}
	for _, name := range []func(*machine.Definition) *string{
		func(d *machine.Definition) *string { return &d.Arms[0].Name },
		func(d *machine.Definition) *string { return &d.Dos[0].Name },
		func(d *machine.Definition) *string { return &d.Timers[0].Name },
	} {
		for _, bad := range []string{"", "a\x00", "a\nb", "\x1b[2J", "a\xff"} {
			d := whole()
			*name(d) = bad
			if _, err := machine.Compile(d); err == nil {
				t.Errorf("%q is taken", bad)
			}
		}
	}
}
