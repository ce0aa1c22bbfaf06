package replay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// recalls compares what the explorer has guessed of data, and goes on from, with the data
// that the run has where the witness ends. A run may take the same arms with other data.
func (p *player) recalls(r *run) error {
	for _, v := range p.w.Recalled {
		order, err := r.order(v.Of)
		if err != nil {
			return err
		}
		if v.Of.Op.Holds(int64(order), 0) != v.Holds {
			return fmt.Errorf("%q is not what was guessed", ir.ExprText(v.Of))
		}
	}
	return nil
}

// order is how the sides of e compare.
func (r *run) order(e *ir.Binary) (int, error) {
	if kind := e.X.Type().Kind; kind == ir.String || kind == ir.Float {
		x, y := r.plain(e.X), r.plain(e.Y)
		switch {
		case !x.IsSet() || !y.IsSet():
			return 0, errNotPlain
		case kind == ir.String:
			return strings.Compare(x.Text(), y.Text()), nil
		}
		return cmp.Compare(x.Float(), y.Float()), nil
	}
	x, err := r.sum(e.X)
	if err != nil {
		return 0, err
	}
	y, err := r.sum(e.Y)
	if err != nil {
		return 0, err
	}
	return x.Cmp(y), nil
}

// errNotPlain says that nobody knows here what something is compared with.
var errNotPlain = errors.New("it is not known what is compared")

// plain is the value of a variable or a constant; unset of anything else.
func (r *run) plain(e ir.Expr) machine.Value {
	if c := ir.Value(e); c != nil {
		return constant(e.Type(), c)
	}
	if ref, ok := e.(*ir.VarRef); ok {
		return r.value(ref.Var)
	}
	return machine.Unset
}

// sum is an int, a duration, a time in nanoseconds, or a sum of such. What has the range of
// an int is held by constants as one.
func (r *run) sum(e ir.Expr) (*big.Int, error) {
	if c := ir.Value(e); c != nil {
		return big.NewInt(c.Int), nil
	}
	switch e := e.(type) {
	case *ir.VarRef:
		if v := r.value(e.Var); v.IsSet() {
			return big.NewInt(content(e.T, v)), nil
		}
	case *ir.Len:
		switch v := r.plain(e.X); {
		case !v.IsSet():
		case e.X.Type().Kind == ir.String:
			return big.NewInt(int64(len(v.Text()))), nil
		case e.X.Type().Kind == ir.List:
			return big.NewInt(int64(len(v.List()))), nil
		}
	case *ir.Unary:
		x, err := r.sum(e.X)
		if err == nil && e.Op == ir.OpSub {
			return x.Neg(x), nil
		}
	case *ir.Binary:
		x, err := r.sum(e.X)
		if err != nil {
			return nil, err
		}
		y, err := r.sum(e.Y)
		if err != nil {
			return nil, err
		}
		switch {
		case e.X.Type().Kind == ir.Time && e.T.Kind == ir.Time: // it is rounded
		case e.Op == ir.OpAdd:
			return x.Add(x, y), nil
		case e.Op == ir.OpSub:
			return x.Sub(x, y), nil
		}
	}
	return nil, errNotPlain
}

// holds compares what the run has at its end with the values of the witness, if what is to be
// shown hangs on them: one of them may have been a guess. Of a text, a float or a list the witness
// gives an example alone.
func (p *player) holds(r *run) error {
	if !p.w.Holds {
		return nil
	}
	for _, v := range slices.Concat(p.m.Inputs(), p.m.Fields) {
		said, known := p.w.Values[v.Name]
		if !known {
			continue
		}
		is, same := r.value(v), true
		switch alike, number := p.w.Alike[v.Name]; {
		case number:
			same = is.IsSet() && alike.Contains(is.Int())
		case v.Type.Kind == ir.Bool, v.Type.Kind == ir.EnumKind:
			want, err := parse(v.Type, said)
			same = err == nil && key(want) == key(is)
		}
		if !same {
			return fmt.Errorf("%q holds something else", v.Name)
		}
	}
	return nil
}

// valuesOf is said with what the run has now of the data that it names. The explorer says an
// example of what it does not tell apart; the run may have another.
func (r *run) valuesOf(said map[string]any) map[string]any {
	out := maps.Clone(said)
	for _, v := range slices.Concat(r.book.m.Inputs(), r.book.m.Fields) {
		if _, known := said[v.Name]; !known {
			continue
		}
		if delete(out, v.Name); r.value(v).IsSet() {
			out[v.Name] = form(v.Type, r.value(v))
		}
	}
	return out
}
