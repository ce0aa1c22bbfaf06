package resolve

import (
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// builtinCategories are declared by the language, in this order.
var builtinCategories = []string{ir.Unknown, ir.Timeout, ir.Silent, ir.Stalled}

// declareCategories declares the categories of failure: those of every
// `failures`, then the built-in ones.
func (r *resolver) declareCategories() {
	for src := range ast.Of[*ast.Failures](r.src.Items) {
		for _, name := range src.Names {
			if name != nil && isBuiltIn(name.Text) {
				r.forbidden(name, "category", "every machine has it already")
				continue
			}
			c := &ir.Category{Name: textOf(name), Index: len(r.m.Categories)}
			if claim(r, r.categories, name, c) {
				c.Span = name.Span()
				r.m.Categories = append(r.m.Categories, c)
			}
		}
	}
	for _, name := range builtinCategories {
		c := &ir.Category{Name: name, BuiltIn: true, Index: len(r.m.Categories)}
		r.categories.keep(name, c)
		r.m.Categories = append(r.m.Categories, c)
	}
}

func isBuiltIn(category string) bool {
	return slices.ContainsFunc(builtinCategories, func(name string) bool { return ir.Exported(name) == ir.Exported(category) })
}

// declareActivities declares the activities, and what they raise.
func (r *resolver) declareActivities() {
	for src := range ast.Of[*ast.Activity](r.src.Items) {
		a := &ir.Activity{Name: textOf(src.Name), Doc: src.Doc(), Params: r.params(src.Params)}
		r.declares(src.Name, a)
		a.Results = r.results(src)
		a.Fails = r.fails(src)
		a.Costs = r.costsOf(src)
		a.Limit = r.limitOf(src)
		if !claim(r, r.callables, src.Name, false) {
			continue
		}
		r.activities.keep(a.Name, a)
		a.Index, a.Span, a.Decl = len(r.m.Activities), src.Name.Span(), src.Whole()
		r.m.Activities = append(r.m.Activities, a)
		for _, e := range a.Results {
			e.Raisers = append(e.Raisers, a)
		}
	}
}

// params resolves the parameters of an activity or a guard.
func (r *resolver) params(list []*ast.Param) []*ir.Param {
	names := newSpace[*ir.Param]("parameter")
	var out []*ir.Param
	for _, src := range list {
		p := &ir.Param{Slot: ir.Slot{Name: textOf(src.Name), Type: r.typeOf(src.Type), Optional: src.Optional}}
		if claim(r, names, src.Name, p) {
			p.Span = src.Name.Span()
			out = append(out, leavesMade(r, p, &p.Slot, func(_ int, s ir.Slot) *ir.Param { return &ir.Param{Slot: s} })...)
		}
	}
	return out
}

// results resolves the events that src may raise. For a misspelt one the
// likely one is taken: without anything that raises it, it would look like an
// event from outside.
func (r *resolver) results(src *ast.Activity) []*ir.Event {
	seen := map[*ir.Event]*ast.Name{}
	var out []*ir.Event
	for _, name := range src.Results {
		e, exact, ok := guess(r, r.events, name)
		if !ok || !exact && seen[e] != nil {
			continue
		}
		if first := seen[e]; first != nil {
			r.listedTwice("event", name, first)
			continue
		}
		seen[e] = name
		out = append(out, e)
	}
	return out
}

// noFailure stands behind `fails` for no declared category, where none has that name.
const noFailure = "none"

// fails resolves the declared categories with which src may fail: all, unless
// it says which.
func (r *resolver) fails(src *ast.Activity) []*ir.Category {
	declared := slices.Clip(r.m.Categories[:len(r.m.Categories)-len(builtinCategories)])
	if len(src.Fails) == 0 {
		return declared
	}
	seen := map[*ir.Category]*ast.Name{}
	var out []*ir.Category
	for _, name := range src.Fails {
		if r.isNoFailure(name) {
			if len(src.Fails) > 1 {
				r.report(typeMismatch, name.Span(), "`fails none` names no other category",
					"Remove \"none\", or the categories beside it.")
			}
			continue
		}
		c, ok := r.failure(name)
		switch {
		case !ok:
			continue
		case c.BuiltIn:
			r.report(unknownName, name.Span(), "category "+quote(name.Text)+" is not declared by this machine",
				"Leave it out: it needs no `fails`. An activity that fails with no declared category `fails none`.")
			continue
		case seen[c] != nil:
			r.listedTwice("category", name, seen[c])
			continue
		}
		seen[c] = name
		out = append(out, c)
	}
	return out
}

// isNoFailure reports whether name is the word for no category: one that the machine
// declares with this name is that category.
func (r *resolver) isNoFailure(name *ast.Name) bool {
	if name == nil || name.Text != noFailure {
		return false
	}
	_, declared := r.categories.names[noFailure]
	if !declared {
		r.referWord(name)
	}
	return !declared
}

// failure is the category called name; a misspelt one may be meant for `none`.
func (r *resolver) failure(name *ast.Name) (*ir.Category, bool) {
	if !present(name) {
		return nil, false
	}
	c, ok := r.categories.names[name.Text]
	if ok {
		r.referTo(name, c)
	} else {
		words := maps.Clone(r.categories.names)
		words[noFailure] = nil
		r.unknown(r.categories.kind, name, near(r, name.Text, words))
	}
	return c, ok
}

func (r *resolver) listedTwice(kind string, name, first *ast.Name) {
	r.second(name.Span(), kind+" "+quote(name.Text)+" is listed twice", "Remove one of the two.", first.Span())
}

// costsOf resolves what one attempt of src costs.
func (r *resolver) costsOf(src *ast.Activity) []ir.Cost {
	names := newSpace[bool]("cost")
	var out []ir.Cost
	for _, c := range src.Costs {
		if c.Name != nil && (c.Name.Text == "steps" || c.Name.Text == "time") {
			r.forbidden(c.Name, "cost", "a budget counts it by itself")
			continue
		}
		amount := r.ratOf(c.Amount, nil)
		if claim(r, names, c.Name, true) {
			r.referShared(c.Name, ir.CostName, r.firstCosts)
			r.costs.keep(c.Name.Text, true)
			if amount != nil {
				out = append(out, ir.Cost{Name: c.Name.Text, Amount: amount, Span: c.Span()})
			}
		}
	}
	return out
}

// declareGuards declares the host guards. They share their name space with
// the activities.
func (r *resolver) declareGuards() {
	for src := range ast.Of[*ast.Guard](r.src.Items) {
		g := &ir.Guard{Name: textOf(src.Name), Doc: src.Doc(), Params: r.params(src.Params)}
		r.declares(src.Name, g)
		switch g.Name {
		case "len", "min", "max":
			r.forbidden(src.Name, "guard", "the language has a function of that name")
			continue
		}
		if claim(r, r.callables, src.Name, true) {
			r.guards.keep(g.Name, g)
			g.Index, g.Span, g.Decl = len(r.m.Guards), src.Name.Span(), src.Whole()
			r.m.Guards = append(r.m.Guards, g)
		}
	}
}

// resolveBudget gathers the lines of every `budget`.
func (r *resolver) resolveBudget() {
	lines := map[string]*ast.Name{}
	for src := range ast.Of[*ast.Budget](r.src.Items) {
		if r.m.Budget == nil {
			r.m.Budget = &ir.Budget{Span: src.Span()}
		}
		for _, line := range src.Lines {
			if line.Name == nil {
				continue
			}
			if first := lines[line.Name.Text]; first != nil {
				r.second(line.Name.Span(), "budget has two limits for "+quote(line.Name.Text), "Remove one of the two.", first.Span())
				continue
			}
			lines[line.Name.Text] = line.Name
			r.budgetLine(r.m.Budget, line)
		}
	}
}

func (r *resolver) budgetLine(b *ir.Budget, line *ast.BudgetLine) {
	const none = -1
	switch line.Name.Text {
	case "steps":
		r.referWord(line.Name)
		if n := r.intOf(line.Amount, none); n != none {
			b.Steps, b.StepSpan = &n, line.Span()
		}
	case "time":
		r.referWord(line.Name)
		if ns := r.durationOf(line.Amount, none); ns != none {
			b.Time, b.TimeSpan = &ns, line.Span()
		}
	default:
		_, known := find(r, r.costs, line.Name)
		if known {
			r.referShared(line.Name, ir.CostName, r.firstCosts)
		}
		if amount := r.ratOf(line.Amount, nil); known && amount != nil {
			b.Costs = append(b.Costs, ir.Cost{Name: line.Name.Text, Amount: amount, Span: line.Span()})
		}
	}
}
