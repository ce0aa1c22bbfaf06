package guard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// Int is a machine with n int fields v0, v1, … whose type is typ, and guards.
func Int(t testing.TB, n int, typ string, texts ...string) []guard.Guard {
	t.Helper()
	var src strings.Builder
	src.WriteString("machine M {\nenum K { a, b, c, d, e, f, g, h, i, j }\nguard ask(v int)\ncontext {\n")
	for i := range n {
		fmt.Fprintf(&src, "v%d %s\n", i, typ)
	}
	src.WriteString("}\nevent E\ninitial A\nstate A {\n")
	for _, text := range texts {
		src.WriteString("on E when " + text + " -> B\n")
	}
	src.WriteString("}\nterminal B\n}")
	var out []guard.Guard
	for _, a := range langtest.Machine(t, src.String()).Arms {
		out = append(out, guard.Read(a.When, nil))
	}
	return out
}

// each is one text for each i below n, joined.
func each(n int, sep string, text func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = text(i)
	}
	return strings.Join(parts, sep)
}

// pairs is one text for each pair of variables below n, at most 64.
func pairs(n int, sep string, text func(i, j int) string) string {
	var parts []string
	for i := range n {
		for j := range i {
			parts = append(parts, text(i, j))
		}
	}
	return strings.Join(parts[:min(len(parts), 64)], sep)
}

