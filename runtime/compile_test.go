package runtime

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestDefinitionRoundTrip(t *testing.T) {
	for seed := range uint64(50) {
		d := randomMachine(rand.New(rand.NewPCG(seed, 0)))
		again, err := ParseDefinition(d.Encode())
		if err != nil {
			t.Fatal(err)
		}
		m, err := Compile(again)
		if err != nil {
			t.Fatal(err)
		}
		first, err := Compile(d)
		if err != nil {
			t.Fatal(err)
		}
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
		if _, err := ParseDefinition([]byte(c[0])); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
}

func sound() *Definition {
	return define(params("p string"), fields("n int 0..3 = 1, s string, w duration = \"1s\""), enum("Color", "Red"), event("E", "k int"), event("R", ""), guard("g", "n int"),
		activity("a", "n int", "R", "flaky"),
		state("W", after("w", goTo("D")), exit(set("n", "2")),
			state("A", do("a", []string{"n"}, "per W", "timeout 1s"), when_("E", goTo("D", cond("event.k > n && g(n)"), set("n", "n + 1"), publish("E", "n"), bound(1, "W"))),
				when_("R", retry(1, backoff("1s", "2s", 2, 0.1)), goTo("D")), when_("failed", goTo("D")))),
		state("B", require("n > 0", "D"), when_("done", goTo("D"))),
		terminal("D", Success, set("n", "0")))
}

// TestDamagedDefinitions breaks one thing at a time in a sound definition.
func TestDamagedDefinitions(t *testing.T) {
	if _, err := Compile(sound()); err != nil {
		t.Fatal(err)
	}
	five := int64(5)
	for _, c := range []struct {
		want  string
		spoil func(d *Definition)
	}{
		{"has format 0", func(d *Definition) { d.Format = 0 }},
		{"machine 0 has no valid name", func(d *Definition) { d.Name = "" }},
		{`two of field "n"`, func(d *Definition) { d.Params[0].Name = "n" }},
		{`two of event "E"`, func(d *Definition) { d.Events[1].Name = "E" }},
		{"arm 1 has no valid name", func(d *Definition) { d.Arms[1].Name = "\xff" }},
		{`two of timer`, func(d *Definition) { d.Timers = append(d.Timers, d.Timers[0]) }},
		{`two of value of enum Color "Red"`, func(d *Definition) { d.Enums[0].Values = []string{"Red", "Red"} }},
		{`no kind of type "text"`, func(d *Definition) { d.Params[0].Type.Kind = "text" }},
		{"no enum 4", func(d *Definition) { d.Params[0].Type = Type{Kind: EnumKind, Enum: 4} }},
		{"no type of its items", func(d *Definition) { d.Params[0].Type = Type{Kind: ListKind} }},
		{"string has no range", func(d *Definition) { d.Params[0].Type.Min = &five }},
		{"a range of int is damaged", func(d *Definition) { d.Fields[0].Type.Min = &five }},
		{`default of field "n"`, func(d *Definition) { d.Fields[0].Default = []byte("7") }},
		{`category "unknown" is missing`, func(d *Definition) { d.Categories = []string{"flaky", "timeout"} }},
		{`category "timeout" is missing`, func(d *Definition) { d.Categories = []string{"flaky", "unknown", "late", "silent"} }},
		{"raises event 9", func(d *Definition) { d.Activities[0].Results[0] = 9 }},
		{"raises event 0, which is none that activities raise", func(d *Definition) { d.Activities[0].Results[0] = 0 }},
		{"fails with category -1", func(d *Definition) { d.Activities[0].Fails[0] = -1 }},
		{"first state must be the machine itself", func(d *Definition) { d.States[0].Kind = LeafState }},
		{"its parent is no composite before it", func(d *Definition) { d.States[1].Parent = 2 }},
		{"its parent is no composite before it", func(d *Definition) { d.States[2].Parent = -1 }},
		{"is inside a state", func(d *Definition) { d.States[4].Parent = 1 }},
		{`no outcome "good"`, func(d *Definition) { d.States[4].Outcome = "good" }},
		{`no kind of state "odd"`, func(d *Definition) { d.States[3].Kind = "odd" }},
		{"its initial state is none inside it", func(d *Definition) { d.States[1].Initial = 3 }},
		{"its initial state is none inside it", func(d *Definition) { d.States[0].Initial = -1 }},
		{"what a composite cannot have", func(d *Definition) { d.States[1].Choice = true }},
		{"what a terminal cannot have", func(d *Definition) { d.States[4].Exit = &Block{} }},
		{"do 7 is none of its own", func(d *Definition) { d.States[2].Dos = []int{7} }},
		{"stands in no state", func(d *Definition) { d.States[2].Dos = nil; d.States[2].Handlers = nil }},
		{"timer 0 is none of its own", func(d *Definition) { d.Timers[0].State = 2 }},
		{"target of its require is no state", func(d *Definition) { d.States[3].Require.Target = 0 }},
		{"require of \"B\": an expression is missing", func(d *Definition) { d.States[3].Require.Cond = nil }},
		{"there is no activity 3", func(d *Definition) { d.Dos[0].Activity = 3; d.States[2].Handlers = nil }},
		{"do \"W.A/a\" runs no activity", func(d *Definition) { d.Dos[0].Activity = 3 }},
		{"0 arguments for 1 parameters", func(d *Definition) { d.Dos[0].Args = nil }},
		{"scope of its execution is damaged", func(d *Definition) { d.Dos[0].Scope = Scope{PerState, 99} }},
		{"a limit is not positive", func(d *Definition) { d.Dos[0].Timeout = new(int64) }},
		{"its jitter is no share", func(d *Definition) { d.Timers[0].Jitter = math.NaN() }},
		{"neither a duration nor a time", func(d *Definition) {
			d.Timers[0].Var = &Expr{Op: "field", Index: 0, Type: Type{Kind: Int}}
		}},
		{"there is no arm 99", func(d *Definition) { d.States[2].Handlers[0].Arms[0] = 99 }},
		{"stands in another state", func(d *Definition) { d.Arms[1].State = 3 }},
		{"stands in no state", func(d *Definition) { d.Arms[1].State = -1 }},
		{"there are two for one input", func(d *Definition) {
			d.States[2].Handlers = append(d.States[2].Handlers, d.States[2].Handlers[0])
		}},
		{`no handler of kind "start"`, func(d *Definition) { d.States[2].Handlers[0].Kind = StartInput }},
		{"event 1 does not come from outside", func(d *Definition) { d.States[2].Handlers[0].Event = 1 }},
		{"retries what no activity raised", func(d *Definition) { d.States[2].Handlers[0].Arms[0] = 2 }},
		{"its target is no state", func(d *Definition) { d.Arms[1].Target = 0 }},
		{`there is no kind of arm "jump"`, func(d *Definition) { d.Arms[1].Kind = "jump" }},
		{"would reject what does not come from outside", func(d *Definition) { d.Arms[0] = Arm{Name: "x", Kind: RejectArm, State: 1} }},
		{`"ignore" has no effects`, func(d *Definition) { d.Arms[1].Kind = IgnoreArm }},
		{"its bound is negative", func(d *Definition) { n := int64(-1); d.Arms[1].Max = &n }},
		{"scope of its counter is damaged", func(d *Definition) { d.Arms[1].Scope.Kind = "while" }},
		{"its backoff is damaged", func(d *Definition) { d.Arms[2].Backoff.Last = 1 }},
		{"its backoff is damaged", func(d *Definition) { d.Arms[2].Backoff.Factor = math.Inf(1) }},
		{"its backoff is no duration", func(d *Definition) { d.Arms[2].Backoff.By = &Expr{Op: "now", Type: Type{Kind: TimeKind}} }},
		{"a condition is no bool", func(d *Definition) { d.Arms[1].When = &Expr{Op: "now", Type: Type{Kind: TimeKind}} }},
		{"there is no context field 9", func(d *Definition) { d.Arms[1].Block.Assigns[0].Field = 9 }},
		{`assigned twice`, func(d *Definition) {
			d.Arms[1].Block.Assigns = append(d.Arms[1].Block.Assigns, d.Arms[1].Block.Assigns[0])
		}},
		{"has a default and is never unset", func(d *Definition) { d.Arms[1].Block.Assigns[0].Value = nil }},
		{"is given a string", func(d *Definition) {
			d.Arms[1].Block.Assigns[0].Value = &Expr{Op: "param", Type: Type{Kind: String}}
		}},
		{"there is no event 5", func(d *Definition) { d.Arms[1].Block.Publishes[0].Event = 5 }},
		{"with 0 values for 1 fields", func(d *Definition) { d.Arms[1].Block.Publishes[0].Values = nil }},
		{`read outside an arm`, func(d *Definition) {
			d.States[3].Require.Cond = &Expr{Op: "event", Name: "k", Type: Type{Kind: Bool}}
		}},
		{`no field "q" of type int`, func(d *Definition) { d.Arms[1].When.Args[0].Args[0].Name = "q" }},
		{"there is no guard 3", func(d *Definition) { d.Arms[1].When.Args[1].Index = 3 }},
		{`no operator "xor"`, func(d *Definition) { d.Arms[1].When.Op = "xor" }},
		{`does not take 0 operands`, func(d *Definition) { d.Arms[1].When.Args = nil }},
		{`"&&" does not take a`, func(d *Definition) { d.Arms[1].When.Args[0] = &Expr{Op: "now", Type: Type{Kind: TimeKind}} }},
		{"is said to be of type string", func(d *Definition) { d.Arms[1].When.Type.Kind = String }},
		{"nested deeper than 5000", func(d *Definition) { e := d.Arms[1].When; e.Args[0] = e }},
		{`"set" takes one parameter or field`, func(d *Definition) {
			d.Arms[1].When = &Expr{Op: "set", Type: Type{Kind: Bool}, Args: []*Expr{{Op: "field", Index: 77}}}
		}},
		{"a literal: ", func(d *Definition) { d.Arms[1].When = &Expr{Op: "lit", Type: Type{Kind: Bool}} }},
	} {
		d := sound()
		c.spoil(d)
		m, err := Compile(d)
		if err == nil || m != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %s\n got %v", c.want, err)
		}
	}
}

