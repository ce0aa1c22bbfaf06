package breaking

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// FillIn stands in a Map where a person has to say what is meant: fsmc migrate refuses a mapping with it.
const FillIn = "?"

// Map begins the mapping with which fsmc migrate moves runs of one machine to another.
type Map struct {
	States map[string]string `json:"states"`
	Fields map[string]string `json:"fields"`
	Set    map[string]string `json:"set"`
}

// MapOf says what has become of the names of old in new, as far as that is certain. An old
// machine may be followed by others of which runs are unfinished, too.
func MapOf(new *ir.Machine, old ...*ir.Machine) *Map {
	m := &Map{States: map[string]string{}, Fields: map[string]string{}, Set: map[string]string{}}
	for _, was := range old {
		m.states(&pair{old: was, new: new, states: renamed(was, new)})
		m.fields(was, new)
		m.params(was, new)
	}
	return m
}

// Open are the places that a person has to fill in, such as `states.Held`.
func (m *Map) Open() (places []string) {
	for _, part := range []struct {
		name string
		of   map[string]string
	}{{"states.", m.States}, {"fields.", m.Fields}, {"set.", m.Set}} {
		for name, to := range part.of {
			if to == FillIn {
				places = append(places, part.name+name)
			}
		}
	}
	slices.Sort(places)
	return places
}

func (m *Map) states(p *pair) {
	for _, was := range waiting(p.old) {
		is := stateOf(p.new, p.path(was.Path))
		switch {
		case is == nil || is.Kind != ir.Leaf:
			m.States[was.Path] = FillIn
		case is.Path != was.Path:
			m.States[was.Path] = is.Path
		}
	}
}

func (m *Map) fields(old, new *ir.Machine) {
	for _, c := range compareSlots(slotsOfVars(old.Fields), slotsOfVars(new.Fields)) {
		switch {
		case c.new == nil:
			m.Fields[c.old.Name] = FillIn
		case c.retyped, c.old == nil && readUnset(new, c.new.Name):
			m.Set[c.new.Name] = FillIn
		}
	}
}

func (m *Map) params(old, new *ir.Machine) {
	for _, c := range compareSlots(slotsOfVars(old.Params), slotsOfVars(new.Params)) {
		if c.new != nil && (c.retyped || !c.new.Optional && (c.old == nil || c.old.Optional)) { // else many runs have a value that fits
			m.Set[c.new.Name] = FillIn
		}
	}
}
