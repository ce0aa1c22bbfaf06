package data

import (
	"slices"
	"strconv"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Strings that are compared with each other, and else only copied, name things: who approved, which
// token was handed out. Of them it matters alone which are equal. So a few names stand for all: as many
// as a configuration can hold and one event can bring. Then there is always one that nothing
// holds, as there is among all strings. (Kaminski and Francez, Finite-memory automata, 1994.)

// mostNamed is in how many ways variables may hold names.
const mostNamed = 1 << 14

// readNames joins what e, a comparison, says to be equal or not, where it is one of strings
// as they are; it reports whether it is that.
func (t *Tracked) readNames(e *ir.Binary, arm *ir.Arm) bool {
	x, y := t.Refs(e.X, arm), t.Refs(e.Y, arm)
	if e.X.Type().Kind != ir.String || len(x) == 0 || len(y) == 0 {
		return false
	}
	for _, n := range slices.Concat(x, y) {
		union(x[0], n)
		n.named = true
	}
	return true
}

// name adds to the constants of d, strings, those that stand for all others, or makes d free
// where they would be too many.
func (d *Domain) name() {
	vars, most, of := 0, 0, map[*ir.Event]int{}
	items, mostItems := map[*ir.Do]int{}, 0
	for _, n := range d.nodes {
		switch {
		case n.Event != nil:
			of[n.Event]++
			most = max(most, of[n.Event])
		case n.Do != nil:
			items[n.Do]++
			mostItems = max(mostItems, items[n.Do])
		case n.Var == nil: // a failure brings names of its own
			d.Sort = Free
			return
		case n.Read:
			vars++
		}
	}
	for i, left := 1, vars+most+mostItems; left > 0; i++ {
		if text := "name" + strconv.Itoa(i); !slices.Contains(d.texts, text) {
			d.texts = append(d.texts, text)
			left--
		}
	}
	d.named = true
	ways := 1
	for range vars {
		if ways *= len(d.texts); ways > mostNamed {
			d.Sort = Free
			return
		}
	}
}

// Named reports whether equal codes of d are equal values, and others are not.
func (d *Domain) Named() bool { return d.named && d.Sort == ByRegion }
