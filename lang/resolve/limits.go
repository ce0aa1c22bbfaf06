package resolve

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// maxThrottle is the largest number in a limit of an activity: a store remembers so many
// claims.
const maxThrottle = 1_000_000

// limitOf resolves the limits of src over all runs, one of each kind.
func (r *resolver) limitOf(src *ast.Activity) ir.Limit {
	var l ir.Limit
	first := map[bool]*ast.Throttle{}
	for _, t := range src.Throttles {
		if before := first[t.AtOnce]; before != nil {
			kind := "a rate"
			if t.AtOnce {
				kind = "`at once`"
			}
			r.second(t.Span(), "activity "+quote(textOf(src.Name))+" has two limits of "+kind, "Remove one of the two.", before.Span())
			continue
		}
		first[t.AtOnce] = t
		count, ok := r.throttleCount(t.Count)
		if t.AtOnce {
			l.AtOnce = count
			continue
		}
		const none = -1
		window := r.durationOf(t.Window, none)
		if window != none && (window == 0 || t.Window.Neg) {
			r.report(badLiteral, t.Window.Span(), "a limit per "+signed(t.Window)+" says nothing",
				"Write a duration above 0s, as in `limit 5 per 1m`.")
			continue
		}
		if ok && window != none {
			l.Rate, l.Window = count, window
		}
	}
	return l
}

// throttleCount is the number of a limit; 0 where there is none, which has been reported.
func (r *resolver) throttleCount(lit *ast.Literal) (int64, bool) {
	const none = -1
	n := r.intOf(lit, none)
	switch {
	case n == none && !lit.Neg:
		return 0, false
	case n == 0 || lit.Neg:
		r.report(badLiteral, lit.Span(), "a limit of "+signed(lit)+" lets no attempt begin",
			"Write a number from 1 on, or take the limit out.")
	case n > maxThrottle:
		r.report(badLiteral, lit.Span(), "a limit of "+lit.Text+" is too large",
			fmt.Sprintf("A limit is at most %d; without one, any number may run.", maxThrottle))
	default:
		return n, true
	}
	return 0, false
}

func signed(lit *ast.Literal) string {
	if lit.Neg {
		return "-" + lit.Text
	}
	return lit.Text
}
