package machine_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// These tests follow "Meaning", sentence by sentence.

func TestStart(t *testing.T) {
	m := Build(t, WithParams("pr string"), WithFields("n int 0..9 = 4, s string"), WithEvent("Log", "at string"),
		Entering(Set("s", "pr + `!`")),
		WithState("W", Entering(Publishing("Log", "s")), After("1h", GoTo("D")), WithState("A", After("2h", GoTo("D")), Entering(Publishing("Log", "`A`")))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, `{"pr":"x"}`)
	r.at("W.A", `{"n":4,"s":"x!"}`)
	r.did(`publish:Log{"at":"x!"}r/1/1 publish:Log{"at":"A"}r/1/2 set-timer:1h+1h0m0s set-timer:2h+2h0m0s`)
	if r.s.Visit != 1 || r.s.Seq != 1 || r.last[0].From != -1 || r.commands[0].Seq != 1 {
		t.Fatalf("%+v", r.s)
	}
	if err := r.take(machine.Input{Kind: machine.StartInput, Data: r.s.Params}); !errors.Is(err, machine.ErrExists) {
		t.Fatal(err)
	}
	_, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Data: []machine.Value{machine.Unset}}, epoch, nil)
	if want := `the start is refused: parameter "pr": it is not set`; err == nil || err.Error() != want {
		t.Fatal(err)
	}
}

