package replay

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
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
