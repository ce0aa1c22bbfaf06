package check

import (
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// The words that messages of several rules share, so that they all sound alike.

// Quote puts a name in quotes.
func Quote(name string) string { return strconv.Quote(name) }

// Or joins names, in quotes, for a choice: `"a", "b" or "c"`.
func Or(names []string) string { return join(names, " or ") }

// And joins names, in quotes, for all of them: `"a", "b" and "c"`.
func And(names []string) string { return join(names, " and ") }

func join(names []string, last string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = Quote(n)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	end := len(quoted) - 1
	return strings.Join(quoted[:end], ", ") + last + quoted[end]
}

// Around says where a handler for something in leaf may stand: `"Draft"`, or
// `"Draft" or a state around it` where it has one.
func Around(leaf *ir.State) string {
	if leaf.Parent == nil || leaf.Parent.Parent == nil {
		return Quote(leaf.Path)
	}
	return Quote(leaf.Path) + " or a state around it"
}

// NoneAround is the subject of "handles" where nothing does: neither leaf nor
// what is around it.
func NoneAround(leaf *ir.State) string {
	if leaf.Parent == nil || leaf.Parent.Parent == nil {
		return "neither " + Quote(leaf.Path) + " nor the machine"
	}
	return "neither " + Quote(leaf.Path) + " nor a state around it"
}

// MaxNamed is the most states of a cycle or a trap that a message names.
const MaxNamed = 5

// Cycle names the leaves of a cycle, in quotes: `"a", "b" and "c"`.
func Cycle(leaves []*ir.State) string {
	return some(ir.Paths(leaves), MaxNamed)
}

// some is And of at most so many names; the others are counted.
func some(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return join(names[:most], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return And(names)
}