// TestLargest holds guards of 64 comparisons and long chains: those that people
// could write are decided, the worst ones end in time, and none is answered
// wrongly.
func TestLargest(t *testing.T) {
	differ := func(i, j int) string { return fmt.Sprintf("v%d != v%d", i, j) }
	// alternating nests && and || as deep as they go, each reading the one before.
	alternating := "v0 < 1"
	for i := 1; i < 64; i++ {
		alternating = fmt.Sprintf("(%s %s v%d < %d)", alternating, []string{"&&", "||"}[i%2], i%8, i%5)
	}
	for _, c := range []struct {
		name string
		ask  func() guard.Answer
		want []guard.Verdict
	}{
		{"a chain of less-than", func() guard.Answer {
			return overlap(Int(t, 64, "int", each(63, " && ", func(i int) string { return fmt.Sprintf("v%d < v%d", i, i+1) }), "v63 < v0")[0], guard.Read(nil, nil))
		}, []guard.Verdict{guard.Sat}},
		{"a cycle of less-than", func() guard.Answer {
			return guard.Satisfy(Int(t, 64, "int", each(64, " && ", func(i int) string { return fmt.Sprintf("v%d < v%d", i, (i+1)%64) }))[0].Holds)
		}, []guard.Verdict{guard.Unsat}},
		{"64 values are not it", func() guard.Answer {
			return guard.Satisfy(Int(t, 1, "int 0..63", each(64, " && ", func(i int) string { return fmt.Sprintf("v0 != %d", i) }))[0].Holds)
		}, []guard.Verdict{guard.Unsat}},
		{"63 values are not it", func() guard.Answer {
			return guard.Satisfy(Int(t, 1, "int 0..63", each(63, " && ", func(i int) string { return fmt.Sprintf("v0 != %d", i) }))[0].Holds)
		}, []guard.Verdict{guard.Sat}},
		{"64 disjunctions", func() guard.Answer {
			return guard.Satisfy(Int(t, 32, "int 0..9", each(32, " && ", func(i int) string { return fmt.Sprintf("(v%d < 2 || v%d > 7)", i, i) }))[0].Holds)
		}, []guard.Verdict{guard.Sat}},
		{"8 enums of 10 values differ", func() guard.Answer { return guard.Satisfy(Int(t, 8, "K", pairs(8, " && ", differ))[0].Holds) }, []guard.Verdict{guard.Sat}},
		{"4 pigeons in 3 holes", func() guard.Answer { return guard.Satisfy(Int(t, 4, "int 1..3", pairs(4, " && ", differ))[0].Holds) }, []guard.Verdict{guard.Unsat}},
		{"11 pigeons in 10 holes", func() guard.Answer { return guard.Satisfy(Int(t, 11, "K", pairs(11, " && ", differ))[0].Holds) }, []guard.Verdict{guard.Unsat, guard.Undecided}},
		{"alternating", func() guard.Answer { return guard.Satisfy(Int(t, 8, "int 0..9", alternating)[0].Holds) }, []guard.Verdict{guard.Sat}},
		{"alternating, stuck", func() guard.Answer { return guard.Satisfy(stuck(Int(t, 8, "int 0..9", alternating)[0])) }, []guard.Verdict{guard.Sat}},
		{"alternating, four ways", func() guard.Answer {
			g := Int(t, 8, "int 0..9", alternating)[0]
			return guard.Satisfy(notHeld(g), guard.Not(g.Fails), guard.Not(stuck(g)))
		}, []guard.Verdict{guard.Unsat}},
		{"a gap of 500 arms", func() guard.Answer {
			texts := strings.Split(each(500, "\n", func(i int) string { return fmt.Sprintf("v0 == %d", i) }), "\n")
			return gap(Int(t, 1, "int 0..500", texts...)...)
		}, []guard.Verdict{guard.Sat}},
		{"no gap of 501 arms", func() guard.Answer {
			texts := strings.Split(each(501, "\n", func(i int) string { return fmt.Sprintf("v0 == %d", i) }), "\n")
			return gap(Int(t, 1, "int 0..500", texts...)...)
		}, []guard.Verdict{guard.Unsat}},
		{"a gap of 20,000 arms", func() guard.Answer {
			texts := strings.Split(each(20_000, "\n", func(i int) string { return fmt.Sprintf("v0 == %d", i) }), "\n")
			return gap(Int(t, 1, "int 0..20000", texts...)...)
		}, []guard.Verdict{guard.Sat}},
		{"no gap of 20,001 arms", func() guard.Answer {
			texts := strings.Split(each(20_001, "\n", func(i int) string { return fmt.Sprintf("v0 == %d", i) }), "\n")
			return gap(Int(t, 1, "int 0..20000", texts...)...)
		}, []guard.Verdict{guard.Unsat}},
		{"5,000 gaps between intervals, one of which another field allows", func() guard.Answer {
			texts := strings.Split(each(5_000, "\n", func(i int) string { return fmt.Sprintf("v0 > %d && v0 < %d", 4*i, 4*i+3) }), "\n")
			return gap(Int(t, 2, "int 0..20000", append(texts, "v0 - v1 < 19990", "v1 > 0")...)...)
		}, []guard.Verdict{guard.Sat}},
		{"a text that is none of 5,000", func() guard.Answer {
			texts := strings.Split(each(5_000, "\n", func(i int) string { return fmt.Sprintf("v0 == \"t%d\"", i) }), "\n")
			return gap(Int(t, 1, "string", texts...)...)
		}, []guard.Verdict{guard.Sat}},
		{"64 calls", func() guard.Answer {
			return guard.Satisfy(Int(t, 64, "int", each(64, " && ", func(i int) string { return fmt.Sprintf("%sask(v%d)", strings.Repeat("!", i%2), i) }))[0].Holds)
		}, []guard.Verdict{guard.Sat, guard.Undecided}},
		{"a short string that is none of many", func() guard.Answer {
			const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			text := each(len(letters), " && ", func(i int) string { return fmt.Sprintf("v0 != %q", letters[i:i+1]) })
			return guard.Satisfy(Int(t, 1, "string", text+" && len(v0) == 1")[0].Holds)
		}, []guard.Verdict{guard.Undecided}},
		{"1000 calls", func() guard.Answer {
			return gap(Int(t, 1000, "int", strings.Split(each(1000, "\n", func(i int) string { return fmt.Sprintf("ask(v%d)", i) }), "\n")...)...)
		}, []guard.Verdict{guard.Undecided}},
		{"2000 variables", func() guard.Answer {
			return gap(Int(t, 2000, "int", strings.Split(each(2000, "\n", func(i int) string { return fmt.Sprintf("v%d < 0", i) }), "\n")...)...)
		}, []guard.Verdict{guard.Undecided}},
	} {
		start := time.Now()
		a := c.ask()
		if !slices.Contains(c.want, a.Verdict) {
			t.Errorf("%s: %s, want %v", c.name, a.Verdict, c.want)
		}
		t.Logf("%-24s %-9s %v", c.name, a.Verdict, time.Since(start).Round(time.Microsecond))
		if spent := time.Since(start); spent > time.Minute { // some 50 ms on an idle machine
			t.Errorf("%s took %v", c.name, spent)
		}
	}
}

// TestOpaque holds that what is not understood is not answered, unless the rest
// answers it.
func TestOpaque(t *testing.T) {
	list, _, _ := guards(t, "x > 3", "x > 2")
	bad := &ir.Bad{E: ir.E{T: &ir.Type{}}}
	for _, c := range []struct {
		e    ir.Expr
		want guard.Verdict
	}{
		{&ir.Binary{E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: ir.OpAnd, X: list[0], Y: bad}, guard.Unsat},
		{&ir.Binary{E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: ir.OpAnd, X: list[1], Y: bad}, guard.Undecided},
	} {
		if a := guard.Satisfy(guard.Read(c.e, nil).Holds); a.Verdict != c.want {
			t.Errorf("%s: %s, want %s", ir.ExprText(c.e), a.Verdict, c.want)
		}
	}
}
