package replay

import (
	"errors"
	"math"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestWith grows two lists from one, and one of those again.
func TestWith(t *testing.T) {
	empty := value{set: true}
	one := empty.with(number(1))
	two, other := one.with(number(2)), one.with(number(3))
	longer := other.with(number(4))
	two = two.with(number(5))
	for _, c := range []struct {
		name string
		got  value
		want []int64
	}{
		{"empty", empty, nil}, {"one", one, []int64{1}}, {"two", two, []int64{1, 2, 5}},
		{"other", other, []int64{1, 3}}, {"longer", longer, []int64{1, 3, 4}},
	} {
		list := value{set: true}
		for _, n := range c.want {
			list.list = append(list.list, number(n))
		}
		if got, want := c.got.key(), list.key(); got != want {
			t.Errorf("%s: %s, not %s", c.name, got, want)
		}
	}
}

// TestTooLarge: 2^63 does not fit, though as 64 bits it is the least integer.
func TestTooLarge(t *testing.T) {
	product := &ir.Binary{E: ir.E{T: &ir.Type{Kind: ir.Int}}, Op: ir.OpMul}
	for _, c := range [][2]int64{{math.MinInt64, -1}, {-1 << 62, -2}, {1 << 62, 2}} {
		if v, err := compute(product, number(c[0]), number(c[1])); !errors.Is(err, errOverflow) {
			t.Errorf("%d * %d is %d", c[0], c[1], v.n)
		}
	}
	if v, err := compute(product, number(1<<62), number(-2)); err != nil || v.n != math.MinInt64 {
		t.Errorf("2^62 * -2 is %d, %v", v.n, err)
	}
}
