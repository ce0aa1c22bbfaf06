package witness

import (
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Child is a run of a machine that a Witness starts.
type Child struct {
	Do      *ir.Do
	Element int            // of a fan-out: for which element it is, counted from 1
	Given   map[string]any // its parameters, in their JSON forms; nil where they do not fit
	Ends    ChildEnds
	Exit    *ir.State // the terminal, of InTerminal
	Run     *Witness  // an example of a run that ends so; nil where there is none to show
}

// ChildEnds is how a child ends.
type ChildEnds int

const (
	InTerminal ChildEnds = iota
	Cancelled            // somebody has cancelled it, or the state is left
	TimedOut
	NotStarted // what it was given does not fit
	RunsOn     // the path ends before it does
)

var endTexts = [...]string{Cancelled: "cancelled", TimedOut: ir.Timeout, NotStarted: ir.Unknown}

// EndsBy is how a child ends that says c.
func EndsBy(c ir.Case) (ends ChildEnds, exit *ir.State) {
	switch {
	case c.Kind == ir.CaseResult:
		return InTerminal, c.Event.Terminal
	case c.Category.BuiltIn && c.Category.Name == ir.Timeout:
		return TimedOut, nil
	case c.Category.BuiltIn:
		return NotStarted, nil
	}
	return Cancelled, nil
}

// diag is c as a diagnostic has it.
func (c *Child) diag(made map[*Witness]*diag.Witness) diag.Child {
	out := diag.Child{
		Do: Input{Kind: Ended, Activity: c.Do, Element: c.Element}.sayer(), Machine: c.Do.Activity.Name,
		Given: c.Given, Run: c.Run.diag(made),
	}
	if c.Ends == InTerminal {
		out.Terminal = c.Exit.Name
	} else if c.Ends != RunsOn {
		out.Ends = endTexts[c.Ends]
	}
	return out
}
