package web

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// version is one version of a machine, as its definition and its text have it.
type version struct {
	Name, Hash string
	def        *machine.Definition
	ir         *ir.Machine // nil where there is no text, or the machine is not in it

	// What is dear is made when it is first asked for.
	pictures func() (full, compact *picture)
	bounds   func() json.RawMessage
}

// version is the one with that hash. A version never changes, so that nothing of it is made twice.
func (s *Site) version(ctx context.Context, hash string) (*version, error) {
	if v, known := s.versions.Load(hash); known {
		return v.(*version), nil
	}
	found, err := s.Engine.Version(ctx, hash)
	if err != nil {
		return nil, err
	}
	v := &version{Hash: hash, Name: found.Name, def: found.Machine.Definition()}
	var whole bool
	v.ir, whole = s.textOf(ctx, &found)
	v.pictures = sync.OnceValues(v.draw)
	v.bounds = sync.OnceValue(func() json.RawMessage { return s.Bounds(v.ir) })
	if !whole {
		return v, nil
	}
	first, _ := s.versions.LoadOrStore(hash, v) // another request may have been faster
	return first.(*version), nil
}

// textOf is what the text of a version means; nil where there is none, or the machine is not in it. It
// is whole unless a machine below it could not be read just now.
func (s *Site) textOf(ctx context.Context, found *runtime.Version) (m *ir.Machine, whole bool) {
	if found.Source == "" {
		return nil, true
	}
	callees, whole := s.callees(ctx, found.Machine.Definition(), map[string]bool{found.Source: true})
	unit := lang.LoadFrom([]lang.Source{{Name: found.Name + ".fsm", Src: []byte(found.Source)}}, func(string, string) ([]lang.Source, error) {
		if len(callees) == 0 {
			return nil, lang.ErrNowhere
		}
		return callees, nil
	})
	for _, one := range unit.Program.Machines {
		if one.Name == found.Name {
			m = one
		}
	}
	return m, whole
}

// callees are the texts of the machines below d: what d imports is in one of these, whatever the
// files were called.
func (s *Site) callees(ctx context.Context, d *machine.Definition, seen map[string]bool) (out []lang.Source, whole bool) {
	whole = true
	for _, a := range d.Activities {
		if a.Callee == "" || seen[a.Callee] {
			continue
		}
		seen[a.Callee] = true
		below, err := s.Engine.Version(ctx, a.Callee)
		if err != nil { // what can never be read is not asked for by each page
			passes := errors.Is(err, runtime.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
			whole = whole && !passes
			continue
		}
		if text := below.Source; text != "" && !seen[text] {
			seen[text] = true
			out = append(out, lang.Source{Name: below.Name + ".fsm", Src: []byte(text)})
		}
		more, all := s.callees(ctx, below.Machine.Definition(), seen)
		out, whole = append(out, more...), whole && all
	}
	return out, whole
}

// draw makes the drawings of a version; nil where it has no text.
func (v *version) draw() (full, compact *picture) {
	if v.ir == nil {
		return nil, nil
	}
	d := drawing.Plan(v.ir, nil)
	if d.States > mostDrawn {
		return nil, nil
	}
	return draw(d), draw(drawing.Compact(d))
}

// mostDrawn is how many states a drawing shows; of more there is the table alone.
const mostDrawn = 2000

// leaves are the states in which a run can stand, in source order.
func (v *version) leaves() (out []*machine.State) {
	for i := range v.def.States {
		s := &v.def.States[i]
		if s.Kind == machine.LeafState || s.Kind == machine.TerminalState {
			out = append(out, s)
		}
	}
	return out
}

// Doc is what the machine's own text says of it.
func (v *version) Doc() string { return v.def.Doc }
