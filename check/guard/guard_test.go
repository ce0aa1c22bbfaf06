package guard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/guard"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestForms holds every form of guard that section 6 accepts. Where a guard can
// hold the model is computed by the oracle.
func TestForms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"true", ""},
		{"false", "unsat"},
		{"3 < 4", ""},
		{"x < y", "x = 0, y = 1"},
		{"x <= -3 && y >= x + 6", "x = -3, y = 3"},
		{"x > 3", "unsat"},
		{"x != 0", "x = 1"},
		{"x != 0 && x < 1", "x = -1"},
		{"x - y == 6", "x = 3, y = -3"},
		{"x - y > 6", "unsat"},
		{"2 + x == y", "x = 0, y = 2"},
		{"x - 2 >= y", "x = 0, y = -2"},
		{"y == x - 2", "x = 0, y = -2"},
		{"3 - x == 1", "x = 2"},
		{"x == x", ""},
		{"x + 1 == x", "unsat"},
		{"x is set", ""},
		{"z is set", "z = 0"},
		{"z is not set", "z is not set"},
		{"z is not set && z > 1", "unsat"},
		{"p is not set", "unsat"},
		{"b", "b = true"},
		{"!b", "b = false"},
		{"b == true", "b = true"},
		{"b != c", "b = true, c = false"},
		{"c", "c = true"},
		{"k == Kind.blue", "k = Kind.blue"},
		{"k != Kind.red", "k = Kind.green"},
		{"k != Kind.red && k != Kind.green && k != Kind.blue", "unsat"},
		{"k == j && j != Kind.red", "k = Kind.green, j = Kind.green"},
		{"one != One.only", "unsat"},
		{`q == "x"`, `q = "x"`},
		{`s == ""`, `s = ""`},
		{`s != ""`, `s = "a"`},
		{`s == t && t == "a" && s != "a"`, "unsat"},
		{`"x" == "x"`, ""},
		{`"x" == "y"`, "unsat"},
		{`s == "" && len(s) > 0`, "unsat"},
		{`s != "" && len(s) == 0`, "unsat"},
		{`s != "" && len(s) == 2`, `s = "aa"`},
		{`s == "abc" && len(s) != 3`, "unsat"},
		{`s == t && len(s) < len(t)`, "unsat"},
		{`s != t && len(s) == 0 && len(t) == 0`, "unsat"},
		{`len(s) >= 0`, `s = ""`},
		{`len(s) < 0`, "unsat"},
		{`len(s) > 1000`, `len(s) = 1001`},
		{"len(tags) == 2", "tags = a list of 2 items"},
		{"len(tags) - len(marks) >= 3", "tags = a list of 3 items, marks = a list of 0 items"},
		{"f > 0.8 && f < 0.9", "f = 0.81"},
		{"f > 0 && f < 0", "unsat"},
		{"f < g && g <= 0", "f = -1, g = 0"},
		{"f != f", "unsat"},
		{"f == 0.1 && f < 0.1", "unsat"},
		{"d > 30s", "d = 31s"},
		{"d > 15m", "unsat"},
		{"d - e < 1ms && e < 0s", "d = 0s, e = -1us"},
		{"end - start > 1h", "start = 1970-01-01T00:00:00.000000Z, end = 1970-01-01T01:00:01.000000Z"},
		{"end - start == 1500ns", "unsat"},
		{"end - start < 1500ns && end - start > 500ns", "start = 1970-01-01T00:00:00.000000Z, end = 1970-01-01T00:00:00.000001Z"},
		{"start + 1s == end && end < start", "unsat"},
		{"end - 1s >= start", "start = 1970-01-01T00:00:00.000000Z, end = 1970-01-01T00:00:01.000000Z"},
		{"event.n > 9", "event.n = 10"},
		{"event.n > 10", "unsat"},
		{"event.kind == k && event.flag", "k = Kind.red, event.flag = true, event.kind = Kind.red"},
		{`event.text != "" && event.wait >= 1h && event.score < 0`, `event.score = -1, event.text = "a", event.wait = 1h`},
		{"len(event.list) == 1", "event.list = a list of 1 item"},
		{"ready()", "ready() = true"},
		{"ready() && !ready()", "unsat"},
		{"small(x)", "x = 0, small(x) = true"},
		{"small(x) && x < 0", "unsat"},
		{"!small(x)", "x = 0, small(x) = false"},
		{"small(x) && !small(y)", "x = 0, y = 1, small(x) = true, small(y) = false"},
		{"small(x) && !small(y) && x == y", "unsat"},
		{"small(1) && !small(x) && x == 1", "unsat"},
		{"likes(s) && !likes(t) && s == t", "unsat"},
		{`likes("u") && !likes(t) && t == "u"`, "unsat"},
		{"eq(x, y) && !eq(y, x) && x == y", "unsat"},
		{"kindly(k) && kindly(Kind.red) && !kindly(j) && j == Kind.red", "unsat"},
		{"odd(f) && !odd(g) && f == g", "unsat"},
		{"given(b) && !given(c) && b == c", "unsat"},
		{"given(x < y) && !given(y > x)", "unsat"},
		{"given(z > 0) && z is not set", "unsat"},
		{"given(ready() && b) && !given(true) && ready() && b", "unsat"},
		{"has(tags) && !has(event.list) && len(tags) == 0 && len(event.list) == 0", "unsat"},
		{"has(tags) && !has(event.list) && len(tags) == 1 && len(event.list) == 1",
			"tags = a list of 1 item, event.list = a list of 1 item, has(tags) = true, has(event.list) = false"},
		{"has([]) && !has(tags) && len(tags) == 0", "unsat"},
		{"has(event.list) && !has(event.list)", "unsat"},
		{`likes("u") && !likes("u")`, "unsat"},
		{`likes("u") && !likes("v")`, `likes("u") = true, likes("v") = false`},
		{`likes(s) && !likes("u") && s == "u"`, "unsat"},
		{"hasBits(bits) && len(bits) == 3", "bits = a list of 3 items, hasBits(bits) = true"},
		{"hasOnes(ones) && !hasOnes([]) && len(ones) == 0", "unsat"},
		{"parsed(raw) && !parsed(raw)", "unsat"},
		{"parsed(raw) && !parsed(raw2)", "raw = 0, raw2 = 1, parsed(raw) = true, parsed(raw2) = false"},
		{"due(now, d) && !due(end, 1m) && end == start && d == 1m",
			"d = 1m, start = 1970-01-01T00:00:00.000000Z, end = 1970-01-01T00:00:00.000000Z, now = 1969-12-31T23:59:59.000000Z, due(now, d) = true, due(end, 1m) = false"},
	} {
		t.Run(c.text, func(t *testing.T) {
			list, input, _ := guards(t, c.text)
			g := guard.Read(list[0], input)
			a := guard.Satisfy(g.Holds)
			if a.Verdict != guard.Sat {
				if a.Verdict.String() != c.want {
					t.Errorf("%s, want %q", a.Verdict, c.want)
				}
				return
			}
			if got := a.Model.Text(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if c.want == "" { // always true, and the model need not have what it reads
				return
			}
			if holds, stuck := worldOf(t, a.Model).holds(list[0]); !holds || stuck {
				t.Errorf("does not hold for %s", a.Model.Text())
			}
		})
	}
}

