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

// Check reports whether h has a function for each activity and guard of d, and no others.
// The error lists all that is missing or too much. Empty handlers fit every definition.
func (h Handlers) Check(d *Definition) error {
	if h.none() {
		return nil
	}
	activities, guards := map[string]bool{}, map[string]bool{}
	var faults []string
	for _, a := range d.Activities {
		if a.Callee != "" {
			continue
		}
		activities[a.Name] = true
		if h.Activities[a.Name] == nil {
			faults = append(faults, fmt.Sprintf("activity %q is missing", a.Name))
		}
	}
	for _, g := range d.Guards {
		guards[g.Name] = true
		if h.Guards[g.Name] == nil {
			faults = append(faults, fmt.Sprintf("guard %q is missing", g.Name))
		}
	}
	faults = append(faults, superfluous("activity", h.Activities, activities)...)
	faults = append(faults, superfluous("guard", h.Guards, guards)...)
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("the handlers do not fit machine %q: %s", d.Name, strings.Join(faults, ", "))
}

func superfluous[F any](what string, given map[string]F, declared map[string]bool) []string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if declared[name] {
			continue
		}
		fault := fmt.Sprintf("there is no %s %q", what, name)
		faults = append(faults, fault+machine.DidYouMean(name, slices.Collect(maps.Keys(declared))))
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
	fits = Handlers{Activities: map[string]ActivityFunc{}, Guards: map[string]GuardFunc{}}
	signatures := map[string]string{}
	for i := range current.Activities {
		signatures[current.Activities[i].Name] = signature(current, &current.Activities[i])
	}
	guards := map[string]string{}
	for i := range current.Guards {
		guards[current.Guards[i].Name] = fieldsText(current, current.Guards[i].Params)
	}
	for i := range other.Activities {
		a := &other.Activities[i]
		if a.Callee != "" {
			continue
		}
		f := h.Activities[a.Name]
		if f == nil || signatures[a.Name] != signature(other, a) {
			left = append(left, a.Name)
			continue
		}
		fits.Activities[a.Name] = f
	}
	for i := range other.Guards {
		g := &other.Guards[i]
		f := h.Guards[g.Name]
		if f == nil || guards[g.Name] != fieldsText(other, g.Params) {
			left = append(left, g.Name)
			continue
		}
		fits.Guards[g.Name] = f
	}
	if len(fits.Guards) < len(other.Guards) {
		for i := range other.Activities {
			if name := other.Activities[i].Name; fits.Activities[name] != nil {
				left = append(left, name)
			}
		}
		fits.Activities = nil
	}
	return fits, left
}

// signature is the parameters and results of an activity as text.
func signature(d *Definition, a *machine.Activity) string {
	var results []string
	for _, r := range a.Results {
		results = append(results, d.Events[r].Name+fieldsText(d, d.Events[r].Fields))
	}
	slices.Sort(results)
	return fieldsText(d, a.Params) + " -> " + strings.Join(results, " | ")
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
