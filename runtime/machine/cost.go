package machine

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Limits of what attempts report. What lies beyond them is noted, and not counted.
const (
	MaxCosts      = 16 // names in one report, and in the sum of a run
	maxCostName   = 64
	maxCostDigits = 40
	maxCostScale  = 20 // decimal places, and zeros before them
)

// CountedCosts tells what an attempt reports that can be counted, sorted by name, from the rest:
// names as in a machine, and amounts as exact decimals that are not negative, of which
// the run, which has spent that much, has not too many.
func CountedCosts(reported map[string]json.Number, spent []Cost) (counted, uncounted []Cost) {
	names := len(spent)
	for _, name := range slices.Sorted(maps.Keys(reported)) {
		amount, ok := parseDecimal(reported[name].String())
		c := Cost{Name: name}
		switch at := slices.IndexFunc(spent, func(c Cost) bool { return c.Name == name }); {
		case !ok || !isCostName(name) || len(counted) == MaxCosts:
			ok = false
		case at >= 0:
			c.Amount = amount.String()
			_, ok = sum(spent[at].Amount, c.Amount)
		default:
			c.Amount = amount.String()
			names++
			ok = names <= MaxCosts
		}
		switch {
		case ok:
			counted = append(counted, c)
		case len(uncounted) < MaxCosts:
			uncounted = append(uncounted, Cost{Name: quotable(name), Amount: quotable(reported[name].String())})
		}
	}
	return counted, uncounted
}

// quotable is the beginning of a text from outside, as history can have it.
func quotable(text string) string { return shorten(strings.ToValidUTF8(text, "\uFFFD")) }

// sum is that of two amounts; not ok where it has too many digits.
func sum(a, b string) (text string, ok bool) {
	x, okX := parseDecimal(a)
	y, okY := parseDecimal(b)
	if !okX || !okY {
		return "", false
	}
	text = x.add(y).String()
	_, ok = parseDecimal(text)
	return text, ok
}

func isCostName(name string) bool { return len(name) <= maxCostName && isName(name) }

// CheckCost says why that is no name and amount of a cost, or nil.
func CheckCost(name string, amount json.Number) error {
	if strings.HasPrefix(amount.String(), `"`) {
		return fmt.Errorf("the amount %s is a string: write the number without quotes", amount)
	}
	if _, ok := parseDecimal(amount.String()); !ok {
		return fmt.Errorf("%q is no amount: it is a decimal of at most %d digits that is not negative", amount, maxCostDigits)
	}
	if !isCostName(name) {
		return fmt.Errorf("%q is no name of a cost", name)
	}
	return nil
}

// spend adds what an attempt, or a child, has used to what the run has.
func (t *step) spend() {
	if t.in.Queued {
		return
	}
	t.next.Uncounted += int64(len(t.in.Uncounted))
	for _, costs := range [][]Cost{t.counts(), t.in.Below} {
		if len(costs) > 0 {
			t.next.Spent = withCosts(t.next.Spent, costs)
		}
	}
	if t.m.keepsBook(t.next) {
		t.account()
	}
}

// AddAmounts adds two amounts, exact decimals as the history has them. A sum with
// too many digits stays what it was, which is a.
func AddAmounts(a, b string) string {
	if text, ok := sum(a, b); ok {
		return text
	}
	return a
}

// compareAmounts is -1, 0 or 1, as a is less than b, equal, or more.
func compareAmounts(a, b string) int {
	x, okX := parseDecimal(a)
	y, okY := parseDecimal(b)
	if !okX || !okY {
		return 0
	}
	x, y = x.aligned(y)
	return x.digits.Cmp(y.digits)
}

// LessAmounts is a - b, and 0 where that is less.
func LessAmounts(a, b string) string {
	if compareAmounts(a, b) <= 0 {
		return "0"
	}
	x, _ := parseDecimal(a)
	y, _ := parseDecimal(b)
	x, y = x.aligned(y)
	return decimal{x.digits.Sub(x.digits, y.digits), x.scale}.String()
}

// decimal is digits × 10^-scale, not negative.
type decimal struct {
	digits *big.Int
	scale  int
}

// parseDecimal reads a number as JSON writes it.
func parseDecimal(text string) (decimal, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if len(digits) == 0 || len(digits) > maxCostDigits || strings.Trim(digits, "0123456789") != "" {
		return decimal{}, false
	}
	scale := len(fraction)
	if exponent != "" {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > maxCostScale || n < -maxCostScale {
			return decimal{}, false
		}
		scale -= n
	}
	if scale > maxCostScale || scale < -maxCostScale {
		return decimal{}, false
	}
	n, ok := new(big.Int).SetString(digits, 10)
	return decimal{n, scale}, ok
}

// aligned gives both with the larger scale.
func (d decimal) aligned(e decimal) (decimal, decimal) {
	scale := max(d.scale, e.scale)
	return d.at(scale), e.at(scale)
}

func (d decimal) at(scale int) decimal {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale-d.scale)), nil)
	return decimal{power.Mul(power, d.digits), scale}
}

func (d decimal) add(e decimal) decimal {
	d, e = d.aligned(e)
	return decimal{new(big.Int).Add(d.digits, e.digits), d.scale}
}

// String writes d without an exponent, and without zeros that say nothing.
func (d decimal) String() string {
	if d.scale < 0 {
		d = d.at(0)
	}
	text := d.digits.String()
	if len(text) <= d.scale {
		text = strings.Repeat("0", d.scale-len(text)+1) + text
	}
	whole, fraction := text[:len(text)-d.scale], strings.TrimRight(text[len(text)-d.scale:], "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}
