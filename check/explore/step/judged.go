package step

import (
	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// What one side of a comparison is may be held, and decide it whatever the other side is:
// `n < limit` is false where n has reached the end of the range of limit. Then nothing is
// chosen. So of a range with too many values for each to be followed the ends are known.

// judged decides a comparison of variables by what is held of them, as far as that alone
// does.
type judged struct {
	nodes        []*data.Node
	regions      [][]guard.Value
	values       []guard.Value // scratch of only
	holds, fails *guard.Judge
}

// judge makes the judged of e, or of its negation; nil where nothing of it is held.
func (c *compiler) judge(e ir.Expr, negated bool) *judged {
	b, ok := e.(*ir.Binary)
	if !ok || c.t.Loose || !comparesVars(b) {
		return nil
	}
	j := &judged{}
	var vars []*ir.Var
	for _, v := range ir.Vars(b) {
		n := c.t.Vars[v]
		if n.Slot == nil || !n.Valued() || !n.Domain.TellsValues() {
			continue
		}
		vars, j.nodes, j.regions = append(vars, v), append(j.nodes, n), append(j.regions, n.Regions())
	}
	if len(vars) == 0 {
		return nil
	}
	g := guard.Read(b, nil)
	if negated {
		g.Holds, g.Fails = g.Fails, g.Holds
	}
	j.values = make([]guard.Value, len(vars))
	if j.holds, j.fails = guard.NewJudge(g.Holds, vars), guard.NewJudge(g.Fails, vars); j.holds == nil || j.fails == nil {
		return nil
	}
	return j
}

// only is the only verdict that what is held leaves; unasked where it leaves both.
func (j *judged) only(s *Step) int8 {
	for i, n := range j.nodes {
		s.Foot.reads(n)
		j.values[i] = n.Judged(s.Next, j.regions[i])
	}
	switch {
	case j.holds.ExcludesAtSight(j.values):
		return isFalse
	case j.fails.ExcludesAtSight(j.values):
		return isTrue
	}
	return unasked
}