func TestBackoffWaits(t *testing.T) {
	second := int64(time.Second)
	b := &Backoff{First: second, Last: 60 * second, Factor: 2}
	for k, want := range map[int64]time.Duration{1: time.Second, 2: 2 * time.Second, 6: 32 * time.Second, 7: time.Minute, math.MaxInt64: time.Minute} {
		if got := b.wait(k, 0.9); got != want {
			t.Errorf("wait %d is %s, not %s", k, got, want)
		}
	}
	if got := (&Backoff{First: second, Last: second, Jitter: 0.5}).wait(9, 0.5); got != 750*time.Millisecond {
		t.Error(got)
	}
	if got := (&Backoff{Last: second, Factor: 2}).wait(90, 0); got != 0 {
		t.Error(got)
	}
	if got := lengthen(math.MaxInt64-5, 1, 0.999); got != math.MaxInt64 {
		t.Error(got)
	}
	seen := make(map[float64]bool)
	for i := range int64(1000) {
		share := jitterShare(7, "key", i)
		if share < 0 || share >= 1 || seen[share] {
			t.Fatalf("share %d is %v", i, share)
		}
		seen[share] = true
	}
	if jitterShare(7, "key", 1) == jitterShare(8, "key", 1) || jitterShare(7, "key", 1) == jitterShare(7, "kex", 1) {
		t.Error("seed and key decide nothing")
	}
	// Replay across versions relies on this number.
	if got := jitterShare(7, "r/A/work/1", 2); got != jitterGolden {
		t.Errorf("the jitter has changed: %v", got)
	}
}

