package runtime

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Handlers are the functions of a program for a machine: one for each activity and for each
// guard, by their names in the machine.
type Handlers struct {
	Activities map[string]ActivityFunc
	Guards     map[string]GuardFunc
}

// HandlersOf are the functions that activity and guard give for the activities and guards of d, by
// their names. What they give nil for is missing.
func HandlersOf(d *Definition, activity func(name string) ActivityFunc, guard func(name string) GuardFunc) Handlers {
	h := Handlers{Activities: map[string]ActivityFunc{}, Guards: map[string]GuardFunc{}}
	activities, guards := declared(d)
	for _, name := range activities {
		if f := activity(name); f != nil {
			h.Activities[name] = f
		}
	}
	for _, name := range guards {
		if f := guard(name); f != nil {
			h.Guards[name] = f
		}
	}
	return h
}

// Check reports whether h has a function for each activity and guard of d, and no others.
// The error lists all that is missing or too much. Empty handlers fit every definition.
func (h Handlers) Check(d *Definition) error {
	if h.none() {
		return nil
	}
	var faults []string
	activities, guards := h.missing(d)
	for _, name := range activities {
		faults = append(faults, fmt.Sprintf("activity %q is missing", name))
	}
	for _, name := range guards {
		faults = append(faults, fmt.Sprintf("guard %q is missing", name))
	}
	activities, guards = declared(d)
	faults = append(faults, superfluous("activity", h.Activities, activities)...)
	faults = append(faults, superfluous("guard", h.Guards, guards)...)
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("the handlers do not fit machine %q: %s", d.Name, strings.Join(faults, ", "))
}

// declared are the activities and guards of d that are functions of a program: a call of a machine is none.
func declared(d *Definition) (activities, guards []string) {
	for _, a := range d.Activities {
		if a.Callee == "" {
			activities = append(activities, a.Name)
		}
	}
	for _, g := range d.Guards {
		guards = append(guards, g.Name)
	}
	return activities, guards
}

// missing are those that h does not have.
func (h Handlers) missing(d *Definition) (activities, guards []string) {
	activities, guards = declared(d)
	return slices.DeleteFunc(activities, func(name string) bool { return h.Activities[name] != nil }),
		slices.DeleteFunc(guards, func(name string) bool { return h.Guards[name] != nil })
}

func superfluous[F any](what string, given map[string]F, declared []string) (faults []string) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(declared, name) {
			faults = append(faults, fmt.Sprintf("there is no %s %q%s", what, name, machine.DidYouMean(name, declared)))
		}
	}
	return faults
}

// none reports whether h has no function.
func (h Handlers) none() bool { return len(h.Activities)+len(h.Guards) == 0 }

// Match gives the functions of h, written for the version current of a machine, that another
// version can use: those of activities and guards whose names and types are the same. Left are
// the names of activities and guards that have no function then. If a guard is left, all
// activities are left, too, because the step after any of them may need the guard.
func (h Handlers) Match(current, other *Definition) (fits Handlers, left []string) {
	activities, guards := declared(other)
	before, now := signatures(current), signatures(other)
	fits.Activities, left = fitting(h.Activities, activities, before.activities, now.activities)
	var unfit []string
	fits.Guards, unfit = fitting(h.Guards, guards, before.guards, now.guards)
	if left = append(left, unfit...); len(unfit) > 0 {
		for _, name := range activities {
			if fits.Activities[name] != nil {
				left = append(left, name)
			}
		}
		fits.Activities = nil
	}
	return fits, left
}

// fitting are the functions that are given for names whose signature is what it was before, and the names left.
func fitting[F ActivityFunc | GuardFunc](given map[string]F, names []string, before, now map[string]string) (fits map[string]F, left []string) {
	fits = map[string]F{}
	for _, name := range names {
		if given[name] == nil || before[name] != now[name] {
			left = append(left, name)
		} else {
			fits[name] = given[name]
		}
	}
	return fits, left
}

// signed are the parameters and results of activities and guards as text, by their names.
type signed struct{ activities, guards map[string]string }

func signatures(d *Definition) signed {
	s := signed{map[string]string{}, map[string]string{}}
	for _, a := range d.Activities {
		var results []string
		for _, r := range a.Results {
			results = append(results, d.Events[r].Name+fieldsText(d, d.Events[r].Fields))
		}
		slices.Sort(results)
		s.activities[a.Name] = fieldsText(d, a.Params) + " -> " + strings.Join(results, " | ")
	}
	for _, g := range d.Guards {
		s.guards[g.Name] = fieldsText(d, g.Params)
	}
	return s
}

func fieldsText(d *Definition, fields []machine.Field) string {
	var b strings.Builder
	for i := range fields {
		t := &fields[i].Type
		fmt.Fprintf(&b, "(%s %s", fields[i].Name, d.FieldType(&fields[i]))
		for t.Kind == machine.ListKind {
			t = t.Elem
		}
		if t.Kind == machine.EnumKind {
			fmt.Fprintf(&b, " %v", d.Enums[t.Enum].Values)
		}
		b.WriteByte(')')
	}
	return b.String()
}
