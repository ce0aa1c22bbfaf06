package product

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// What workers and callers are told
//
// An attempt is told its arguments and its limits, and whoever waits for a run what it
// returns. Both are compared as far as both machines know them: of an activity that only one
// declares, and of an argument or a value that only one has, the rules of the wire speak.

// asksOtherwise says as a clause how what the open attempts are asked for differs; empty
// where it does not.
func (s *search) asksOtherwise(old, new *machine.Snapshot, v *verdicts) string {
	was, is := s.old.asked(old, s.new, new, v), s.new.asked(new, s.old, old, v)
	for _, text := range was {
		if !slices.Contains(is, text) {
			return fmt.Sprintf("the old machine runs %s, and the new one %s", text, cmp.Or(strings.Join(is, ", "), "nothing"))
		}
	}
	for _, text := range is {
		if !slices.Contains(was, text) {
			return fmt.Sprintf("the new machine runs %s, and the old one %s", text, cmp.Or(strings.Join(was, ", "), "nothing"))
		}
	}
	return ""
}

// asked are the open attempts of activities that other declares, too, in the order of the
// machine. How many elements of a list have one at a time does not count.
func (s *side) asked(of *machine.Snapshot, other *side, there *machine.Snapshot, v *verdicts) []string {
	var out []string
	for _, t := range s.open(of) {
		do := s.m.Dos[t.Do]
		if _, ok := other.same(there, &t, s); !ok && do.Fan != nil {
			continue
		}
		i := slices.IndexFunc(other.m.Activities, func(a *ir.Activity) bool { return a.Name == do.Activity.Name })
		if i < 0 {
			continue
		}
		args, err := s.x.TaskArgs(of, &t, of.Now, s.asks(v))
		if err != nil {
			continue
		}
		var known []string
		for _, p := range other.m.Activities[i].Params {
			known = append(known, p.Name)
		}
		out = append(out, do.Activity.Name+fields(args, known)+do.LimitsText())
	}
	return out
}

// returnsOtherwise says as a clause how what two runs return that have ended differs; empty
// where it does not.
func (s *search) returnsOtherwise(old, new *machine.Snapshot) string {
	was, is := s.old.x.View(old).Returns, s.new.x.View(new).Returns
	var known []string
	for _, f := range s.old.x.Returned(old.State) {
		if slices.ContainsFunc(s.new.x.Returned(new.State), func(g machine.Field) bool { return g.Name == f.Name }) {
			known = append(known, f.Name)
		}
	}
	if before, after := fields(was, known), fields(is, known); before != after {
		return fmt.Sprintf("the old machine returns%s, and the new one%s", before, after)
	}
	return ""
}

// fields are those members of an object that are known, in that order: ` { a = 1 }`.
func fields(object json.RawMessage, known []string) string {
	all := map[string]json.RawMessage{}
	if len(known) == 0 || json.Unmarshal(object, &all) != nil {
		return ""
	}
	text := ""
	for _, name := range known {
		if value, there := all[name]; there {
			text += " " + name + " = " + string(value)
		}
	}
	return " {" + text + " }"
}
