package replay

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// maxChoices is the most payloads that are tried of one input, and the most sets
// of parameters.
const maxChoices = 512

// paramChoices are the parameters to try: those that the witness names as they
// are, and for the rest what the machine compares them with.
func (p *player) paramChoices() [][]value {
	var lists [][]value
	for _, v := range p.m.Params {
		given, err := value{}, error(nil)
		if x, said := p.w.Params[v.Name]; said {
			given, err = parse(v.Type, x)
		}
		if given.set && err == nil {
			lists = append(lists, []value{given})
		} else {
			lists = append(lists, candidates(v.Type, append(p.instants(v.Type), constantsOf(p.m, v.Type)...)))
		}
	}
	return product(lists)
}

// payloads are the payloads to try for in: the values that the row names, and
// for the fields that the leaf reads of it what may make a difference: constants
// of the machine and what its other data holds.
func (p *player) payloads(r *run, in *input, i int) []map[string]value {
	if in.silent != nil || in.Kind != ir.CaseEvent && in.Kind != ir.CaseResult {
		return []map[string]value{nil}
	}
	if in.kept {
		return []map[string]value{r.kept[r.looked].data}
	}
	said := maps.Clone(p.w.Path[i].Data)
	for _, later := range p.w.Path[i+1:] { // what is deferred comes with its data later
		if strings.HasPrefix(later.Input, in.Event.Name+" (deferred") && said == nil {
			said = later.Data
		}
	}
	read := p.readOf(r, in)
	var lists [][]value
	for _, f := range in.Event.Fields {
		given := value{}
		if x, ok := said[f.Name]; ok {
			given, _ = parse(f.Type, x)
		}
		switch {
		case given.set:
			lists = append(lists, []value{given})
		case read[f.Name]:
			given := append(r.alike(f.Type), p.instants(f.Type)...)
			lists = append(lists, candidates(f.Type, append(given, constantsOf(p.m, f.Type)...)))
		default:
			lists = append(lists, []value{plain(f.Type)})
		}
	}
	var out []map[string]value
	for _, values := range product(lists) {
		data := map[string]value{}
		for k, f := range in.Event.Fields {
			data[f.Name] = values[k]
		}
		out = append(out, data)
	}
	return out
}

// readOf are the names of the fields of in that some expression of its arms
// reads.
func (p *player) readOf(r *run, in *input) map[string]bool {
	read := map[string]bool{}
	note := func(e ir.Expr) {
		ir.Walk(e, func(e ir.Expr) bool {
			if ref, ok := e.(*ir.FieldRef); ok {
				read[ref.Name] = true
			}
			return true
		})
	}
	for _, c := range p.m.Choices(r.leaf, in.Case) {
		if c.Arm == nil {
			continue
		}
		note(c.Arm.When)
		if c.Arm.Backoff != nil {
			note(c.Arm.Backoff.By)
		}
		if c.Arm.Block != nil {
			for _, a := range c.Arm.Block.Assigns {
				note(a.Value)
			}
			for _, e := range c.Arm.Block.Publishes {
				for _, v := range e.Values {
					note(v)
				}
			}
		}
	}
	return read
}

// alike are the values of type t that the run holds.
func (r *run) alike(t *ir.Type) []value {
	var out []value
	for _, list := range [][]*ir.Var{r.m.Params, r.m.Fields} {
		for _, v := range list {
			if held := r.value(v); held.set && v.Type.Same(t) {
				out = append(out, held)
			}
		}
	}
	return out
}

// constantsOf are the constants of type t in the machine.
func constantsOf(m *ir.Machine, t *ir.Type) []value {
	var out []value
	note := func(e ir.Expr) {
		ir.Walk(e, func(e ir.Expr) bool {
			if lit, ok := e.(*ir.Lit); ok && lit.T.Same(t) && t.Kind != ir.List {
				out = append(out, constant(lit.Value))
			}
			return true
		})
	}
	for _, a := range m.Arms {
		note(a.When)
	}
	for _, s := range m.States {
		if s.Require != nil {
			note(s.Require.Cond)
		}
	}
	return out
}

// instants are the times at which the rows of the witness say that a deadline
// comes: the earliest, as they count it as due at once. None where t is not time.
func (p *player) instants(t *ir.Type) []value {
	if t.Kind != ir.Time {
		return nil
	}
	var out []value
	for _, row := range p.w.Path {
		name, isTimer := strings.CutPrefix(row.Input, "after ")
		if !isTimer || !slices.ContainsFunc(p.m.Timers, func(t *ir.Timer) bool {
			return t.Var != nil && t.Var.Type.Kind == ir.Time && t.DelayText() == name
		}) {
			continue
		}
		at, err := time.ParseDuration(row.At)
		if err == nil && at >= 0 && at < forLong {
			out = append(out, number(epoch+int64(at.Truncate(time.Microsecond))))
		}
	}
	return out
}

// candidates are values that fit t, each once: a plain one, of times one that no
// run lasts until, those given and for numbers their neighbours, and another than
// all of them.
func candidates(t *ir.Type, given []value) []value {
	var out []value
	seen := map[string]bool{}
	add := func(v value) {
		if v.fits(t) && !seen[v.key()] {
			seen[v.key()] = true
			out = append(out, v)
		}
	}
	add(plain(t))
	if t.Kind == ir.Time {
		add(number(epoch + int64(forLong)))
	}
	given = append(given, plain(t))
	for _, v := range given {
		add(v)
	}
	switch t.Kind {
	case ir.Bool:
		add(truth(false))
		add(truth(true))
	case ir.EnumKind:
		for i, name := range t.Enum.Values {
			add(value{set: true, n: int64(i), s: name})
		}
	case ir.Int, ir.Duration, ir.Time:
		step := int64(1)
		if t.Kind == ir.Time {
			step = int64(time.Microsecond)
		}
		for _, v := range given {
			add(number(v.n - step))
			add(number(v.n + step))
		}
		if t.Range != nil {
			add(number(t.Range.Lo))
			add(number(t.Range.Hi))
		}
	case ir.Float:
		for _, v := range given {
			add(value{set: true, f: v.f - 1})
			add(value{set: true, f: v.f + 1})
		}
	case ir.String:
		add(value{set: true, s: "other"})
	case ir.List:
		add(value{set: true, list: []value{plain(t.Elem)}})
	}
	return out
}

// product is every combination of one value from each list, the first ones
// first, up to maxChoices.
func product(lists [][]value) [][]value {
	out := [][]value{nil}
	for _, list := range lists {
		var longer [][]value
		for _, row := range out {
			for _, v := range list {
				if len(longer) < maxChoices {
					longer = append(longer, append(row[:len(row):len(row)], v))
				}
			}
		}
		out = longer
	}
	return out
}

// show notes in row the payload that in had: what had to be chosen beside what the
// row said, and the plain values of the rest.
func (p *player) show(row *diag.Step, in *input, data map[string]value) {
	if in.silent != nil || in.kept || in.Kind != ir.CaseEvent && in.Kind != ir.CaseResult {
		return
	}
	said := row.Data
	row.Data, row.Rest = maps.Clone(said), nil
	for _, f := range in.Event.Fields {
		if _, known := said[f.Name]; !known {
			fillIn(&row.Data, &row.Rest, f.Name, data[f.Name], f.Type)
		}
	}
}

// fillIn adds v to chosen, or where it is the plain value of t to rest.
func fillIn(chosen, rest *map[string]any, name string, v value, t *ir.Type) {
	to := chosen
	if v.key() == plain(t).key() {
		to = rest
	}
	if *to == nil {
		*to = map[string]any{}
	}
	(*to)[name] = v.form(t)
}
