package breaking

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// One that allows nothing is not reported: it stands there for the next comparison with
// the version in which it was right.
var badAllow = &Rule{Name: "bad-allow", Family: Promises, Summary: "a comment that allows a change names no rule, or gives no reason"}

// allow takes out of the points those that a comment `//fsmc:allow-breaking RULE because …`
// of new covers, and adds what is wrong with these comments: one without a reason allows
// nothing.
func (r *Result) allow(new *ir.Program) {
	var permits []*ir.Allow
	for _, m := range new.Machines {
		for _, a := range m.Permits {
			if pt := badPermit(a, m.Name); pt != nil {
				r.Points = append(r.Points, *pt)
			} else {
				permits = append(permits, a)
			}
		}
	}
	for _, f := range new.Files {
		for _, a := range f.Permits {
			r.Points = append(r.Points, *faultOf(a, "", "this comment covers no machine", "Put it above the machine, or what of it has changed."))
		}
	}
	r.Points = slices.DeleteFunc(r.Points, func(p Point) bool {
		by := slices.ContainsFunc(permits, func(a *ir.Allow) bool { return a.Rule == p.Rule.Name && covers(a, &p) })
		if by {
			r.Allowed = append(r.Allowed, p)
		}
		return by
	})
}

func covers(a *ir.Allow, p *Point) bool {
	return a.Covers.Start.Filename == p.New.Start.Filename && a.Covers.Contains(p.New.Start)
}

// badPermit is what is wrong with a, or nil.
func badPermit(a *ir.Allow, machine string) *Point {
	var names []string
	for _, r := range Rules {
		names = append(names, r.Name)
	}
	switch {
	case a.Rule == "":
		return faultOf(a, machine, "this comment names no rule", "Write `//fsmc:allow-breaking RULE because …`, with the name at the end of the point.")
	case !slices.Contains(names, a.Rule):
		help := "Name one of the rules that `fsmc explain` lists."
		if near, ok := diag.Nearest(a.Rule, names); ok {
			help = "Did you mean " + check.Quote(near) + "?"
		}
		return faultOf(a, machine, "there is no rule "+check.Quote(a.Rule)+" of changes", help)
	case a.Reason == "":
		return faultOf(a, machine, "this comment gives no reason why "+check.Quote(a.Rule)+" is allowed", "Write the reason after `because`.")
	}
	return nil
}

func faultOf(a *ir.Allow, machine, message, help string) *Point {
	return &Point{Rule: badAllow, Machine: machine, New: a.Span, Message: message, Help: help, Bites: Bites{None: true}}
}
