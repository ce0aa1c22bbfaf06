package replay

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/stop"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// book is what the text of a machine says, looked up once: a witness may have a
// hundred thousand rows, a machine thousands of witnesses, and most of them ask the same.
type book struct {
	m         *ir.Machine
	x         *machine.Machine // m, with a guard for each text of a call
	asks      []string         // by guard: that text
	choices   map[place][]ir.Choice
	reads     map[place]map[string]bool
	cases     map[*ir.State][]ir.Case
	constants map[*ir.Type][]machine.Value
	alike     map[*ir.Var]int64  // see lengths
	asked     []int64            // see lengthsAsked
	copied    bool               // an effect reads a length
	element   map[string]reading // see elementReads
	calls     bool               // the machine calls others
	needed    map[holder][]part  // see needs
	steering  map[*ir.Var]bool   // see steers
	made      map[holder][]machine.Value
	compared  map[*ir.Var][]machine.Value // see comparedWith

	// Of the witness at hand.
	lap     map[*ir.State]bool // the states in its loop
	decides []*ir.Var          // see deciding
	lasts   []int64            // see Stage.Witness
	until   *stop.Stop
}

// open makes b the book of w.
func (b *book) open(w *witness.Witness, lasts []int64, until *stop.Stop) {
	b.lasts, b.until, b.decides, b.lap = lasts, until, nil, map[*ir.State]bool{}
	for i := w.Loop; i >= 0 && i < len(w.Path); i++ {
		b.lap[w.Path[i].State] = true
	}
}

// place is an input in a leaf.
type place struct {
	leaf *ir.State
	ir.Case
}

func newBook(m *ir.Machine) (*book, error) {
	definition, asks := table.CompileCalls(m)
	sound(definition)
	x, err := machine.Compile(definition)
	if err != nil {
		return nil, err
	}
	b := &book{
		m: m, x: x, asks: asks, choices: map[place][]ir.Choice{}, reads: map[place]map[string]bool{}, cases: map[*ir.State][]ir.Case{},
		constants: map[*ir.Type][]machine.Value{}, made: map[holder][]machine.Value{}, compared: map[*ir.Var][]machine.Value{},
	}
	b.lengthsAsked()
	b.calls = slices.ContainsFunc(m.Activities, func(a *ir.Activity) bool { return a.Machine != nil })
	return b, nil
}

// lookUp is what memo holds of k, or what ask says of it.
func lookUp[K comparable, V any](memo map[K]V, k K, ask func() V) V {
	v, known := memo[k]
	if !known {
		v = ask()
		memo[k] = v
	}
	return v
}

func (b *book) choicesOf(leaf *ir.State, c ir.Case) []ir.Choice {
	return lookUp(b.choices, place{leaf, c}, func() []ir.Choice { return b.m.Choices(leaf, c) })
}

func (b *book) casesOf(leaf *ir.State) []ir.Case {
	return lookUp(b.cases, leaf, func() []ir.Case { return b.m.Cases(leaf) })
}

// readOf are the names of the fields of c that some expression of its arms in
// leaf reads.
func (b *book) readOf(leaf *ir.State, c ir.Case) map[string]bool {
	return lookUp(b.reads, place{leaf, c}, func() map[string]bool {
		read := map[string]bool{}
		for _, choice := range b.choicesOf(leaf, c) {
			if choice.Arm != nil {
				for whole := range choice.Arm.Exprs() {
					for _, ref := range ir.Sent(whole) {
						read[ref.Name] = true
					}
				}
			}
		}
		return read
	})
}

// askedOf are the names of the fields of c that some guard in leaf reads.
func (b *book) askedOf(leaf *ir.State, c ir.Case) map[string]bool {
	asked := map[string]bool{}
	for _, choice := range b.choicesOf(leaf, c) {
		if choice.Arm != nil {
			for _, ref := range ir.Sent(choice.Arm.When) {
				asked[ref.Name] = true
			}
		}
	}
	return asked
}

// constantsOf are the constants of type t in the machine, each once. No more of
// them are of use than are tried.
func (b *book) constantsOf(t *ir.Type) []machine.Value {
	return lookUp(b.constants, t, func() []machine.Value {
		var out []machine.Value
		seen := map[string]bool{}
		fitting := 0
		put := func(v machine.Value) {
			if fitting < maxChoices && !seen[key(v)] {
				seen[key(v)] = true
				out = append(out, v)
				if fits(t, v) {
					fitting++
				}
			}
		}
		add := func(c *ir.Const) { put(constant(t, c)) }
		for whole := range b.m.Exprs() {
			ir.Walk(whole, func(e ir.Expr) bool {
				c := ir.Value(e)
				if c != nil && e.Type().Same(t) && t.Kind != ir.List {
					add(c)
				}
				return c == nil
			})
		}
		for _, list := range [][]*ir.Var{b.m.Params, b.m.Fields} {
			for _, v := range list {
				if v.Default != nil && v.Type.Same(t) && t.Kind != ir.List {
					add(v.Default)
				}
			}
		}
		if t.Kind == ir.String || t.Kind == ir.List {
			items := int64(0)
			for _, n := range b.lengthsAsked() {
				if items += n; items > maxItems {
					break
				}
				put(ofLength(t, n))
			}
		}
		out = append(out, b.narrowed(t)...)
		if t.Kind == ir.JSON {
			out = append(out, b.documents()...)
		}
		if t.Kind == ir.Duration {
			for _, n := range b.waits() {
				add(&ir.Const{Kind: ir.Duration, Int: n})
			}
		}
		return out
	})
}

// steers reports whether a run does more with v than to hand it to activities: how it goes on may
// hang on the value.
func (b *book) steers(v *ir.Var) bool {
	if b.steering == nil {
		b.steering = map[*ir.Var]bool{}
		handed := map[ir.Expr]bool{}
		for _, d := range b.m.Dos {
			for _, arg := range d.Args {
				_, handed[arg] = arg.(*ir.VarRef)
			}
			if d.Fan != nil {
				b.steering[d.Fan.List] = true
			}
		}
		for e := range b.m.Exprs() {
			for _, v := range ir.Vars(e) {
				b.steering[v] = b.steering[v] || !handed[e]
			}
		}
		for _, t := range b.m.Timers {
			b.steering[t.Var] = true
		}
	}
	return b.steering[v]
}

// waits are the durations that stand in no expression.
func (b *book) waits() []int64 {
	var out []int64
	for _, t := range b.m.Timers {
		if t.Var == nil {
			out = append(out, t.Delay)
		}
	}
	for _, a := range b.m.Arms {
		if a.Backoff != nil && a.Backoff.By == nil {
			out = append(out, a.Backoff.First, a.Backoff.Last)
		}
	}
	return out
}
