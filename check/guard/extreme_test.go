package guard_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestExtremes holds answers at the ends of int64, where differences and sums do
// not fit it, and of floats.
func TestExtremes(t *testing.T) {
	const lo, hi = "-9223372036854775808", "9223372036854775807"
	for _, c := range []struct{ text, want string }{
		{"n < " + lo, "unsat"},
		{"n > " + hi, "unsat"},
		{"n <= " + lo, "n = " + lo},
		{"n >= " + hi, "n = " + hi},
		{"n - m > " + hi, "n = 0, m = " + lo},
		{"n - m > " + hi + " && m >= 0", "unsat"},
		{"n - m < " + lo, "n = -2, m = " + hi},
		{"n + " + hi + " < m", "n = -1, m = " + hi},
		{"n + " + hi + " < m && n >= 0", "unsat"},
		{"n + " + lo + " >= m", "n = 0, m = " + lo},
		{"n == " + lo + " && n <= m - 1 && m < n + 2", "n = " + lo + ", m = -9223372036854775807"},
		{"n - " + lo + " <= m", "n = -1, m = " + hi},
		{"n - " + lo + " <= m && n > 0", "unsat"},
		{lo + " + n == " + lo, "n = 0"},
		{hi + " + n == " + lo, "unsat"},
		{hi + " + n == 0", "n = -" + hi},
		{"n == 0 - " + hi, "n = -" + hi},
		{hi + " - " + lo + " > n", "n = 0"},
		{"n != " + lo + " && n <= " + lo, "unsat"},
		{"n - m <= " + lo + " && m - p <= " + lo, "unsat"},
		{"n - m <= -" + hi + " && m - p <= -1", "p = 0, n = " + lo + ", m = -1"},
		{"e < -292w && e > -293w", "e = -49056h0m1s"},
		{"e - d < 0s && e >= 15m", "unsat"},
		{"f > " + strconv.FormatFloat(math.MaxFloat64, 'f', 1, 64), "unsat"},
		{"f > 0 && g > 0 && f != g", "f = 1, g = 0.1"},
		{"f > 0 && f < 0.00000000001 && g < f && g > 0", "f = 0.000000000001, g = 0.0000000000001"},
		{"end - start > 2562047h", "start = 1970-01-01T00:00:00.000000Z, end = 2262-04-11T23:00:01.000000Z"},
	} {
		list, input, _ := guards(t, c.text)
		a := guard.Satisfy(guard.Read(list[0], input).Holds)
		if a.Verdict != guard.Sat {
			if a.Verdict.String() != c.want {
				t.Errorf("%s: %s, want %s", c.text, a.Verdict, c.want)
			}
			continue
		}
		if holds, stuck := worldOf(t, a.Model).holds(list[0]); !holds || stuck {
			t.Errorf("%s: does not hold for %s", c.text, a.Model.Text())
		}
		if got := a.Model.Text(); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestExtremeModels draws constants from the ends of int64, and has every model
// computed by the oracle, and every "unsat" checked by moving the question: n and
// m exchanged and negated have the same answer.
func TestExtremeModels(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	constant := func() int64 {
		ends := []int64{math.MinInt64 + 1, -1 << 62, -1, 0, 1, 1 << 62, math.MaxInt64}
		return ends[r.IntN(len(ends))]
	}
	turned := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
	atom := func() (plain, mirrored string) {
		c, op := constant(), pick(r, ops...)
		number, negative := strconv.FormatInt(c, 10), strconv.FormatInt(-c, 10)
		switch r.IntN(3) {
		case 0:
			return "p " + op + " " + number, "p " + turned[op] + " " + negative
		case 1:
			return "n " + op + " " + number, "n " + turned[op] + " " + negative
		}
		return "n - p " + op + " " + number, "n - p " + turned[op] + " " + negative
	}
	const inside = " && n > -9223372036854775808 && p > -9223372036854775808" // negation stays in int64
	var texts []string
	for range 400 {
		a, a2 := atom()
		b, b2 := atom()
		c, c2 := atom()
		texts = append(texts, a+" && "+b+" && "+c+inside, a2+" && "+b2+" && "+c2+inside)
	}
	list, input, _ := guards(t, texts...)
	sat := 0
	for i := 0; i < len(list); i += 2 {
		a := guard.Satisfy(guard.Read(list[i], input).Holds)
		b := guard.Satisfy(guard.Read(list[i+1], input).Holds)
		if a.Verdict != b.Verdict || a.Verdict == guard.Undecided {
			t.Errorf("%s: %s, and mirrored %s", texts[i], a.Verdict, b.Verdict)
		}
		if a.Verdict == guard.Sat {
			sat++
			if holds, _ := worldOf(t, a.Model).holds(list[i]); !holds {
				t.Errorf("%s: does not hold for %s", texts[i], a.Model.Text())
			}
		}
	}
	if sat < 50 || sat > 350 {
		t.Errorf("%d of 400 hold, too few on one side to mean much", sat)
	}
}

// TestFacts holds what is said of data from elsewhere.
func TestFacts(t *testing.T) {
	list, input, m := guards(t, `z > 1 && s == "u" && b && f < 0.5 && k == Kind.green && d >= 1m`)
	holds := guard.Read(list[0], input).Holds
	kind := m.Enums[0]
	for _, c := range []struct {
		name string
		fact guard.Formula
		want guard.Verdict
	}{
		{"set", guard.IsSet(field(t, m, "z")), guard.Sat},
		{"unset", guard.Not(guard.IsSet(field(t, m, "z"))), guard.Unsat},
		{"text", guard.Equal(field(t, m, "s"), &ir.Const{Kind: ir.String, Str: "u"}), guard.Sat},
		{"other text", guard.Equal(field(t, m, "s"), &ir.Const{Kind: ir.String}), guard.Unsat},
		{"bool", guard.Equal(field(t, m, "b"), &ir.Const{Kind: ir.Bool, Int: 1}), guard.Sat},
		{"other bool", guard.Equal(field(t, m, "b"), &ir.Const{Kind: ir.Bool}), guard.Unsat},
		{"float", guard.Equal(field(t, m, "f"), &ir.Const{Kind: ir.Float, Float: 0.25}), guard.Sat},
		{"other float", guard.Equal(field(t, m, "f"), &ir.Const{Kind: ir.Float, Float: 0.5}), guard.Unsat},
		{"enum", guard.Equal(field(t, m, "k"), &ir.Const{Kind: ir.EnumKind, Int: 1, Str: "green", Enum: kind}), guard.Sat},
		{"other enum", guard.Equal(field(t, m, "k"), &ir.Const{Kind: ir.EnumKind, Str: "red", Enum: kind}), guard.Unsat},
		{"or", guard.Or(guard.Equal(field(t, m, "d"), &ir.Const{Kind: ir.Duration, Int: 1}), guard.Equal(field(t, m, "d"), &ir.Const{Kind: ir.Duration, Int: 60e9})), guard.Sat},
		{"none", guard.Or(), guard.Unsat},
		{"zero", guard.Formula{}, guard.Sat},
	} {
		if a := guard.Satisfy(holds, c.fact); a.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.name, a.Verdict, c.want)
		}
	}
}