// TestStuck holds where a guard cannot be computed: where it reads an
// unset field, stopping early from left to right.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		text string
		want guard.Verdict
	}{
		{"x > 1", guard.Unsat},
		{"z > 1", guard.Sat},
		{"z is set && z > 1", guard.Unsat},
		{"z > 1 && z is set", guard.Sat},
		{"z is not set || z > 1", guard.Unsat},
		{"b && z > 1", guard.Sat},
		{"b && !b && z > 1", guard.Unsat},
		{"!(z is set && !(z > 1))", guard.Unsat},
		{"z is set && t is set && (z > 1 || len(t) > 1)", guard.Unsat},
		{"z is set && (z > 1 || len(t) > 1)", guard.Sat},
		{"small(x)", guard.Sat}, // x may not fit
		{"x >= 0 && x <= 2 && small(x)", guard.Unsat},
		{"p > 0 && event.n > 0", guard.Unsat},
		{"given(z is set && z > 0)", guard.Unsat},
		{"given(z > 0)", guard.Sat},
	} {
		list, input, _ := guards(t, c.text)
		g := guard.Read(list[0], input)
		a := guard.Satisfy(stuck(g))
		if a.Verdict != c.want {
			t.Errorf("%s: stuck %s, want %s", c.text, a.Verdict, c.want)
		}
		if a.Verdict == guard.Sat {
			if _, stuck := worldOf(t, a.Model).holds(list[0]); !stuck {
				t.Errorf("%s: computed for %s", c.text, a.Model.Text())
			}
		}
		if a := guard.Satisfy(notHeld(g), guard.Not(g.Fails), guard.Not(stuck(g))); a.Verdict != guard.Unsat {
			t.Errorf("%s: a fourth way: %s", c.text, a.Verdict)
		}
		if a := guard.Satisfy(g.Computed(), stuck(g)); a.Verdict != guard.Unsat {
			t.Errorf("%s: computed and stuck: %s", c.text, a.Verdict)
		}
	}
}

