package check

import (
	"encoding/json"
	"maps"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// What a machine that is called does may depend on what it is given. Then it counts for a
// figure of its caller with the arguments of a run of that.

// readOf are those of what child is given that paths of its machine depend on; false where they are not
// known, or are no plain values.
func (u *Summary) readOf(child *witness.Child) (given map[string]any, known bool) {
	if len(u.reads) == 0 {
		return nil, true
	}
	if child == nil {
		return nil, false
	}
	given = map[string]any{}
	for _, v := range u.reads {
		x := child.Given[v.Name]
		if x == nil || len(v.Within) > 0 || v.Type.Kind == ir.List || v.Type.Kind == ir.RecordKind || v.Type.Kind == ir.JSON {
			return nil, false
		}
		given[v.Name] = x
	}
	return given, true
}

func textOf(given map[string]any) string {
	if given == nil {
		return ""
	}
	text, _ := json.Marshal(given) // of what came from JSON
	return string(text)
}

// begin lets the run w begin with given.
func begin(w *witness.Witness, given map[string]any) {
	if given != nil && w != nil {
		w.Params = maps.Clone(w.Params)
		if w.Params == nil {
			w.Params = map[string]any{}
		}
		maps.Copy(w.Params, given)
	}
}

// end is what is known of runs that end in terminal and were given that.
func (u *Summary) end(terminal *ir.State, given map[string]any) *end {
	if given == nil || u.ends[terminal] == nil {
		return u.ends[terminal]
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	key := ending{terminal: terminal, given: textOf(given)}
	if u.given[key] == nil {
		u.given[key] = u.callee.endWith(terminal, given)
	}
	return u.given[key]
}

// endWith is a shortest run into terminal that begins with given.
func (s *shared) endWith(terminal *ir.State, given map[string]any) *end {
	p := s.Product()
	if p == nil {
		return &end{}
	}
	starts := p.StartsWith(given)
	if starts == nil {
		return &end{}
	}
	path := p.ShortestPath(0, starts, func(c int32) bool { return int(c) < p.Configurations() && p.Leaf(c) == terminal })
	if path == nil {
		return &end{}
	}
	w, _ := s.Run(path, -1)
	begin(w, given)
	return s.endOf(w)
}