const jitterGolden = 0.21261322805553684

func TestDamagedSnapshots(t *testing.T) {
	m, err := Compile(sound())
	if err != nil {
		t.Fatal(err)
	}
	s, _, _, err := m.Step(m.NewSnapshot("r", 1), Input{Kind: StartInput, Data: []Value{StringValue("x")}}, epoch, nil)
	if err != nil {
		t.Fatal(err)
	}
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
	m := working(t, when_("Found", stay(set("n", "event.n"))), when_("None", goTo("D")), when_("done", goTo("B")), when_("failed", goTo("D")))
	r := begin(t, m, "")
	r.result("work", `Found {"n":5}`)
	for i, forge := range []func(r *Record){
		func(r *Record) { r.To++ },
		func(r *Record) { r.Effect = Moved },
		func(r *Record) { r.At = r.At.Add(time.Second) },
	} {
		copied := *r.records[1]
		forge(&copied)
		records := []*Record{r.records[0], &copied, r.records[2]}
		if _, err := m.Replay("r", 7, records); err == nil || !strings.Contains(err.Error(), "does not replay") {
			t.Errorf("forgery %d: %v", i, err)
		}
	}
}

func TestMisuseIsAnError(t *testing.T) {
	m := working(t, when_("Found, None", goTo("D")), when_("failed", goTo("D")))
	fresh := m.NewSnapshot("r", 1)
	if _, _, _, err := m.Step(fresh, Input{Kind: CancelInput}, epoch, nil); err == nil || err.Error() != "the run has not started" {
		t.Error(err)
	}
	r := begin(t, m, "")
	for want, in := range map[string]Input{
		"done is not due":              {Kind: DoneInput},
		"the timer is not due":         {Kind: TimerInput},
		"no kept event is due":         {Kind: KeptInput},
		"there is no event 99":         {Kind: EventInput, Event: 99},
		`there is no input of kind ""`: {},
	} {
		if _, _, _, err := m.Step(r.s, in, epoch, nil); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	if _, _, _, err := m.Step(r.s, Input{Kind: CancelInput}, time.Date(10001, 1, 1, 0, 0, 0, 0, time.UTC), nil); err == nil {
		t.Error("the year 10001 was taken")
	}
	if _, err := m.TaskArgs(r.s, 5, epoch, nil); err == nil {
		t.Error("there is no do 5")
	}
}

// TestNamesAreNames: a definition may have been written by anyone, and its names
// become names of files and what is printed.
func TestNamesAreNames(t *testing.T) {
	whole := func() *Definition {
		d := define(params("p int"), fields("n int = 0"), enum("Color", "Red", "Green"),
			event("Found", "n int"), event("Go", ""), guard("ok", "n int"),
			activity("work", "n int", "Found", "flaky"),
			state("Idle", when_("Go", goTo("Work.Busy", cond("ok(n)")), reject())),
			state("Work", state("Busy", do("work", []string{"n"}, "as one"), after("1m", goTo("Done")), when_("Found, failed", goTo("Done")))),
			terminal("Done", Success))
		d.Activities[0].Costs = []Cost{{"usd", "1"}}
		d.Budget = &Budget{Costs: []Cost{{"usd", "5"}}}
		return d
	}
	if _, err := Compile(whole()); err != nil {
		t.Fatal(err)
	}
	names := map[string]func(*Definition) *string{
		"machine":   func(d *Definition) *string { return &d.Name },
		"parameter": func(d *Definition) *string { return &d.Params[0].Name },
		"field":     func(d *Definition) *string { return &d.Fields[0].Name },
		"enum":      func(d *Definition) *string { return &d.Enums[0].Name },
		"value":     func(d *Definition) *string { return &d.Enums[0].Values[1] },
		"event":     func(d *Definition) *string { return &d.Events[1].Name },
		"of event":  func(d *Definition) *string { return &d.Events[0].Fields[0].Name },
		"category":  func(d *Definition) *string { return &d.Categories[0] },
		"activity":  func(d *Definition) *string { return &d.Activities[0].Name },
		"of work":   func(d *Definition) *string { return &d.Activities[0].Params[0].Name },
		"cost":      func(d *Definition) *string { return &d.Activities[0].Costs[0].Name },
		"budget":    func(d *Definition) *string { return &d.Budget.Costs[0].Name },
		"guard":     func(d *Definition) *string { return &d.Guards[0].Name },
		"of guard":  func(d *Definition) *string { return &d.Guards[0].Params[0].Name },
		"state":     func(d *Definition) *string { return &d.States[len(d.States)-1].Path },
		"label":     func(d *Definition) *string { return &d.Dos[0].Label },
	}
	for what, name := range names {
		for _, bad := range []string{"../../bin/sh", "/bin/sh", "..", "a/b", "a b", "a\x00", "a\nb", "\x1b[2J", "\u202e", "é", "a\xff", "1a", "-x"} {
			d := whole()
			*name(d) = bad
			if _, err := Compile(d); err == nil {
				t.Errorf("%s %q is taken", what, bad)
			}
		}
	}
	for _, name := range []func(*Definition) *string{
		func(d *Definition) *string { return &d.Arms[0].Name },
		func(d *Definition) *string { return &d.Dos[0].Name },
		func(d *Definition) *string { return &d.Timers[0].Name },
	} {
		for _, bad := range []string{"", "a\x00", "a\nb", "\x1b[2J", "a\xff"} {
			d := whole()
			*name(d) = bad
			if _, err := Compile(d); err == nil {
				t.Errorf("%q is taken", bad)
			}
		}
	}
}
