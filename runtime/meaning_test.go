package runtime

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// These tests follow "Meaning", sentence by sentence.

func TestStart(t *testing.T) {
	m := compile(t, params("pr string"), fields("n int 0..9 = 4, s string"), event("Log", "at string"),
		entry(set("s", "pr + `!`")),
		state("W", entry(publish("Log", "s")), after("1h", goTo("D")), state("A", after("2h", goTo("D")), entry(publish("Log", "`A`")))),
		terminal("D", Success))
	r := begin(t, m, `{"pr":"x"}`)
	r.at("W.A", `{"n":4,"s":"x!"}`)
	r.did(`publish:Log{"at":"x!"}r/1/1 publish:Log{"at":"A"}r/1/2 set-timer:1h+1h0m0s set-timer:2h+2h0m0s`)
	if r.s.Visit != 1 || r.s.Seq != 1 || r.last[0].From != -1 || r.commands[0].Seq != 1 {
		t.Fatalf("%+v", r.s)
	}
	if err := r.take(Input{Kind: StartInput, Data: r.s.Params}); !errors.Is(err, ErrExists) {
		t.Fatal(err)
	}
	_, _, _, err := m.Step(m.NewSnapshot("r", 1), Input{Kind: StartInput, Data: []Value{Unset}}, epoch, nil)
	if want := `the start is refused: parameter "pr": it is not set`; err == nil || err.Error() != want {
		t.Fatal(err)
	}
}

func TestBlockReadsValuesFromBefore(t *testing.T) {
	m := compile(t, fields("a int = 1, b int = 2, u string"), event("Swap", ""), event("Out", "a int, b int"),
		state("A", when_("Swap", stay(set("a", "b"), set("b", "a"), publish("Out", "a", "b")))),
		terminal("D", Success))
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
		m := compile(t, fields(context), event("Go", ""),
			state("A", when_("Go", stay(set(c.field, c.expr)))), terminal("D", Success))
		r := begin(t, m, "")
		if why, fails := strings.CutPrefix(c.want, "!"); fails {
			if err := r.refused("Go"); !strings.Contains(err.Why, why) {
				t.Errorf("%s: %v", c.expr, err)
			}
			continue
		}
		r.send("Go")
		i := indexOfField(m.def.Fields, c.field)
		if got := string(appendValue(nil, &m.def.Fields[i].Type, &r.s.Data[i])); got != c.want {
			t.Errorf("%s = %s, not %s", c.expr, got, c.want)
		}
	}
}

func TestUnset(t *testing.T) {
	m := compile(t, fields("u int, v int = 1"), event("Read", ""), event("Guarded", ""), event("Compare", ""), event("Set", "n int"), event("Clear", ""),
		state("A",
			when_("Read", stay(set("v", "u + 1"))),
			when_("Guarded", stay(cond("set(u) && u > 3")), ignore(cond("!set(u)"))),
			when_("Compare", stay(cond("u == 1"))),
			when_("Set", stay(set("u", "event.n"))),
			when_("Clear", stay(set("u", "unset")))),
		terminal("D", Success))
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
	m := compile(t, fields("n int 0..2 = 0"), event("Up", ""), event("Out", "n int 0..1"), event("Say", ""),
		state("A", when_("Up", stay(set("n", "n + 1"))), when_("Say", stay(publish("Out", "n"))),
			after("1h", goTo("A", set("n", "n + 5")))), terminal("D", Success))
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
	if err := r.refused("Up"); !errors.Is(err, ErrHalted) {
		t.Error(err)
	}
	r.must(Input{Kind: CancelInput})
	if r.s.Outcome != Cancelled || r.s.Halt != nil {
		t.Errorf("%+v", r.s)
	}
}

