package web

import (
	"context"
	"encoding/json"
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

	once    sync.Once
	full    *picture
	compact *picture

	bounding sync.Once
	bounded  chan struct{} // closed when bounds is there
	bounds   json.RawMessage
}

// machines keeps the versions that have been asked for. A version never changes, so that nothing
// of it is made twice.
type machines struct {
	engine *runtime.Engine
	known  sync.Map // *version by hash
}

func (c *machines) of(ctx context.Context, hash string) (*version, error) {
	if v, known := c.known.Load(hash); known {
		return v.(*version), nil
	}
	row, err := c.engine.Version(ctx, hash)
	if err != nil {
		return nil, err
	}
	v, err := c.read(ctx, &row)
	if err != nil {
		return nil, err
	}
	first, _ := c.known.LoadOrStore(hash, v) // another request may have been faster
	return first.(*version), nil
}

// read understands a version as the engine has it.
func (c *machines) read(ctx context.Context, found *runtime.Version) (*version, error) {
	v := &version{Hash: found.Hash, Name: found.Name, def: found.Machine.Definition()}
	if found.Source == "" {
		return v, nil
	}
	callees := c.callees(ctx, v.def, map[string]bool{found.Source: true})
	unit := lang.LoadFrom([]lang.Source{{Name: found.Name + ".fsm", Src: []byte(found.Source)}}, func(string, string) ([]lang.Source, error) {
		if len(callees) == 0 {
			return nil, lang.ErrNowhere
		}
		return callees, nil
	})
	for _, m := range unit.Program.Machines {
		if m.Name == found.Name {
			v.ir = m
		}
	}
	return v, nil
}

// callees are the texts of the machines below d: what d imports is in one of these, whatever the
// files were called.
func (c *machines) callees(ctx context.Context, d *machine.Definition, seen map[string]bool) (out []lang.Source) {
	for _, a := range d.Activities {
		if a.Callee == "" || seen[a.Callee] {
			continue
		}
		seen[a.Callee] = true
		below, err := c.engine.Version(ctx, a.Callee)
		if err != nil {
			continue
		}
		if text := below.Source; text != "" && !seen[text] {
			seen[text] = true
			out = append(out, lang.Source{Name: below.Name + ".fsm", Src: []byte(text)})
		}
		out = append(out, c.callees(ctx, below.Machine.Definition(), seen)...)
	}
	return out
}

// pictures are the drawings of a version, made once; nil where it has no text.
func (v *version) pictures() (full, compact *picture) {
	if v.ir == nil {
		return nil, nil
	}
	v.once.Do(func() {
		d := drawing.Plan(v.ir, nil)
		if d.States > mostDrawn {
			return
		}
		v.full, v.compact = draw(d), draw(drawing.Compact(d))
	})
	return v.full, v.compact
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
