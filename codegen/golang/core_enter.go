package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// entry is one way of entering a leaf: from below a composite, the domain of the
// transition. From is the leaf that is left where something that is entered
// contains it, so that counters there do not begin again; else nil.
type entry struct {
	leaf, domain, from *ir.State
}

// entryFunc is a printed way of entering a leaf.
type entryFunc struct {
	name  string
	text  string // where it is short enough to stand where it is entered; else empty
	fails bool
}

// shortEntry is the most lines that are written at each place from which a leaf
// is entered. What is published has a large frame, and stands apart.
const shortEntry = 4

// enter is the call that enters target from leaf; domain is what the
// transition does not leave (nil at the start of a run, when leaf is nil too).
func (c *corePrinter) enter(leaf, target, domain *ir.State) (call string, fails bool) {
	k := entry{leaf: target.Leaf(), domain: domain}
	if leaf != nil && c.remembers(k.leaf, leaf, domain, map[*ir.State]bool{}) {
		k.from = leaf
	}
	f := c.entries[k]
	if f == nil {
		f = &entryFunc{}
		if k.leaf.Require != nil { // it may be entered again while its own text is made
			f.name, f.fails = c.entryName(k), true
		}
		c.entries[k] = f
		c.printEntry(k, f)
	}
	if f.text != "" {
		return f.text, f.fails
	}
	return "t." + f.name + "(s)\n", f.fails
}

// remembers reports whether entering target from old enters a state that
// contains old and on which counters hang.
func (c *corePrinter) remembers(target, old, domain *ir.State, seen map[*ir.State]bool) bool {
	if seen[target] {
		return false
	}
	seen[target] = true
	for s := target; s != nil && s != domain; s = s.Parent {
		if len(c.plan.fresh[s]) > 0 && old.Inside(s) {
			return true
		}
	}
	if target.Require == nil {
		return false
	}
	to := target.Require.Target
	return c.remembers(to.Leaf(), old, ir.Domain(target, to), seen)
}

func (c *corePrinter) entryName(k entry) string {
	name := "enter"
	switch {
	case k.domain == nil:
		name += "First"
	case k.domain.Depth > 0:
		name += "Within" + strconv.Itoa(k.domain.Depth)
	}
	name += pathName(k.leaf.Path)
	if k.from != nil {
		name += "From" + pathName(k.from.Path)
	}
	return unique(c.methods, name)
}

// path is the states from below outer down to s; outer is nil for none.
func path(outer, s *ir.State) []*ir.State {
	var out []*ir.State
	for ; s != nil && s != outer; s = s.Parent {
		out = append([]*ir.State{s}, out...)
	}
	return out
}

// printEntry writes the text for k: entry blocks of the composites, the require,
// the leaf's own block, and the state.
func (c *corePrinter) printEntry(k entry, f *entryFunc) {
	x := &exprs{c: c}
	var b strings.Builder
	way := path(k.domain, k.leaf)
	for _, s := range way[:len(way)-1] {
		b.WriteString(c.reset(s, k.from))
		b.WriteString(x.block(s.Entry))
	}
	if k.leaf.Require != nil {
		c.printRequire(&b, x, k)
	}
	b.WriteString(c.reset(k.leaf, k.from))
	b.WriteString(x.block(k.leaf.Entry))
	var returned []*ir.Var
	for _, ref := range k.leaf.Returns {
		returned = append(returned, ref.Var)
	}
	for _, v := range ir.Declared(returned) {
		if set := c.m.stored(v).set(); set != "" {
			x.fails = true
			fmt.Fprintf(&b, "if !%s {\nt.fail(%s)\n}\n", set, quote(unset(v)))
		}
	}
	fmt.Fprintf(&b, "s.State = %s\n", c.stateConst(k.leaf))
	f.fails = f.fails || x.fails
	if k.leaf.Require == nil && strings.Count(b.String(), "\n") <= shortEntry && !strings.Contains(b.String(), "t.publish(") {
		f.text = b.String()
		return
	}
	if f.name == "" {
		f.name = c.entryName(k)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "// %s enters %s%s.\n", f.name, k.leaf.Path, entryNote(k))
	fmt.Fprintf(&out, "func (t *%sStepper) %s(s *%sCore) {\n%s}\n\n", c.m.Name, f.name, c.m.Name, b.String())
	c.entryTexts[k.leaf] = append(c.entryTexts[k.leaf], out.String())
}

func entryNote(k entry) string {
	switch {
	case k.domain == nil:
		return " where the run starts"
	case k.domain.Path != "":
		return " from inside " + k.domain.Path
	}
	return ""
}

// reset lets the counters begin again that hang on s, unless the leaf that is left
// lies inside it.
func (c *corePrinter) reset(s, from *ir.State) string {
	if from != nil && from.Inside(s) {
		return ""
	}
	var b strings.Builder
	for _, a := range c.plan.fresh[s] {
		fmt.Fprintf(&b, "s.Used.%s = 0\n", c.plan.Counters[a])
	}
	return b.String()
}

// printRequire writes the way round a leaf whose require is false: the
// composites that have been entered are left again as far as the other target
// asks.
func (c *corePrinter) printRequire(b *strings.Builder, x *exprs, k entry) {
	r := k.leaf.Require
	domain := ir.Domain(k.leaf, r.Target)
	fmt.Fprintf(b, "// %s\n", oneLine("require "+ir.ExprText(r.Cond)+" else -> "+r.Target.Path))
	fmt.Fprintf(b, "if %s {\n", x.not(r.Cond, 0))
	b.WriteString("if t.goesRound() {\nreturn\n}\n")
	for s := k.leaf.Parent; s != domain; s = s.Parent {
		b.WriteString(x.block(s.Exit))
	}
	call, _ := c.enter(k.from, r.Target, domain)
	b.WriteString(call + "return\n}\n")
	c.redirects = true
}