func TestOrderOfBlocks(t *testing.T) {
	log := func(s string) armPart { return publish("L", "`"+s+"`") }
	names := func(r *drive) string {
		var b strings.Builder
		for _, c := range r.commands {
			if c.Kind == SendOut {
				b.WriteString(c.Data[0].Text() + " ")
			}
		}
		return strings.TrimSpace(b.String())
	}
	m := compile(t, event("L", "s string"), event("Self", ""), event("Sibling", ""), event("Outer", ""), event("Far", ""), event("End", ""),
		exit(log("never")),
		when_("Outer", goTo("W", log("arm"))),
		state("W", entry(log("+W")), exit(log("-W")),
			when_("Self", goTo("W.A", log("arm"))),
			when_("Sibling", goTo("W.B.C", log("arm"))),
			when_("Far", goTo("X", log("arm"))),
			state("A", entry(log("+A")), exit(log("-A"))),
			state("B", entry(log("+B")), exit(log("-B")), state("C", entry(log("+C")), exit(log("-C"))))),
		state("X", entry(log("+X")), exit(log("-X")), when_("End", goTo("D", log("arm")))),
		terminal("D", Success, log("+D")))
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
	m := compile(t, fields("n int = 0"), event("E", "n int"),
		when_("E", goTo("Root")),
		state("W", when_("E", goTo("W.Outer", cond("event.n == 2"))),
			state("A", when_("E", stay(cond("event.n == 1"), set("n", "n + 1")), goTo("W.A", cond("event.n < 5 && event.n != 2"), bound(1, "")))),
			state("Outer")),
		state("Root"), terminal("D", Success))
	r := begin(t, m, "")
	r.send(`E {"n":1}`)
	r.at("W.A", `{"n":1}`)
	r.send(`E {"n":0}`)
	r.at("W.A")
	if record := r.last[0]; record.Count != 1 || len(record.Passed) != 1 || record.Passed[0].Why.Code() != GuardFalse {
		t.Errorf("%+v", record)
	}
	r.send(`E {"n":0}`) // the bound is used up: on to the machine's own handler
	r.at("Root")
	if record := r.last[0]; len(record.Passed) != 3 || record.Passed[1].Why.Code() != BoundUsed {
		t.Errorf("%+v", record)
	}
	r = begin(t, m, "")
	r.send(`E {"n":2}`)
	r.at("W.Outer")
}

