package replay

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// What a witness says of the element in an arm comes about by the items of the list that the
// run is given. They are searched for among the values that make a difference.

// reading is how an arm reads a part of an element.
type reading int

const (
	inBlock reading = iota + 1
	inGuard
)

// maxItems bounds the items of all lists of one length that are tried.
const maxItems = 50_000

// readsElement reports whether an arm reads which element an input is of.
func (b *book) readsElement() bool { return len(b.elementReads()) > 0 }

// elementReads are the parts of an element that arms read, by name.
func (b *book) elementReads() map[string]reading {
	if b.element == nil {
		b.element = map[string]reading{}
		for _, a := range b.m.Arms {
			for whole := range a.Exprs() {
				how := inBlock
				if whole == a.When {
					how = inGuard
				}
				for _, ref := range ir.Sent(whole) {
					if ref.IsElement() {
						b.element[ref.Name] = max(b.element[ref.Name], how)
					}
				}
			}
		}
	}
	return b.element
}

// listsOf are lists of type t as long as the witness says of some, with items that
// matter where an arm reads them; then those given. A list that the witness says is as long as
// others of which nothing more matters.
func (p *player) listsOf(t *ir.Type, given ...machine.Value) []machine.Value {
	var out []machine.Value
	if t.Kind == ir.List {
		for _, n := range p.wanted() {
			for _, v := range p.listsLong(t, n) {
				if fits(t, v) {
					out = append(out, v)
				}
			}
		}
	}
	return append(out, given...)
}

// listsLong are lists of n items. Where an arm reads them these are the values in question one
// behind the other, beginning with each of them, and each of them alone.
func (p *player) listsLong(t *ir.Type, n int64) []machine.Value {
	if !p.book.readsElement() {
		return []machine.Value{ofLength(t, n)}
	}
	items := p.book.itemsOf(t.Elem)
	var out []machine.Value
	list := func(item func(i int) int) {
		if int64(len(out))*n > maxItems {
			return
		}
		all := make([]machine.Value, n)
		for i := range all {
			all[i] = items[item(i)%len(items)]
		}
		out = append(out, machine.ListValue(all...))
	}
	for first := range items {
		list(func(i int) int { return first + i })
		list(func(int) int { return first })
	}
	return out
}

// itemsOf are items of type t that may make a difference: of a record, those of the parts that
// are read, what guards read first.
func (b *book) itemsOf(t *ir.Type) []machine.Value {
	if t.Kind != ir.RecordKind {
		return candidates(t, b.constantsOf(t))
	}
	leaves := t.Leaves()
	reads := b.elementReads()
	how := func(i int) reading { return reads[ir.ItemField+"."+leaves[i].Path] }
	slots := make([]*ir.Slot, len(leaves))
	asked := map[string]bool{}
	for i, l := range leaves {
		slots[i] = &ir.Slot{Name: l.Path, Within: l.Within}
		asked[l.Path] = how(i) > 0
	}
	spots := spotsOf(slots)
	order := make([]int, len(leaves)) // what varies fastest is behind
	lists := make([][]machine.Value, len(leaves))
	for i := range leaves {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return int(how(i)) - int(how(k)) })
	for at, i := range order {
		lists[at] = []machine.Value{plain(leaves[i].Type)}
		if how(i) > 0 {
			lists[at] = candidates(leaves[i].Type, b.constantsOf(leaves[i].Type))
		}
		switch s, group := slots[i], slots[i].Within.Group(); {
		case inGroup(s) && spots.heads[group] != i:
		case inGroup(s) && spots.anyWithin(group, asked):
			lists[at] = append(slices.Clip(lists[at]), machine.Unset)
		case how(i) > 0 && leaves[i].Optional:
			lists[at] = maybe(leaves[i].Type, lists[at], true)
		}
	}
	var out []machine.Value
	for _, values := range append(alone(lists), combinations(lists)...) {
		record := make([]machine.Value, len(leaves))
		for at, i := range order {
			record[i] = values[at]
		}
		out = append(out, machine.RecordValue(spots.made(record)...))
	}
	return out
}

// alone are the first values of lists, and for each other value they and it in its place.
func alone(lists [][]machine.Value) [][]machine.Value {
	var first []machine.Value
	for _, list := range lists {
		first = append(first, list[0])
	}
	out := [][]machine.Value{first}
	for i, list := range lists {
		for _, v := range list[1:] {
			row := slices.Clone(first)
			row[i] = v
			out = append(out, row)
		}
	}
	return out
}
