package check_test

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/runtime"
)

// knownDisagreements are the ones that wait to be mended: to which questions,
// why, and how to tell. The list is to become empty.
var knownDisagreements = []struct {
	questions string
	reason    string
	is        func(s *oracletest.Space, d disagreement) bool
}{
	{"witness", "the path is one of the graph, without counters", says(other)},
	{
		"*", "one question to a host guard is given two answers in a step",
		func(s *oracletest.Space, _ disagreement) bool { return asksAgain(s.Def) },
	},
	{
		"guard-gap", "a wait read from data is 0s, so that the witness does not replay",
		func(s *oracletest.Space, d disagreement) bool { return d.side == less && waitsByData(s.Def) },
	},
	{
		"guard-gap unhandled-case", "what only free data could bring is reported",
		func(s *oracletest.Space, d disagreement) bool { return d.side == more && s.Free() },
	},
}

// known is why d is known; empty where it is not.
func (d disagreement) known(s *oracletest.Space) string {
	question, _, _ := strings.Cut(d.question, " of ")
	for _, k := range knownDisagreements {
		if (k.questions == "*" || strings.Contains(" "+k.questions+" ", " "+question+" ")) && k.is(s, d) {
			return k.reason
		}
	}
	return ""
}

func says(side side) func(*oracletest.Space, disagreement) bool {
	return func(_ *oracletest.Space, d disagreement) bool { return d.side == side }
}

// asksAgain reports whether guards may be asked more than once in a step.
func asksAgain(d *runtime.Definition) bool {
	required, asked := 0, 0
	for _, s := range d.States {
		if s.Require != nil {
			required += calls(s.Require.Cond)
		}
	}
	for _, s := range d.States {
		for _, h := range s.Handlers {
			n := 0
			for _, a := range h.Arms {
				if d.Arms[a].When != nil {
					n += calls(d.Arms[a].When)
				}
			}
			asked = max(asked, n)
		}
	}
	return required+asked > 1
}

// calls is how many host guards are asked in e.
func calls(e *runtime.Expr) int {
	n := 0
	if e.Op == "guard" {
		n++
	}
	for _, x := range e.Args {
		n += calls(x)
	}
	return n
}

func waitsByData(d *runtime.Definition) bool {
	return slices.ContainsFunc(d.Timers, func(t runtime.Timer) bool { return t.Var != nil })
}