func TestExternalEvents(t *testing.T) {
	m := compile(t, event("In", ""), event("No", ""), event("Yes", ""), event("Maybe", "b bool"), event("Skip", ""),
		activity("a", "", "In", ""),
		state("A", when_("No", reject()), when_("Skip", ignore()), when_("Yes", stay()),
			when_("Maybe", reject(cond("event.b")), goTo("D", bound(0, "")))),
		terminal("D", Success))
	r := begin(t, m, "")
	for _, c := range [][2]string{
		{"In", `event "In" is refused in state "A": activities alone raise it; allowed there: Yes, Skip`},
		{"No", `event "No" is refused in state "A": the machine refuses it there; allowed there: Yes, Skip`},
		{`Maybe {"b":false}`, `event "Maybe" is refused in state "A": nothing takes it there: guard is false: reject ; bound is used up: goto D; allowed there: Yes, Skip`},
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
	in.Data = []Value{Unset}
	var payload *PayloadError
	if err := r.take(in); !errors.As(err, &payload) || payload.Field != "b" {
		t.Error(err)
	}
}

// TestRefusals: a refusal names what was refused, also where an event bears the
// name of another input.
func TestRefusals(t *testing.T) {
	m := compile(t, params("n int 0..3"), event("start", ""), event("Go", ""),
		state("A", when_("Go", goTo("D"))), terminal("D", Success))
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
		in   Input
		want string
	}{
		{Input{Kind: StartInput, Data: r.s.Params}, `the start is refused in state "A": the run has started; allowed there: Go`},
		{r.event("start", ""), `event "start" is refused in state "A": nothing takes it there; allowed there: Go`},
		{r.event("Go", ""), ""},
		{Input{Kind: CancelInput}, `cancel is refused in state "D": the run has ended`},
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
	m := compile(t, event("Bound", ""), event("Guarded", "b bool"), event("Around", ""), event("Shut", ""), event("Kept", ""), event("Unknown", ""),
		when_("Around", reject()), when_("Shut", goTo("A")),
		state("A",
			when_("Bound", goTo("A", bound(1, "run")), reject()),
			when_("Guarded", reject(cond("event.b")), goTo("A", bound(1, "run")), reject(cond("!event.b"))),
			when_("Around", goTo("A", bound(1, "run"))),
			when_("Shut", reject()),
			when_("Kept", goTo("A", bound(1, "run")), deferIt())),
		terminal("D", Success))
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
			names = append(names, m.def.Events[e].Name)
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
	m := compile(t, fields("l []string = []"), event("E", "s string"), event("Other", ""), event("Next", ""), event("Back", ""),
		state("A", when_("E", deferIt()), when_("Other", deferIt()), when_("Next", goTo("B"))),
		state("B", when_("E", stay(cond("len(l) < 2"), set("l", "l + event.s")), deferIt()), when_("Other", reject()), when_("Back", goTo("A")), when_("Next", goTo("D"))),
		terminal("D", Success))
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
	if len(r.s.Kept) != 0 || r.s.Status != Finished {
		t.Errorf("%+v", r.s)
	}
	if err := r.refused("Next"); !errors.Is(err, ErrFinished) {
		t.Error(err)
	}
}

func TestDeferredAgainByAGuard(t *testing.T) {
	m := compile(t, guard("ready", ""), event("E", ""), event("Go", ""),
		state("A", when_("E", goTo("D", cond("ready()")), deferIt()), when_("Go", goTo("A"))),
		terminal("D", Success))
	ready := false
	r := begin(t, m, "")
	r.ask = func(int, []Value) (bool, error) { return ready, nil }
	r.send("E")
	r.send("Go")
	r.effects("moved deferred") // the verdict must stand in history
	ready = true
	r.send("Go")
	r.effects("moved moved")
	r.at("D")
}

func TestKeptEventThatCannotBeComputedHalts(t *testing.T) {
	m := compile(t, fields("n int 0..1 = 1"), event("E", ""), event("Go", ""),
		state("A", when_("E", deferIt()), when_("Go", goTo("B"))),
		state("B", when_("E", stay(set("n", "n + 1")))), terminal("D", Success))
	r := begin(t, m, "")
	r.send("E")
	r.send("Go")
	r.effects("moved halted")
	r.halted("out of range")
	if len(r.s.Kept) != 1 || r.s.Halt.Input.Kind != KeptInput {
		t.Errorf("%+v", r.s)
	}
}

func TestHostGuards(t *testing.T) {
	m := compile(t, fields("n int = 1, b bool"), guard("risky", "n int"), event("E", ""), event("F", ""),
		state("A", when_("E", goTo("D", cond("false || risky(n) && n > 1")), stay(cond("risky(n)"), set("b", "risky(n)")), ignore()),
			after("1h", goTo("D", cond("risky(2)")))),
		terminal("D", Success))
	r := begin(t, m, "")
	asked := 0
	r.ask = func(g int, args []Value) (bool, error) {
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
	in := func(scope string) *Machine {
		return compile(t, event("In", ""), event("Out", ""), event("Loop", ""), event("Fresh", ""),
			state("Idle", when_("In", goTo("W"))),
			state("W", when_("Loop", goTo("W.A", bound(2, scope)), goTo("D")), when_("Out", goTo("Idle")), when_("Fresh", goTo("W")),
				state("A")),
			terminal("D", Failed))
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
		if got := r.m.def.States[r.s.State].Path; got != c.want {
			t.Errorf("max 2 per %s: %s leads to %s, not %s", c.scope, c.events, got, c.want)
		}
	}
	// A bound per its own target is refilled by the very step that enters it.
	m := compile(t, event("E", ""), state("A", when_("E", goTo("B", bound(1, "B")))), state("B", when_("E", goTo("A"))), terminal("D", Success))
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
	m := compile(t, fields("w duration = \"10m\", at time, neg duration = \"-1s\""), event("E", ""), event("Set", "w duration"),
		after("24h", goTo("Expired")),
		state("A", after("w", stay(set("w", `d("1s")`))), after("1h", goTo("B")), when_("E", stay(set("at", `now + d("5m")`)))),
		state("B", after("at", goTo("C"))),
		state("C", after("neg", goTo("D"))),
		state("D", when_("E", goTo("A"))),
		terminal("Expired", Failed))
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
	m := compile(t, event("E", ""), event("L", "s string"),
		state("W", after("2h", stay(publish("L", "`outer`"))),
			state("A", after("2h", stay(publish("L", "`inner`"))), after("1h", stay(publish("L", "`early`"))), when_("E", goTo("D", publish("L", "`event`"))))),
		terminal("D", Success))
	r := begin(t, m, "")
	r.now = r.now.Add(3 * time.Hour)
	r.send("E")
	var got []string
	for _, c := range r.commands {
		if c.Kind == SendOut {
			got = append(got, c.Data[0].Text())
		}
	}
	if text := strings.Join(got, " "); text != "early inner outer event" {
		t.Error(text)
	}
}

func TestIdleTimers(t *testing.T) {
	m := compile(t, fields("w duration = \"10m\""), event("E", ""), event("No", ""), event("Keep", ""), event("Change", ""),
		state("A", after("w", "idle", 0.5, goTo("D")), when_("E", ignore()), when_("No", reject()), when_("Keep", deferIt()),
			when_("Change", stay(set("w", `d("1s")`)))),
		terminal("D", Success))
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
	m := compile(t, fields("n int = 3"), event("E", "n int"),
		state("Pick", when_("done", goTo("Big", cond("n > 2")), goTo("Small")), after("0s", goTo("Small"))),
		state("Big", when_("E", goTo("Pick", set("n", "event.n")))),
		state("Small"), terminal("D", Success))
	r := begin(t, m, "")
	r.at("Big")
	r.effects("moved moved")
	r.send(`E {"n":1}`)
	r.at("Small")
	if record := r.last[1]; record.Input.Kind != DoneInput || record.Held != 0 {
		t.Errorf("%+v", record)
	}
}

func TestEndlessRunIsHalted(t *testing.T) {
	m := compile(t, state("A", when_("done", goTo("B"))), state("B", when_("done", goTo("A"))), terminal("D", Success))
	r := &drive{t: t, m: m, s: m.NewSnapshot("r", 7), now: epoch}
	r.must(Input{Kind: StartInput})
	r.halted("more steps follow")
	if len(r.records) != MaxFollowing+2 {
		t.Error(len(r.records))
	}
	// The code tells it in history, and not the words.
	last := *r.records[len(r.records)-1]
	last.Cause = &Cause{Code: TooManySteps, Said: "other words"}
	records := append(slices.Clone(r.records[:len(r.records)-1]), &last)
	if s, err := m.Replay(r.s.Run, r.s.Seed, records); err != nil || s.Halt.Cause.String() != "other words" {
		t.Error(err)
	}
	last.Cause = &Cause{Said: "other words"}
	if _, err := m.Replay(r.s.Run, r.s.Seed, records); err == nil {
		t.Error("without a code other words tell of another halt")
	}
}

func TestRequire(t *testing.T) {
	m := compile(t, fields("ok bool = false, n int = 0"), event("Go", ""), event("Fix", ""), event("L", "s string"),
		state("A", when_("Go", goTo("W")), when_("Fix", stay(set("ok", "true")))),
		state("W", entry(publish("L", "`+W`"), set("n", "n + 1")), exit(publish("L", "`-W`")), after("1h", goTo("D")),
			state("In", require("ok && n > 0", "Out"), entry(publish("L", "`+In`")), exit(publish("L", "`-In`")))),
		state("Out", require("n > 5", "Last")),
		state("Last", when_("Go", goTo("W"))),
		terminal("D", Success))
	r := begin(t, m, "")
	r.send("Go")
	r.at("Last")
	r.did(`publish:L{"s":"+W"}r/2/1 publish:L{"s":"-W"}r/2/2`)
	if record := r.last[0]; len(record.Redirects) != 2 || m.def.States[record.Redirects[0]].Path != "W.In" || r.s.Visit != 2 {
		t.Errorf("%+v", record)
	}
	r = begin(t, m, "")
	r.send("Fix")
	r.send("Go")
	r.at("W.In")
	r.did(`publish:L{"s":"+W"}r/3/1 publish:L{"s":"+In"}r/3/2 set-timer:1h+1h0m0s`)

	round := compile(t, event("Go", ""), state("A", when_("Go", goTo("B"))),
		state("B", require("false", "C")), state("C", require("false", "B")), terminal("D", Success))
	r = begin(t, round, "")
	if err := r.refused("Go"); !strings.Contains(err.Why, "lead round in a circle") {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	m := compile(t, event("E", ""), activity("a", "", "", ""),
		when_("failed", goTo("D")),
		state("A", do("a", nil), exit(publish("E")), when_("cancel", goTo("Clean")), after("1h", goTo("D"))),
		state("Clean", when_("E", goTo("D"))), terminal("D", Success))
	r := begin(t, m, "")
	r.must(Input{Kind: CancelInput, Actor: "me", Reason: "why"})
	r.at("Clean")
	r.did(`cancel-task:r/A/a/1#1 publish:E{}r/2/1 drop-timer:1h`)
	seq := r.s.Seq
	r.must(Input{Kind: CancelInput})
	if r.s.Seq != seq || len(r.last) != 0 {
		t.Error("a second cancel did something")
	}
	r.must(Input{Kind: CancelInput, Force: true})
	r.effects("cancelled")
	r.did("finish:cancelled")
	r.at("Clean")

	r = begin(t, m, "")
	r.must(Input{Kind: CancelInput, Force: true})
	r.at("A")
	r.did(`cancel-task:r/A/a/1#1 finish:cancelled drop-timer:1h`) // no exit block
	if err := r.take(Input{Kind: CancelInput}); err != nil || len(r.last) != 0 {
		t.Error(err)
	}
}

func TestTerminal(t *testing.T) {
	m := compile(t, fields("n int = 1"), event("Go", ""), event("Out", "n int"), activity("a", "", "", ""),
		after("1h", goTo("D")), when_("failed", goTo("D")),
		state("A", do("a", nil, "per run"), when_("Go", goTo("D", set("n", "2")))),
		terminal("D", Failed, publish("Out", "n"), set("n", "3")))
	r := begin(t, m, "")
	r.send("Go")
	r.at("D", `{"n":3}`)
	r.did(`cancel-task:r/A/a/1#1 publish:Out{"n":2}r/2/1 finish:failure drop-timer:1h`)
	if r.s.Status != Finished || r.s.Outcome != Failed || r.s.Visit != 2 || r.s.Executions != nil {
		t.Errorf("%+v", r.s)
	}
}

func TestAsManyKeptEventsAsThereMayBe(t *testing.T) {
	m := compile(t, fields("n int = 0"), event("E", ""), event("Go", ""),
		state("A", when_("E", deferIt()), when_("Go", goTo("Pick"))),
		state("Pick", when_("done", goTo("B"))),
		state("B", when_("E", stay(set("n", "n + 1")))),
		terminal("D", Success))
	s := m.NewSnapshot("r", 7)
	step := func(in Input) {
		t.Helper()
		next, _, _, err := m.Advance(s, in, epoch, nil)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	step(Input{Kind: StartInput})
	for range MaxKept {
		step(Input{Kind: EventInput, Event: m.index.events["E"]})
	}
	if _, _, _, err := m.Advance(s, Input{Kind: EventInput, Event: m.index.events["E"]}, epoch, nil); err == nil {
		t.Error("one event more than may be kept was taken")
	}
	step(Input{Kind: EventInput, Event: m.index.events["Go"]})
	if got := string(m.EncodeData(s)); s.Status != Running || got != `{"n":1000}` {
		t.Errorf("%s, %s, %+v", s.Status, got, s.Halt)
	}
}
