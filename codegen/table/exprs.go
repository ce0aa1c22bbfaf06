package table

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

var kinds = map[ir.Kind]machine.Kind{
	ir.Bool:     machine.Bool,
	ir.Int:      machine.Int,
	ir.Float:    machine.Float,
	ir.String:   machine.String,
	ir.Duration: machine.DurationKind,
	ir.Time:     machine.TimeKind,
	ir.JSON:     machine.JSON,
	ir.EnumKind: machine.EnumKind,
	ir.List:     machine.ListKind,

	ir.RecordKind: machine.RecordKind,
}

func (c *compiler) typ(t *ir.Type) machine.Type {
	out := machine.Type{Kind: kinds[t.Kind]}
	if t.Range != nil {
		lo, hi := t.Range.Lo, t.Range.Hi
		out.Min, out.Max = &lo, &hi
	}
	if t.Enum != nil {
		out.Enum = c.enums[t.Enum]
	}
	if t.Elem != nil {
		elem := c.typ(t.Elem)
		out.Elem = &elem
	}
	if t.Len != nil {
		out.Len = &machine.Length{Min: t.Len.Lo, Max: t.Len.Hi}
	}
	if t.Record != nil {
		out.Name = t.Record.Name
		for _, l := range t.Leaves() {
			out.Fields = append(out.Fields, machine.Field{Name: l.Path, Type: c.typ(l.Type), Optional: l.Optional, Within: within(l.Path, l.Within)})
		}
	}
	return out
}

// constant is k in its JSON form.
func constant(k *ir.Const) json.RawMessage {
	if k.Kind == ir.JSON {
		return json.RawMessage(k.Str) // as it stands
	}
	data, err := json.Marshal(k.JSONValue())
	if err != nil {
		panic("table: a constant without a JSON form: " + err.Error())
	}
	return data
}

func (c *compiler) exprs(list []ir.Expr) []*machine.Expr { return each(list, c.expr) }

func (c *compiler) expr(e ir.Expr) *machine.Expr {
	out := &machine.Expr{Type: c.typ(e.Type())}
	switch e := e.(type) {
	case *ir.Lit:
		out.Op, out.Value = "lit", constant(e.Value)
	case *ir.VarRef:
		out = c.variable(e.Var)
		out.OrUnset = e.OrUnset
	case *ir.FieldRef:
		out.Op, out.Name, out.OrUnset = "event", e.Name, e.OrUnset
	case *ir.FanRef:
		out.Op, out.Name, out.OrUnset = "each", ir.ItemField, e.OrUnset
		switch {
		case e.Index:
			out.Name = ir.IndexField
		case e.Leaf != "":
			out.Name += "." + e.Leaf
		}
	case *ir.Now:
		out.Op = "now"
	case *ir.Len:
		out.Op, out.Args = "len", []*machine.Expr{c.expr(e.X)}
	case *ir.IsSet:
		out.Op = "set"
		if e.Field != nil {
			out.Args = []*machine.Expr{{Op: "event", Type: c.typ(e.Field.T), Name: e.Field.Name}}
		} else {
			out.Args = []*machine.Expr{c.variable(e.Var)}
		}
		if e.Not {
			out = &machine.Expr{Op: "!", Type: out.Type, Args: []*machine.Expr{out}}
		}
	case *ir.Unary:
		out.Op, out.Args = "!", []*machine.Expr{c.expr(e.X)}
		if e.Op == ir.OpSub {
			out.Op = "neg"
		}
	case *ir.Binary:
		out.Op, out.Args = string(e.Op), []*machine.Expr{c.expr(e.X), c.expr(e.Y)}
	case *ir.Object:
		out.Op, out.Keys, out.Args = "object", e.Keys, c.exprs(e.Values)
	case *ir.Array:
		out.Op, out.Args = "array", c.exprs(e.Items)
	case *ir.Key:
		out.Op, out.Name, out.Args = "key", e.Name, []*machine.Expr{c.expr(e.X)}
	case *ir.Fit:
		out.Op, out.Args, out.OrUnset = "fit", []*machine.Expr{c.expr(e.X)}, e.OrUnset
		if e.Whole != nil {
			out.Op, out.Name, out.Args = "leaf", e.Leaf, []*machine.Expr{c.expr(e.Whole)}
		}
	case *ir.Absent:
		out.Op = "unset"
	case *ir.Text:
		out.Op, out.Args = "text", []*machine.Expr{c.expr(e.X)}
	case *ir.RecordLit:
		out.Op, out.Args = "record", c.exprs(e.Leaves)
	case *ir.Call:
		out.Op, out.Args = e.Builtin, c.exprs(e.Args)
		if e.Guard != nil {
			out.Op, out.Index = "guard", c.indexOf(e)
		}
	}
	return out
}

func (c *compiler) variable(v *ir.Var) *machine.Expr {
	if v.Own {
		return &machine.Expr{Op: "run", Type: c.typ(v.Type), Name: strings.TrimPrefix(v.Name, ir.OwnName(""))}
	}
	op := "field"
	if v.Param {
		op = "param"
	}
	return &machine.Expr{Op: op, Type: c.typ(v.Type), Index: v.Index}
}

func (c *compiler) block(b *ir.Block) *machine.Block {
	if b == nil {
		return nil
	}
	out := &machine.Block{}
	for _, a := range b.Assigns {
		assign := machine.Assign{Field: a.Var.Index}
		if a.Value != nil {
			assign.Value = c.expr(a.Value)
		}
		out.Assigns = append(out.Assigns, assign)
	}
	for _, p := range b.Publishes {
		out.Publishes = append(out.Publishes, machine.Publish{Event: p.Event.Index, Values: c.exprs(p.Values)})
	}
	return out
}

func costs(list []ir.Cost) []machine.Cost {
	return each(list, func(k ir.Cost) machine.Cost { return machine.Cost{Name: k.Name, Amount: ir.DecimalText(k.Amount)} })
}

func budget(b *ir.Budget) *machine.Budget {
	if b == nil {
		return nil
	}
	return &machine.Budget{Steps: b.Steps, Time: b.Time, Costs: costs(b.Costs)}
}

// ratio is r as the runtime computes with it: the largest float for one beyond
// that, 0 for none.
func ratio(r *big.Rat) float64 {
	if r == nil {
		return 0
	}
	f, _ := r.Float64()
	return min(f, math.MaxFloat64)
}
