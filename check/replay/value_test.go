package replay

import "testing"

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
