package replay

import (
	"maps"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// maxChoices is the most payloads that are tried of one input, and the most sets
// of parameters.
const maxChoices = 512

// paramChoices are the parameters to try: those that the witness names as they
// are, and for the rest what the machine compares them with.
func (p *player) paramChoices() [][]machine.Value {
	var lists [][]machine.Value
	spots := spotsOf(ir.Slots(p.m.Inputs()))
	for i, v := range p.m.Inputs() {
		if v.Own && v.Type.Kind == ir.Time {
			lists = append(lists, []machine.Value{machine.TimeValue(epoch)})
			continue
		}
		x, said := p.w.Params[v.Name]
		given, err := parseSaid(v.Type, x)
		if isAbsent(p.w.Params, &v.Slot) {
			lists = append(lists, []machine.Value{machine.Unset})
		} else if given.IsSet() && err == nil {
			lists = append(lists, p.listsOf(v.Type, given))
		} else {
			tried := p.listsOf(v.Type, candidates(v.Type, append(p.instants(v.Type), p.book.valuesOf(v.Type, holder{v: v})...))...)
			if v.Own { // a run has an id
				tried = slices.DeleteFunc(tried, func(id machine.Value) bool { return id.Text() == "" })
			}
			if !p.book.steers(v) {
				tried = tried[:min(1, len(tried))]
			}
			switch {
			case inGroup(&v.Slot):
				tried = spots.shared(p.w.Params, i, true, tried)
			case v.Optional:
				tried = maybe(v.Type, tried, !said)
			}
			lists = append(lists, tried)
		}
	}
	rows := combinations(lists)
	for i := range rows {
		rows[i] = spots.made(rows[i])
	}
	return rows
}

// maybe are those of tried, values of type t, that what may be absent can have, and absent
// itself where that may be tried. It cannot be null, which is absent.
func maybe(t *ir.Type, tried []machine.Value, absent bool) []machine.Value {
	if t.Kind == ir.JSON {
		tried = slices.DeleteFunc(tried, func(v machine.Value) bool { return v.Text() == "null" })
		tried = append(tried, machine.JSONValue("{}"))
	}
	if absent {
		tried = append(tried, machine.Unset)
	}
	return tried
}

// payloads are the payloads to try for in: the values that the row names, and
// for the fields that the leaf reads of it what may make a difference: constants
// of the machine and what its other data holds.
func (p *player) payloads(r *run, in *input, i int) payloads {
	if in.silent != nil || in.Kind != ir.CaseEvent && in.Kind != ir.CaseResult {
		return payloads{count: 1}
	}
	if in.deferred {
		return payloads{fixed: r.carriedBy(r.pending()), count: 1}
	}
	said := p.w.Path[i].Data
	if said == nil {
		said = p.saidLater(in.Event, i)
	}
	read := p.book.readOf(r.leaf, in.Case)
	out := payloads{spots: spotsOf(ir.Slots(in.Event.Fields)), fixed: map[string]machine.Value{}}
	for i, f := range in.Event.Fields {
		x, isSaid := said[f.Name]
		given, _ := parseSaid(f.Type, x)
		tried := []machine.Value{plain(f.Type)}
		if !given.IsSet() && (read[f.Name] || isSaid && !inGroup(&f.Slot)) {
			near := append(r.alike(f.Type), p.instants(f.Type)...)
			tried = p.listsOf(f.Type, candidates(f.Type, append(near, p.book.valuesOf(f.Type, holder{event: in.Event, field: f.Name})...))...)
		}
		switch {
		case isAbsent(said, &f.Slot), f.Optional && !inGroup(&f.Slot) && !isSaid && !read[f.Name]:
			tried = []machine.Value{machine.Unset}
		case given.IsSet() && f.Type.Kind == ir.List && p.book.copied: // of the number that is made of its length the row knows nothing
			tried = p.listsOf(f.Type, append([]machine.Value{given}, fitting(f.Type, p.book.constantsOf(f.Type))...)...)
		case given.IsSet():
			tried = p.listsOf(f.Type, append(p.book.narrowed(f.Type), given)...)
		case inGroup(&f.Slot):
			tried = out.spots.shared(said, i, out.spots.anyWithin(f.Within.Group(), read), tried)
		case f.Optional:
			tried = maybe(f.Type, tried, !isSaid)
		}
		out.values = append(out.values, tried)
	}
	return out.counted(func(i int) []machine.Value {
		f := in.Event.Fields[i]
		if given, _ := parseSaid(f.Type, said[f.Name]); given.IsSet() || !read[f.Name] {
			return nil
		}
		return p.beside(r, in.Case, f.Name, f.Type)
	})
}

// carriedBy is the data of a deferred event by the names of its fields.
func (r *run) carriedBy(k *machine.Kept) map[string]machine.Value {
	data := map[string]machine.Value{}
	for i, f := range r.book.m.Events[k.Event].Fields {
		data[f.Name] = k.Data[i]
	}
	return data
}

// saidLater is what a row behind i says of event, which is deferred there: then
// it comes with its data later.
func (p *player) saidLater(event *ir.Event, i int) map[string]any {
	if p.deferred == nil {
		p.deferred = map[*ir.Event][]int{}
		for k, row := range p.w.Path {
			if e := row.Input.Event; row.Input.Deferred() && row.Data != nil {
				p.deferred[e] = append(p.deferred[e], k)
			}
		}
	}
	rows := p.deferred[event]
	if k, _ := slices.BinarySearch(rows, i+1); k < len(rows) {
		return p.w.Path[rows[k]].Data
	}
	return nil
}

// alike are the values of type t that the run holds.
func (r *run) alike(t *ir.Type) []machine.Value {
	var out []machine.Value
	for _, list := range [][]*ir.Var{r.book.m.Inputs(), r.book.m.Fields} {
		for _, v := range list {
			if held := r.value(v); held.IsSet() && v.Type.Same(t) {
				out = append(out, held)
			}
		}
	}
	return out
}

// maxWaits is how many rows back a timer may have started, for its wait to be tried.
const maxWaits = 8

// waits are how long timers that read data may have waited before the rows in which
// they fire.
func (p *player) waits() []machine.Value {
	if p.waited != nil {
		return p.waited
	}
	p.waited = []machine.Value{}
	for i, at := range p.times {
		if t := p.w.Path[i].Input.Fires(); t == nil || t.Var == nil {
			continue
		}
		for k := i - 1; k >= max(-1, i-maxWaits) && len(p.waited) < maxChoices; k-- {
			began := int64(0)
			if k >= 0 {
				began = p.times[k]
			}
			p.waited = append(p.waited, machine.DurationValue(time.Duration(at-began)))
		}
	}
	return p.waited
}

// instants are the times at which the rows of the witness say that a deadline
// comes: the earliest, as they count it as due at once; and the durations that timers
// may have waited. None where t is neither.
func (p *player) instants(t *ir.Type) []machine.Value {
	if t.Kind == ir.Duration {
		return p.waits()
	}
	if t.Kind != ir.Time {
		return nil
	}
	if p.dueAt != nil {
		return p.dueAt
	}
	out := []machine.Value{}
	for _, row := range p.w.Path {
		if len(out) == maxChoices {
			break
		}
		timer := row.Input.Fires()
		if timer == nil || timer.Var == nil || timer.Var.Type.Kind != ir.Time {
			continue
		}
		if row.At >= 0 && row.At < forLong {
			out = append(out, machine.TimeValue(epoch.Add(row.At)))
		}
	}
	p.dueAt = out
	return out
}

// candidates are values that fit t, each once: a plain one, of times and durations one
// longer than a run lasts, those given and for numbers their neighbours, and another than
// all of them.
func candidates(t *ir.Type, given []machine.Value) []machine.Value {
	var out []machine.Value
	seen := map[string]bool{}
	add := func(v machine.Value) {
		if fits(t, v) && !seen[key(v)] {
			seen[key(v)] = true
			out = append(out, v)
		}
	}
	add(plain(t))
	switch t.Kind {
	case ir.Time:
		add(machine.TimeValue(epoch.Add(forLong)))
	case ir.Duration:
		add(machine.DurationValue(forLong))
	}
	given = append(given, plain(t))
	for _, v := range given {
		add(v)
	}
	switch t.Kind {
	case ir.Bool:
		add(machine.BoolValue(false))
		add(machine.BoolValue(true))
	case ir.EnumKind:
		for _, name := range t.Enum.Values {
			add(machine.EnumValue(name))
		}
	case ir.Int, ir.Duration, ir.Time:
		step := int64(1)
		if t.Kind == ir.Time {
			step = int64(time.Microsecond)
		}
		for _, v := range given {
			add(number(t, content(t, v)-step))
			add(number(t, content(t, v)+step))
		}
		if t.Range != nil {
			add(number(t, t.Range.Lo))
			add(number(t, t.Range.Hi))
		}
	case ir.Float:
		for _, v := range given {
			add(machine.FloatValue(v.Float() - 1))
			add(machine.FloatValue(v.Float() + 1))
		}
	case ir.String:
		add(machine.StringValue("other"))
	case ir.List:
		add(ofLength(t, min(t.LeastLen(), longest)+1))
		if t.Len != nil && t.Len.Hi <= longest {
			add(ofLength(t, t.Len.Hi))
		}
	}
	return out
}

// fitting are those of given that fit t.
func fitting(t *ir.Type, given []machine.Value) []machine.Value {
	return slices.DeleteFunc(slices.Clone(given), func(v machine.Value) bool { return !fits(t, v) })
}

// combinations are all rows of one value from each list, the first ones
// first, up to maxChoices.
func combinations(lists [][]machine.Value) [][]machine.Value {
	out := [][]machine.Value{nil}
	for _, list := range lists {
		var longer [][]machine.Value
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
// row said and what a guard asks for, and the plain values of the rest.
func (p *player) show(row *witness.Row, in *input, data map[string]machine.Value) {
	if in.silent != nil || in.deferred || in.Kind != ir.CaseEvent && in.Kind != ir.CaseResult {
		return
	}
	said := row.Data
	row.Data, row.Rest = maps.Clone(said), nil
	read, asked := p.book.readOf(row.State, in.Case), p.book.askedOf(row.State, in.Case)
	spots := spotsOf(ir.Slots(in.Event.Fields))
	var values []machine.Value
	for _, f := range in.Event.Fields {
		values = append(values, data[f.Name])
	}
	for _, f := range in.Event.Fields {
		x, known := said[f.Name]
		switch group := spots.shownGroup(&f.Slot, values); {
		case group != "":
			if spots.anyWithin(group, read) {
				row.Data = noted(row.Data, group, nil)
			}
			continue
		case inGroup(&f.Slot) && row.Data[f.Within.Group()] == witness.Present:
			delete(row.Data, f.Within.Group())
			row.Data[f.Name] = form(f.Type, data[f.Name])
			continue
		}
		if !known {
			switch {
			case asked[f.Name]:
				row.Data = noted(row.Data, f.Name, form(f.Type, data[f.Name]))
			case data[f.Name].IsSet() || read[f.Name]:
				fillIn(&row.Data, &row.Rest, f.Name, data[f.Name], f.Type)
			}
		} else if given, err := parseSaid(f.Type, x); err != nil || key(given) != key(data[f.Name]) {
			row.Data[f.Name] = form(f.Type, data[f.Name])
		}
	}
}

// fillIn adds v to chosen, or where it is the plain value of t to rest.
func fillIn(chosen, rest *map[string]any, name string, v machine.Value, t *ir.Type) {
	to := chosen
	if key(v) == key(plain(t)) || t.Kind == ir.JSON && v.Text() == "{}" {
		to = rest
	}
	*to = noted(*to, name, form(t, v))
}

// noted is said, which may be nil, with x under name.
func noted(said map[string]any, name string, x any) map[string]any {
	if said == nil {
		said = map[string]any{}
	}
	said[name] = x
	return said
}
