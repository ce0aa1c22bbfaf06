package breaking

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Compare reports it, since there is no pair.
var machineRemoved = &Rule{Name: "machine-removed", Family: Wire, Summary: "the machine is gone"}

// removedMachine is the point of an old machine that new has not. Its place is that of
// the first machine of new, since nothing stands for it.
func removedMachine(m *ir.Machine, new *ir.Program) Point {
	p := Point{
		Rule: machineRemoved, Machine: m.Name, Old: m.Span,
		Message: "machine " + check.Quote(m.Name) + " is gone",
		Help:    "Keep it until no run of it is unfinished. A machine with another name is another machine: fsmc migrate does not move runs to it.",
	}
	if p.New = m.Span; len(new.Machines) > 0 {
		p.New = placeOfFile(new, m.Span)
	}
	return p
}

// placeOfFile is a machine of new in the file that is called most like that of old, or
// else the first one.
func placeOfFile(new *ir.Program, old token.Span) token.Span {
	was := names(old.Start.Filename)
	best, at := 0, new.Machines[0].Span
	for _, m := range new.Machines {
		if n, _ := alike(was, names(m.Span.Start.Filename)); n > best {
			best, at = n, m.Span
		}
	}
	return at
}
