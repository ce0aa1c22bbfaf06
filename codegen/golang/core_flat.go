package golang

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// flatLimit is how many bytes of text Take may have in one function, some 400
// lines; past it each leaf has a function of its own, which costs a call.
const flatLimit = 16 << 10

// flat writes Take and Start: which arm an input takes, and what it does to the
// state, the data and the counters. Everything stands in one function, with the
// state outermost.
func (c *corePrinter) flat() string {
	start, startFails := c.enter(nil, c.m.src.Root, nil)
	var cases, apart strings.Builder
	texts, size := map[*ir.State]string{}, 0
	for _, s := range c.m.src.States {
		if s.Kind == ir.Leaf {
			texts[s] = c.leaf(s)
			size += len(texts[s])
		}
	}
	for _, s := range c.m.src.States {
		text := texts[s]
		if text == "" {
			continue
		}
		if size > flatLimit {
			name := unique(c.methods, "in"+pathName(s.Path))
			apart.WriteString("\n// " + name + " is Take for a run in " + s.Path + ".\n" +
				"func (t *@MStepper) " + name + "(s *@MCore, in *@MStepInput) (@MArm, error) {\n" +
				text + nothing + "}\n")
			text = "return t." + name + "(s, in)\n"
		}
		cases.WriteString("case " + c.stateConst(s) + ":\n" + text)
	}
	dispatch := when(cases.Len() > 0, "switch s.State {\n"+cases.String()+"}\n")
	c.fallible, c.saved = c.fallible || startFails, c.saved || startFails
	prologue, now := c.prologue()
	return c.named(`// Take gives an input to the machine as it stands: the first arm is taken whose
// guard holds and whose bound is not used up. It changes s and nothing else; no
// activity or timer is behind s, so that every input counts as come in time.
// What is published is added to Messages, which the caller empties. Where no arm
// takes the input, or it cannot be computed, s is as it was, and the error is a
// *@MStepRefused, valid until the next call. Whether strings are short enough and valid
// UTF-8 is not looked at. The time is what effects mean by now.
func (t *@MStepper) Take(s *@MCore, in *@MStepInput, `+now+` time.Time) (@MArm, error) {
`+prologue+dispatch+nothing+`}

// Start enters the state in which a machine begins, as Take takes an input.
func (t *@MStepper) Start(s *@MCore, `+now+` time.Time) error {
`+prologue+c.begin(start, startFails)+`}
`) + c.named(apart.String()) + "\n"
}

// nothing ends a function that has found no arm for an input.
const nothing = "return 0, t.refuse(s, in, \"no arm takes it there\")\n"

// prologue makes ready what the text of Take relies on, and names the time
// where that is read.
func (c *corePrinter) prologue() (text, now string) {
	now = "_"
	if c.m.src.OwnVar(ir.RunStarted) != nil || c.readsNow() {
		now = "now"
	}
	text = when(c.readsNow(), "t.now = now.UTC().Truncate(time.Microsecond)\n") +
		when(c.fallible, "t.why = \"\"\n") + when(c.redirects, "t.turns = 0\n")
	for _, g := range c.m.src.Guards {
		if c.asks(g) {
			name := exported(g.Name)
			text += "t.asked" + name + " = t.asked" + name + "[:0]\n"
		}
	}
	return text, now
}

// begin is the body of Start.
func (c *corePrinter) begin(start string, fails bool) string {
	cut := ""
	for _, f := range c.m.Params.Fields {
		cut += c.m.whereSet(f.typ, "s.Params."+f.Name, f.Optional, "", func(l ir.RecordLeaf, v, _ string) string {
			return when(l.Type.Kind == ir.Time, v+" = "+v+".UTC().Truncate(time.Microsecond)\n")
		})
	}
	return when(c.misfits(c.m.Params) != "", `if why := s.Params.misfit(); why != "" {
	return t.refuse(s, &@MStepInput{Kind: @MInputStart}, why)
}
`) +
		when(fails, "t.save(s)\n") + cut +
		when(c.m.src.OwnVar(ir.RunStarted) != nil, "s.Started = now.UTC().Truncate(time.Microsecond)\n") + start +
		when(fails, `if t.why != "" {
	return t.undo(s, &@MStepInput{Kind: @MInputStart})
}
`) +
		"return nil\n"
}

// readsNow reports whether an effect or a guard says `now`.
func (c *corePrinter) readsNow() bool {
	return c.anyExpr(func(e ir.Expr) bool { _, is := e.(*ir.Now); return is })
}
