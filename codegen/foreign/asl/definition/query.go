package definition

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign/plan"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// query writes expressions as JSONata. Data are variables, what is unset is null, durations are
// milliseconds and times are milliseconds since 1970.
type query struct {
	vars  map[*ir.Var]string // what a datum is called
	now   map[*ir.Var]string // what a datum has become meanwhile: an expression
	event string             // what has the fields of `event`
	asked map[string]string  // what a host guard has said, by its call
	item  string             // the element of a list
}

// with is q where a block has been executed: its values are computed from what was before.
func (q *query) with(b *ir.Block) *query {
	if b == nil {
		return q
	}
	out := *q
	out.now = maps.Clone(q.now)
	for _, a := range b.Assigns {
		if a.Keeps {
			continue
		}
		out.now[a.Var] = "null"
		if a.Value != nil {
			out.now[a.Var] = q.top(a.Value)
		}
	}
	return &out
}

var jsonata = map[ir.Op]string{
	ir.OpOr: "or", ir.OpAnd: "and", ir.OpEq: "=", ir.OpNe: "!=", ir.OpLt: "<", ir.OpLe: "<=", ir.OpGt: ">", ir.OpGe: ">=",
	ir.OpAdd: "+", ir.OpSub: "-", ir.OpMul: "*",
}

// tightest is more than the Precedence of any operator, which JSONata has as this language does.
const tightest = 6

// top is e where it stands alone.
func (q *query) top(e ir.Expr) string { return q.expr(e, 0) }

func (q *query) expr(e ir.Expr, outer int) string {
	switch e := e.(type) {
	case *ir.Lit:
		return plan.Literal(e.Value)
	case *ir.VarRef:
		return q.read(e.Var)
	case *ir.FieldRef:
		return q.event + "." + plan.Field(e.Name)
	case *ir.FanRef:
		if e.Index {
			return "$states.context.Map.Item.Index"
		}
		return strings.TrimSuffix(q.item+"."+e.Leaf, ".")
	case *ir.Now:
		return "$millis()"
	case *ir.Len:
		if x := q.top(e.X); e.X.Type().Kind == ir.List {
			return "$count(" + x + ")"
		} else {
			return "$length($replace($encodeUrlComponent(" + x + `), /%../, "x"))`
		}
	case *ir.IsSet:
		return q.isSet(e)
	case *ir.Unary:
		if e.Op == ir.OpNot {
			return "$not(" + q.top(e.X) + ")"
		}
		return "-" + q.expr(e.X, tightest)
	case *ir.Binary:
		return q.binary(e, outer)
	case *ir.Call:
		if e.Guard != nil {
			return "$" + q.asked[ir.ExprText(e)]
		}
		return "$" + e.Builtin + "([" + ir.Listed(e.Args, q.top) + "])"
	case *ir.Array:
		return "[" + ir.Listed(e.Items, q.top) + "]"
	case *ir.Key:
		return "[" + q.expr(e.X, tightest) + "." + backquoted(e.Name) + ", null][0]"
	case *ir.Fit:
		return q.expr(e.X, outer)
	case *ir.Text:
		return "$string(" + q.top(e.X) + ")"
	case *ir.Object:
		var parts []string
		for i, name := range e.Keys {
			parts = append(parts, plan.Quote(name)+": "+q.top(e.Values[i]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *ir.RecordLit:
		return object(plan.Leaves(e, q.top))
	}
	return "null"
}

// backquoted is a name in a path.
func backquoted(name string) string {
	if plan.Identifier(name) {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "") + "`"
}

func (q *query) read(v *ir.Var) string {
	if text, changed := q.now[v]; changed {
		return "(" + text + ")"
	}
	return q.vars[v]
}

func (q *query) isSet(e *ir.IsSet) string {
	text := ""
	if e.Field == nil {
		text = q.read(e.Var) + " != null"
	} else {
		x := q.event + "." + plan.Field(cmp.Or(e.Asked, e.Field.Name))
		text = "$exists(" + x + ") and " + x + " != null"
	}
	if e.Not {
		return "$not(" + text + ")"
	}
	return "(" + text + ")"
}

func (q *query) binary(e *ir.Binary, outer int) string {
	op := jsonata[e.Op]
	if e.Op == ir.OpAdd {
		switch e.X.Type().Kind {
		case ir.List, ir.JSON:
			return "$append(" + q.top(e.X) + ", [" + q.top(e.Y) + "])"
		case ir.String:
			op = "&"
		}
	}
	p := e.Op.Precedence()
	text := q.expr(e.X, p) + " " + op + " " + q.expr(e.Y, p+1)
	if p < outer {
		return "(" + text + ")"
	}
	return text
}

// object is an object with leaves, nested by their paths.
func object(leaves []plan.Property) string {
	return "{" + ir.Listed(plan.Nested(leaves, object), func(p plan.Property) string { return plan.Quote(p.Path) + ": " + p.Value }) + "}"
}

// arguments are those of an activity or a guard, by the names of its parameters.
func (q *query) arguments(params []*ir.Param, args []ir.Expr) obj {
	var leaves []plan.Property
	for i, a := range args {
		leaves = append(leaves, plan.Property{Path: params[i].Name, Value: q.top(a)})
	}
	return computed(leaves)
}

func (q *query) message(p *ir.Publish) obj {
	var leaves []plan.Property
	for i, v := range p.Values {
		if _, absent := v.(*ir.Absent); !absent {
			leaves = append(leaves, plan.Property{Path: p.Event.Fields[i].Name, Value: q.top(v)})
		}
	}
	return computed(leaves)
}

// computed is an object of the text, each of whose values JSONata computes.
func computed(leaves []plan.Property) obj {
	var out obj
	for _, p := range plan.Nested(leaves, object) {
		out = append(out, member{p.Path, formula(p.Value)})
	}
	return out
}

// formula is a value that JSONata computes; a string, a number, a bool or null stands for itself,
// but for the empty string: asl-validator refuses that in an Assign.
func formula(text string) any {
	var literal any
	if json.Unmarshal([]byte(text), &literal) == nil && !strings.ContainsAny(text[:1], "{[") && !strings.HasPrefix(text, `"{%`) && text != `""` {
		return json.RawMessage(text)
	}
	return "{% " + text + " %}"
}

// seconds is d in the unit of the format, and whether it had to be rounded up.
func seconds(ns int64) (n int64, rounded bool) {
	const second = 1_000_000_000
	n = (ns + second - 1) / second
	return max(n, 1), n*second != ns || n == 0
}

// obj is an object with its members in order.
type obj []member

type member struct {
	key   string
	value any // string, int64, float64, bool, []string, []any, obj
}

// MarshalJSON is o with its members in order.
func (o obj) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := encoded(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%s", plan.Quote(m.key), value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}