func TestBlockReadsValuesFromBefore(t *testing.T) {
	m := Build(t, WithFields("a int = 1, b int = 2, u string"), WithEvent("Swap", ""), WithEvent("Out", "a int, b int"),
		WithState("A", On("Swap", Stay(Set("a", "b"), Set("b", "a"), Publishing("Out", "a", "b")))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.send("Swap")
	r.at("A", `{"a":2,"b":1}`)
	r.did(`publish:Out{"a":1,"b":2}r/2/1`)
	r.effects("stayed")
}

func TestArithmetic(t *testing.T) {
	const context = "i int = 7, f float = 2.5, w duration = \"90s\", at time = \"2026-01-01T00:00:00Z\", s string = \"ab\", l []int = [1], b bool"
	max := "9223372036854775807"
	for _, c := range []struct{ field, expr, want string }{
		{"i", "i + 2", "9"}, {"i", "i - 9", "-2"}, {"i", "i * 3", "21"}, {"i", "-i", "-7"},
		{"i", "min(i, 3)", "3"}, {"i", "max(i, 3)", "7"}, {"i", "len(s) + len(l)", "3"},
		{"f", "f * 2", "5"}, {"f", "f + 0.25", "2.75"}, {"f", "-f", "-2.5"}, {"f", "min(f, 1.5)", "1.5"},
		{"w", `w + d("30s")`, `"2m0s"`}, {"w", "w * 2", `"3m0s"`}, {"w", "2 * w", `"3m0s"`}, {"w", "at - at", `"0s"`},
		{"w", "now - at", `"27h4m5s"`}, {"at", "at + w", `"2026-01-01T00:01:30.000000Z"`},
		{"at", "at - w", `"2025-12-31T23:58:30.000000Z"`}, {"at", "now", `"2026-01-02T03:04:05.000000Z"`},
		{"at", `at - d("1ns")`, `"2025-12-31T23:59:59.999999Z"`},
		{"s", "run.id + s", `"rab"`}, {"at", "run.started", `"2026-01-02T03:04:05.000000Z"`}, {"i", "len(run.id)", "1"},
		{"w", "run.started - at", `"27h4m5s"`}, {"b", "run.id == `r` && run.started <= now", "true"},
		{"s", "s + `c`", `"abc"`}, {"l", "l + 5", "[1,5]"}, {"l", "x{}", "[]"},
		{"b", "i == 7 && f < 3.0 && s != `x` && !(w > d(`2m`))", "true"},
		{"b", "false && i + " + max + " < 0", "false"},
		{"b", "i + " + max + " > i", "true"},            // over mathematical integers
		{"b", "at + d(`1ns`) > at", "true"},             // exact to the nanosecond
		{"b", "at - now < d(`-27h4m4s`)", "true"},       // time - time op duration
		{"b", "-i - " + max + " < -" + max, "true"},     // wide negation
		{"b", "l == l && at <= now && i >= -7", "true"}, // lists and signs
		{"i", "i + " + max, "!the result of \"+\" is out of range"},
		{"i", "-i - " + max, "!the result of \"-\" is out of range"},
		{"i", "i * " + max, "!the result of \"*\" is out of range"},
		{"w", "w * " + max, "!the result of \"*\" is out of range"},
		{"f", "f * 1.7e308", "!the result of \"*\" is out of range"},
		{"at", "at + d(`2562047h`) * 100", "!out of range"},
	} {
		m := Build(t, WithFields(context), WithEvent("Go", ""),
			WithState("A", On("Go", Stay(Set(c.field, c.expr)))), WithTerminal("D", machine.Success))
		r := begin(t, m, "")
		if why, fails := strings.CutPrefix(c.want, "!"); fails {
			if err := r.refused("Go"); !strings.Contains(err.Why, why) {
				t.Errorf("%s: %v", c.expr, err)
			}
			continue
		}
		r.send("Go")
		var data map[string]json.RawMessage
		must(t, json.Unmarshal(m.EncodeData(r.s), &data))
		if got := string(data[c.field]); got != c.want {
			t.Errorf("%s = %s, not %s", c.expr, got, c.want)
		}
	}
}

func TestUnset(t *testing.T) {
	m := Build(t, WithFields("u int, v int = 1"), WithEvent("Read", ""), WithEvent("Guarded", ""), WithEvent("Compare", ""), WithEvent("Set", "n int"), WithEvent("Clear", ""),
		WithState("A",
			On("Read", Stay(Set("v", "u + 1"))),
			On("Guarded", Stay(When("set(u) && u > 3")), Ignore(When("!set(u)"))),
			On("Compare", Stay(When("u == 1"))),
			On("Set", Stay(Set("u", "event.n"))),
			On("Clear", Stay(Set("u", "unset")))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	for _, e := range []string{"Read", "Compare"} {
		if err := r.refused(e); !strings.Contains(err.Why, `field "u" is not set`) {
			t.Error(err)
		}
	}
	r.send("Guarded")
	r.effects("ignored")
	r.send(`Set {"n":5}`)
	r.send("Guarded")
	r.effects("stayed")
	r.send("Clear")
	r.at("A", `{"v":1}`)
}

func TestOutOfRange(t *testing.T) {
	m := Build(t, WithFields("n int 0..2 = 0"), WithEvent("Up", ""), WithEvent("Out", "n int 0..1"), WithEvent("Say", ""),
		WithState("A", On("Up", Stay(Set("n", "n + 1"))), On("Say", Stay(Publishing("Out", "n"))),
			After("1h", GoTo("A", Set("n", "n + 5")))), WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.send("Up")
	r.send("Up")
	if err := r.refused("Up"); err.Why != `in arm "A#0": field "n": 3 is out of range, expected int 0..2` {
		t.Error(err)
	}
	r.refused("Say")
	r.pass("1h")
	r.halted("7 is out of range")
	r.at("A", `{"n":2}`)
	r.effects("halted")
	if _, ok := m.Next(r.s, r.now); ok {
		t.Error("a halted run has something to do")
	}
	if err := r.refused("Up"); !errors.Is(err, machine.ErrHalted) {
		t.Error(err)
	}
	r.must(machine.Input{Kind: machine.CancelInput})
	if r.s.Outcome != machine.Cancelled || r.s.Halt != nil {
		t.Errorf("%+v", r.s)
	}
}

func TestOrderOfBlocks(t *testing.T) {
	log := func(s string) ArmPart { return Publishing("L", "`"+s+"`") }
	names := func(r *drive) string {
		var b strings.Builder
		for _, c := range r.commands {
			if c.Kind == machine.SendOut {
				b.WriteString(c.Data[0].Text() + " ")
			}
		}
		return strings.TrimSpace(b.String())
	}
	m := Build(t, WithEvent("L", "s string"), WithEvent("Self", ""), WithEvent("Sibling", ""), WithEvent("Outer", ""), WithEvent("Far", ""), WithEvent("End", ""),
		Leaving(log("never")),
		On("Outer", GoTo("W", log("arm"))),
		WithState("W", Entering(log("+W")), Leaving(log("-W")),
			On("Self", GoTo("W.A", log("arm"))),
			On("Sibling", GoTo("W.B.C", log("arm"))),
			On("Far", GoTo("X", log("arm"))),
			WithState("A", Entering(log("+A")), Leaving(log("-A"))),
			WithState("B", Entering(log("+B")), Leaving(log("-B")), WithState("C", Entering(log("+C")), Leaving(log("-C"))))),
		WithState("X", Entering(log("+X")), Leaving(log("-X")), On("End", GoTo("D", log("arm")))),
		WithTerminal("D", machine.Success, log("+D")))
	for _, c := range []struct{ events, want string }{
		{"", "+W +A"},
		{"Self", "-A arm +A"},
		{"Sibling", "-A arm +B +C"},
		{"Sibling Sibling", "-C arm +C"}, // the innermost composite that contains both is B
		{"Sibling Outer", "-C -B -W arm +W +A"},
		{"Far", "-A -W arm +X"},
		{"Far End", "-X arm +D"},
	} {
		r := begin(t, m, "")
		for _, e := range strings.Fields(c.events) {
			r.send(e)
		}
		if got := names(r); got != c.want {
			t.Errorf("%s: %s, not %s", c.events, got, c.want)
		}
	}
}

func TestFirstArmWhoseGuardHoldsAndBoundIsOpen(t *testing.T) {
	m := Build(t, WithFields("n int = 0"), WithEvent("E", "n int"),
		On("E", GoTo("Root")),
		WithState("W", On("E", GoTo("W.Outer", When("event.n == 2"))),
			WithState("A", On("E", Stay(When("event.n == 1"), Set("n", "n + 1")), GoTo("W.A", When("event.n < 5 && event.n != 2"), Bound(1, "")))),
			WithState("Outer")),
		WithState("Root"), WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.send(`E {"n":1}`)
	r.at("W.A", `{"n":1}`)
	r.send(`E {"n":0}`)
	r.at("W.A")
	if record := r.last[0]; record.Count != 1 || len(record.Passed) != 1 || record.Passed[0].Why.Code() != machine.GuardFalse {
		t.Errorf("%+v", record)
	}
	r.send(`E {"n":0}`) // the bound is used up: on to the machine's own handler
	r.at("Root")
	if record := r.last[0]; len(record.Passed) != 3 || record.Passed[1].Why.Code() != machine.BoundUsed {
		t.Errorf("%+v", record)
	}
	r = begin(t, m, "")
	r.send(`E {"n":2}`)
	r.at("W.Outer")
}

func TestExternalEvents(t *testing.T) {
	m := Build(t, WithEvent("In", ""), WithEvent("No", ""), WithEvent("Yes", ""), WithEvent("Maybe", "b bool"), WithEvent("Skip", ""),
		WithActivity("a", "", "In", ""),
		WithState("A", On("No", Refuse()), On("Skip", Ignore()), On("Yes", Stay()),
			On("Maybe", Refuse(When("event.b")), GoTo("D", Bound(0, "")))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	for _, c := range [][2]string{
		{"In", `event "In" is refused in state "A": activities alone raise it; allowed there: Yes, Skip`},
		{"No", `event "No" is refused in state "A": the machine refuses it there; allowed there: Yes, Skip`},
		{`Maybe {"b":false}`, `event "Maybe" is refused in state "A": nothing takes it there: guard is false: reject ; bound is used up: goto D; allowed there: Yes, Skip`},
		{`Maybe {"b":true}`, `event "Maybe" is refused in state "A": the machine refuses it there: guard is true: reject ; allowed there: Yes, Skip`},
	} {
		if err := r.refused(c[0]); err.Error() != c[1] {
			t.Error(err)
		}
	}
	r.send("Skip")
	r.effects("ignored")
	if r.s.Seq != 2 || r.s.Visit != 1 {
		t.Errorf("%+v", r.s)
	}
	in := r.event("Maybe", `{"b":true}`)
	in.Data = []machine.Value{machine.Unset}
	var payload *machine.PayloadError
	if err := r.take(in); !errors.As(err, &payload) || payload.Field != "b" {
		t.Error(err)
	}
}

// TestRefusals: a refusal names what was refused, also where an event bears the
// name of another input.
func TestRefusals(t *testing.T) {
	m := Build(t, WithParams("n int 0..3"), WithEvent("start", ""), WithEvent("Go", ""),
		WithState("A", On("Go", GoTo("D"))), WithTerminal("D", machine.Success))
	_, err := m.DecodeParams([]byte(`{"n":4}`))
	if want := `parameter "n": 4 is out of range, expected int 0..3`; err == nil || err.Error() != want {
		t.Error(err)
	}
	_, err = m.DecodeParams([]byte(`[]`))
	if want := `parameters: expected an object, found a list`; err == nil || err.Error() != want {
		t.Error(err)
	}
	r := begin(t, m, `{"n":1}`)
	for _, c := range []struct {
		in   machine.Input
		want string
	}{
		{machine.Input{Kind: machine.StartInput, Data: r.s.Params}, `the start is refused in state "A": the run has started; allowed there: Go`},
		{r.event("start", ""), `event "start" is refused in state "A": nothing takes it there; allowed there: Go`},
		{r.event("Go", ""), ""},
		{machine.Input{Kind: machine.CancelInput}, `cancel is refused in state "D": the run has ended`},
		{r.event("Go", ""), `event "Go" is refused in state "D": the run has ended`},
	} {
		err := r.take(c.in)
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestAllowed: an event is allowed where an arm whose bound is open stands before
// any that rejects the event whatever it carries.
func TestAllowed(t *testing.T) {
	m := Build(t, WithEvent("Bound", ""), WithEvent("Guarded", "b bool"), WithEvent("Around", ""), WithEvent("Shut", ""), WithEvent("Kept", ""), WithEvent("Unknown", ""),
		On("Around", Refuse()), On("Shut", GoTo("A")),
		WithState("A",
			On("Bound", GoTo("A", Bound(1, "run")), Refuse()),
			On("Guarded", Refuse(When("event.b")), GoTo("A", Bound(1, "run")), Refuse(When("!event.b"))),
			On("Around", GoTo("A", Bound(1, "run"))),
			On("Shut", Refuse()),
			On("Kept", GoTo("A", Bound(1, "run")), Deferring())),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	for _, c := range []struct{ event, want string }{
		{"", "Bound Guarded Around Kept"},
		{"Bound", "Guarded Around Kept"},
		{`Guarded {"b":false}`, "Around Kept"},
		{"Around", "Kept"},
		{"Kept", "Kept"},
	} {
		if c.event != "" {
			r.send(c.event)
		}
		var names []string
		for _, e := range m.Allowed(r.s) {
			names = append(names, m.Definition().Events[e].Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("after %s: %s are allowed, not %s", c.event, got, c.want)
		}
	}
	for _, event := range []string{"Bound", `Guarded {"b":false}`, "Around", "Shut", "Unknown"} {
		r.refused(event)
	}
}

func TestDefer(t *testing.T) {
	m := Build(t, WithFields("l []string = []"), WithEvent("E", "s string"), WithEvent("Other", ""), WithEvent("Next", ""), WithEvent("Back", ""),
		WithState("A", On("E", Deferring()), On("Other", Deferring()), On("Next", GoTo("B"))),
		WithState("B", On("E", Stay(When("len(l) < 2"), Set("l", "l + event.s")), Deferring()), On("Other", Refuse()), On("Back", GoTo("A")), On("Next", GoTo("D"))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.send(`E {"s":"1"}`)
	r.effects("deferred")
	r.send("Other")
	r.send(`E {"s":"2"}`)
	r.send(`E {"s":"3"}`)
	r.send("Next")
	r.effects("moved stayed dropped stayed") // in order; the third E is deferred again, without a record
	r.at("B", `{"l":["1","2"]}`)
	if len(r.s.Kept) != 1 || r.s.KeptNext != 1 {
		t.Errorf("%+v", r.s)
	}
	r.send("Back")
	r.effects("moved")
	r.send("Next")
	r.send("Next")
	r.effects("moved dropped") // a run that ends drops what it keeps
	if len(r.s.Kept) != 0 || r.s.Status != machine.Finished {
		t.Errorf("%+v", r.s)
	}
	if err := r.refused("Next"); !errors.Is(err, machine.ErrFinished) {
		t.Error(err)
	}
}

func TestDeferredAgainByAGuard(t *testing.T) {
	m := Build(t, WithGuard("ready", ""), WithEvent("E", ""), WithEvent("Go", ""),
		WithState("A", On("E", GoTo("D", When("ready()")), Deferring()), On("Go", GoTo("A"))),
		WithTerminal("D", machine.Success))
	ready := false
	r := begin(t, m, "")
	r.ask = func(int, []machine.Value) (bool, error) { return ready, nil }
	r.send("E")
	r.send("Go")
	r.effects("moved deferred") // the verdict must stand in history
	ready = true
	r.send("Go")
	r.effects("moved moved")
	r.at("D")
}

func TestKeptEventThatCannotBeComputedHalts(t *testing.T) {
	m := Build(t, WithFields("n int 0..1 = 1"), WithEvent("E", ""), WithEvent("Go", ""),
		WithState("A", On("E", Deferring()), On("Go", GoTo("B"))),
		WithState("B", On("E", Stay(Set("n", "n + 1")))), WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.send("E")
	r.send("Go")
	r.effects("moved halted")
	r.halted("out of range")
	if len(r.s.Kept) != 1 || r.s.Halt.Input.Kind != machine.KeptInput {
		t.Errorf("%+v", r.s)
	}
}

func TestHostGuards(t *testing.T) {
	m := Build(t, WithFields("n int = 1, b bool"), WithGuard("risky", "n int"), WithEvent("E", ""), WithEvent("F", ""),
		WithState("A", On("E", GoTo("D", When("false || risky(n) && n > 1")), Stay(When("risky(n)"), Set("b", "risky(n)")), Ignore()),
			After("1h", GoTo("D", When("risky(2)")))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	asked := 0
	r.ask = func(g int, args []machine.Value) (bool, error) {
		asked++
		if args[0].Int() == 2 {
			return false, errors.New("no answer")
		}
		return true, nil
	}
	r.send("E")
	if asked != 1 || len(r.last[0].Verdicts) != 1 || r.last[0].Arm != 1 {
		t.Errorf("asked %d times, %+v", asked, r.last[0])
	}
	r.at("A", `{"n":1,"b":true}`)
	r.pass("1h")
	r.halted(`guard "risky" failed: no answer`)
	r.ask = nil
	r = begin(t, m, "")
	if err := r.refused("E"); !strings.Contains(err.Why, `no one answers guard "risky"`) {
		t.Error(err)
	}
}

func TestMaxCounters(t *testing.T) {
	in := func(scope string) *machine.Machine {
		return Build(t, WithEvent("In", ""), WithEvent("Out", ""), WithEvent("Loop", ""), WithEvent("Fresh", ""),
			WithState("Idle", On("In", GoTo("W"))),
			WithState("W", On("Loop", GoTo("W.A", Bound(2, scope)), GoTo("D")), On("Out", GoTo("Idle")), On("Fresh", GoTo("W")),
				WithState("A")),
			WithTerminal("D", machine.Failed))
	}
	for _, c := range []struct{ scope, events, want string }{
		{"", "In Loop Loop Out In Loop", "D"}, // per run unless said
		{"W", "In Loop Loop Out In Loop", "W.A"},
		{"W", "In Loop Loop Fresh Loop", "D"}, // entered from inside: the counter goes on
		{"visit", "In Loop Loop Out In Loop Loop", "W.A"},
		{"visit", "In Loop Loop Loop", "D"},
		{"W.A", "In Loop Loop Loop", "D"}, // re-entering the leaf is not from outside
		{"Idle", "In Loop Loop Out In Loop", "W.A"},
	} {
		r := begin(t, in(c.scope), "")
		for _, e := range strings.Fields(c.events) {
			r.send(e)
		}
		if got := r.m.Definition().States[r.s.State].Path; got != c.want {
			t.Errorf("max 2 per %s: %s leads to %s, not %s", c.scope, c.events, got, c.want)
		}
	}
	// A bound per its own target is refilled by the very step that enters it.
	m := Build(t, WithEvent("E", ""), WithState("A", On("E", GoTo("B", Bound(1, "B")))), WithState("B", On("E", GoTo("A"))), WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	for range 3 {
		r.send("E")
		if r.last[0].Count != 1 || r.s.Counters[0] != 0 {
			t.Fatalf("count %d, counter %d", r.last[0].Count, r.s.Counters[0])
		}
		r.send("E")
	}
}

func TestTimers(t *testing.T) {
	m := Build(t, WithFields("w duration = \"10m\", at time, neg duration = \"-1s\""), WithEvent("E", ""), WithEvent("Set", "w duration"),
		After("24h", GoTo("Expired")),
		WithState("A", After("w", Stay(Set("w", `d("1s")`))), After("1h", GoTo("B")), On("E", Stay(Set("at", `now + d("5m")`)))),
		WithState("B", After("at", GoTo("C"))),
		WithState("C", After("neg", GoTo("D"))),
		WithState("D", On("E", GoTo("A"))),
		WithTerminal("Expired", machine.Failed))
	r := begin(t, m, "")
	r.did("set-timer:24h+24h0m0s set-timer:w+10m0s set-timer:1h+1h0m0s")
	r.now = r.now.Add(time.Minute)
	r.send("E")
	r.did("")
	r.pass("9m")
	r.effects("stayed") // it fires once for each entry
	r.did("drop-timer:w")
	r.pass("1h")
	r.effects("moved moved moved") // late: at the actual time, and the deadline in the past at once
	r.at("D")
	if !r.s.Entered.Equal(r.now) {
		t.Error(r.s.Entered)
	}
	r.send("E")
	r.did("set-timer:w+1s set-timer:1h+1h0m0s") // the machine's own runs on
	r.now = r.now.Add(-time.Hour)
	r.send("E") // time never runs backwards
	if r.last[0].At.Before(r.records[len(r.records)-2].At) {
		t.Error("time ran backwards")
	}
	r.pass("48h")
	r.at("Expired")
	r.did("drop-timer:w drop-timer:1h set-timer:at+0s finish:failure drop-timer:24h drop-timer:at")
}

func TestDueTimersComeBeforeTheInput(t *testing.T) {
	m := Build(t, WithEvent("E", ""), WithEvent("L", "s string"),
		WithState("W", After("2h", Stay(Publishing("L", "`outer`"))),
			WithState("A", After("2h", Stay(Publishing("L", "`inner`"))), After("1h", Stay(Publishing("L", "`early`"))), On("E", GoTo("D", Publishing("L", "`event`"))))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.now = r.now.Add(3 * time.Hour)
	r.send("E")
	var got []string
	for _, c := range r.commands {
		if c.Kind == machine.SendOut {
			got = append(got, c.Data[0].Text())
		}
	}
	if text := strings.Join(got, " "); text != "early inner outer event" {
		t.Error(text)
	}
}

func TestIdleTimers(t *testing.T) {
	m := Build(t, WithFields("w duration = \"10m\""), WithEvent("E", ""), WithEvent("No", ""), WithEvent("Keep", ""), WithEvent("Change", ""),
		WithState("A", After("w", "idle", 0.5, GoTo("D")), On("E", Ignore()), On("No", Refuse()), On("Keep", Deferring()),
			On("Change", Stay(Set("w", `d("1s")`)))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	due := r.s.Alarms[0].Due
	if wait := due.Sub(r.now); wait < 10*time.Minute || wait > 15*time.Minute {
		t.Fatal(wait)
	}
	moves := func(e string, want bool) {
		t.Helper()
		r.now = r.now.Add(time.Minute)
		if e == "No" {
			r.refused(e)
		} else {
			r.send(e)
		}
		if moved := !r.s.Alarms[0].Due.Equal(due); moved != want {
			t.Errorf("%s moved the timer: %v", e, moved)
		}
		due = r.s.Alarms[0].Due
	}
	moves("E", true)
	moves("No", false)
	moves("Keep", false)
	moves("Change", true) // the wait is read on entering
	if wait := due.Sub(r.now); wait < 10*time.Minute {
		t.Error(wait)
	}
}

func TestChoiceAndDone(t *testing.T) {
	m := Build(t, WithFields("n int = 3"), WithEvent("E", "n int"),
		WithState("Pick", On("done", GoTo("Big", When("n > 2")), GoTo("Small")), After("0s", GoTo("Small"))),
		WithState("Big", On("E", GoTo("Pick", Set("n", "event.n")))),
		WithState("Small"), WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.at("Big")
	r.effects("moved moved")
	r.send(`E {"n":1}`)
	r.at("Small")
	if record := r.last[1]; record.Input.Kind != machine.DoneInput || record.Held != 0 {
		t.Errorf("%+v", record)
	}
}

func TestEndlessRunIsHalted(t *testing.T) {
	m := Build(t, WithState("A", On("done", GoTo("B"))), WithState("B", On("done", GoTo("A"))), WithTerminal("D", machine.Success))
	r := &drive{t: t, m: m, s: m.NewSnapshot("r", 7), now: epoch}
	r.must(machine.Input{Kind: machine.StartInput})
	r.halted("more steps follow")
	if len(r.records) != machine.MaxFollowing+2 {
		t.Error(len(r.records))
	}
	// The code tells it in history, and not the words.
	last := *r.records[len(r.records)-1]
	last.Cause = &machine.Cause{Code: machine.TooManySteps, Said: "other words"}
	records := append(slices.Clone(r.records[:len(r.records)-1]), &last)
	if s, err := m.Replay(r.s.Run, r.s.Seed, records); err != nil || s.Halt.Cause.String() != "other words" {
		t.Error(err)
	}
	last.Cause = &machine.Cause{Said: "other words"}
	if _, err := m.Replay(r.s.Run, r.s.Seed, records); err == nil {
		t.Error("without a code other words tell of another halt")
	}
}

func TestRequire(t *testing.T) {
	m := Build(t, WithFields("ok bool = false, n int = 0"), WithEvent("Go", ""), WithEvent("Fix", ""), WithEvent("L", "s string"),
		WithState("A", On("Go", GoTo("W")), On("Fix", Stay(Set("ok", "true")))),
		WithState("W", Entering(Publishing("L", "`+W`"), Set("n", "n + 1")), Leaving(Publishing("L", "`-W`")), After("1h", GoTo("D")),
			WithState("In", WithRequire("ok && n > 0", "Out"), Entering(Publishing("L", "`+In`")), Leaving(Publishing("L", "`-In`")))),
		WithState("Out", WithRequire("n > 5", "Last")),
		WithState("Last", On("Go", GoTo("W"))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.send("Go")
	r.at("Last")
	r.did(`publish:L{"s":"+W"}r/2/1 publish:L{"s":"-W"}r/2/2`)
	if record := r.last[0]; len(record.Redirects) != 2 || m.Definition().States[record.Redirects[0]].Path != "W.In" || r.s.Visit != 2 {
		t.Errorf("%+v", record)
	}
	r = begin(t, m, "")
	r.send("Fix")
	r.send("Go")
	r.at("W.In")
	r.did(`publish:L{"s":"+W"}r/3/1 publish:L{"s":"+In"}r/3/2 set-timer:1h+1h0m0s`)

	round := Build(t, WithEvent("Go", ""), WithState("A", On("Go", GoTo("B"))),
		WithState("B", WithRequire("false", "C")), WithState("C", WithRequire("false", "B")), WithTerminal("D", machine.Success))
	r = begin(t, round, "")
	if err := r.refused("Go"); !strings.Contains(err.Why, "lead round in a circle") {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	m := Build(t, WithEvent("E", ""), WithActivity("a", "", "", ""),
		On("failed", GoTo("D")),
		WithState("A", Doing("a", nil), Leaving(Publishing("E")), On("cancel", GoTo("Clean")), After("1h", GoTo("D"))),
		WithState("Clean", On("E", GoTo("D"))), WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.must(machine.Input{Kind: machine.CancelInput, Actor: "me", Reason: "why"})
	r.at("Clean")
	r.did(`cancel-task:r/A/a/1#1 publish:E{}r/2/1 drop-timer:1h`)
	seq := r.s.Seq
	r.must(machine.Input{Kind: machine.CancelInput})
	if r.s.Seq != seq || len(r.last) != 0 {
		t.Error("a second cancel did something")
	}
	r.must(machine.Input{Kind: machine.CancelInput, Force: true})
	r.effects("cancelled")
	r.did("finish:cancelled")
	r.at("Clean")

	r = begin(t, m, "")
	r.must(machine.Input{Kind: machine.CancelInput, Force: true})
	r.at("A")
	r.did(`cancel-task:r/A/a/1#1 finish:cancelled drop-timer:1h`) // no exit block
	if err := r.take(machine.Input{Kind: machine.CancelInput}); err != nil || len(r.last) != 0 {
		t.Error(err)
	}
}

func TestTerminal(t *testing.T) {
	m := Build(t, WithFields("n int = 1"), WithEvent("Go", ""), WithEvent("Out", "n int"), WithActivity("a", "", "", ""),
		After("1h", GoTo("D")), On("failed", GoTo("D")),
		WithState("A", Doing("a", nil, "per run"), On("Go", GoTo("D", Set("n", "2")))),
		WithTerminal("D", machine.Failed, Publishing("Out", "n"), Set("n", "3")))
	r := begin(t, m, "")
	r.send("Go")
	r.at("D", `{"n":3}`)
	r.did(`cancel-task:r/A/a/1#1 publish:Out{"n":2}r/2/1 finish:failure drop-timer:1h`)
	if r.s.Status != machine.Finished || r.s.Outcome != machine.Failed || r.s.Visit != 2 || r.s.Executions != nil {
		t.Errorf("%+v", r.s)
	}
}

func TestAsManyKeptEventsAsThereMayBe(t *testing.T) {
	m := Build(t, WithFields("n int = 0"), WithEvent("E", ""), WithEvent("Go", ""),
		WithState("A", On("E", Deferring()), On("Go", GoTo("Pick"))),
		WithState("Pick", On("done", GoTo("B"))),
		WithState("B", On("E", Stay(Set("n", "n + 1")))),
		WithTerminal("D", machine.Success))
	s := m.NewSnapshot("r", 7)
	step := func(in machine.Input) {
		t.Helper()
		next, _, _, err := m.Advance(s, in, epoch, nil)
		must(t, err)
		s = next
	}
	step(machine.Input{Kind: machine.StartInput})
	for range machine.MaxKept {
		step(machine.Input{Kind: machine.EventInput, Event: eventOf(m, "E")})
	}
	if _, _, _, err := m.Advance(s, machine.Input{Kind: machine.EventInput, Event: eventOf(m, "E")}, epoch, nil); err == nil {
		t.Error("one event more than may be kept was taken")
	}
	step(machine.Input{Kind: machine.EventInput, Event: eventOf(m, "Go")})
	if got := string(m.EncodeData(s)); s.Status != machine.Running || got != `{"n":1000}` {
		t.Errorf("%s, %s, %+v", s.Status, got, s.Halt)
	}
}