// TestChains holds the questions that rules ask.
func TestChains(t *testing.T) {
	read := func(texts ...string) (out []guard.Guard) {
		list, input, _ := guards(t, texts...)
		for _, e := range list {
			out = append(out, guard.Read(e, input))
		}
		return out
	}
	text := func(a guard.Answer) string {
		if a.Verdict == guard.Sat {
			return a.Model.Text()
		}
		return a.Verdict.String()
	}
	g := read("x < 1", "x >= 1", "x > -2", "x == 1 || x > 2", "event.n != 1", "event.n == 1", "z > 0", "z <= 0")
	for _, c := range []struct {
		name, want string
		got        guard.Answer
	}{
		{"overlap of halves", "unsat", overlap(g[0], g[1])},
		{"overlap", "x = 0", overlap(g[0], g[2])},
		{"gap of halves", "unsat", gap(g[0], g[1])},
		{"gap", "x = 2", gap(g[0], g[3])},
		{"gap of nothing", "", gap()},
		{"gap of the event", "unsat", gap(g[4], g[5])},
		{"unset is no gap", "unsat", gap(g[6], g[7])},
		{"unset is no overlap", "unsat", overlap(g[6], g[7])},
		{"dead", "unsat", reach(g[:2], g[2])},
		{"alive", "x = 1", reach(g[:1], g[3])},
		{"implied", "unsat", counter(g[3].Holds, g[1].Holds)},
		{"not implied", "x = 2", counter(g[1].Holds, g[3].Holds)},
		{"no guard", "x = 0", overlap(guard.Read(nil, nil), g[0])},
		{"after no guard", "unsat", reach([]guard.Guard{guard.Read(nil, nil)}, g[0])},
	} {
		if got := text(c.got); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

const epoch = "1970-01-01T00:00:00.000000Z"

// TestModel holds the JSON forms, and which values stand where.
func TestModel(t *testing.T) {
	list, input, _ := guards(t, `p > 4 && d > 90s && k == Kind.green && event.at - start > 0s && event.score == 0.5 && z is not set && b && len(event.text) == 100 && len(marks) == 2 && likes(s) && parsed(raw)`)
	a := guard.Satisfy(guard.Read(list[0], input).Holds)
	if a.Verdict != guard.Sat {
		t.Fatal(a.Verdict)
	}
	m := a.Model
	for _, c := range []struct{ name, diff string }{
		{"values", cmp.Diff(map[string]any{
			"p": int64(5), "d": "1m31s", "k": "green", "b": true, "start": epoch, "marks": []any{int64(0), int64(0)}, "s": "", "raw": int64(0),
			"event.at": "1970-01-01T00:00:01.000000Z", "event.score": 0.5, "len(event.text)": int64(100),
		}, m.Values())},
		{"guards", cmp.Diff(map[string]bool{"likes(s)": true, "parsed(raw)": true}, m.Guards)},
		{"unset", cmp.Diff([]string{"z"}, m.Unset)},
	} {
		if c.diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, c.diff)
		}
	}
}

// TestFailure holds what a failure fixes of its fields.
func TestFailure(t *testing.T) {
	for text, want := range map[string]guard.Verdict{
		`event.category == "slow"`:            guard.Sat,
		`event.category != "slow"`:            guard.Unsat,
		`event.category == "timeout"`:         guard.Unsat,
		`event.activity == "work"`:            guard.Sat,
		`event.activity == event.category`:    guard.Unsat,
		`len(event.category) == 4`:            guard.Sat,
		`len(event.category) > 4`:             guard.Unsat,
		`event.attempt < 1`:                   guard.Unsat,
		`event.attempt > 5`:                   guard.Sat,
		`event.message == "slow"`:             guard.Sat,
		`event.message == "x" && likes(s)`:    guard.Sat,
		`s == event.category && s == "other"`: guard.Unsat,
		`s == event.category && len(s) != 4`:  guard.Unsat,
	} {
		m := machine(t, "do work() timeout 1m\non Worked -> B\non failed -> B\non failed when "+text+" -> B")
		arm, do := m.Arms[2], m.Dos[0]
		input := &ir.Case{Kind: ir.CaseFailure, Do: do, Category: do.Activity.Fails[0]}
		if a := guard.Satisfy(guard.Read(arm.When, input).Holds); a.Verdict != want {
			t.Errorf("%s: %s, want %s", text, a.Verdict, want)
		}
	}
}
