package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Script writes expressions as ECMAScript. Durations are milliseconds, times are milliseconds
// since 1970, integers are numbers, what is unset is undefined.
type Script struct {
	Var   func(*ir.Var) string
	Event string                                    // what has the fields of `event`
	Guard func(g *ir.Guard, args []Property) string // nil where no host guard is asked

	Activity string // in the arms of a failure: which activity has failed
	Old      bool   // in the syntax of ECMAScript 5, with the functions part_ and key_
}

// Property is a value with the path of its place in an object.
type Property struct{ Path, Value string }

// How tightly operators bind in ECMAScript, where == binds less than <.
var binding = map[ir.Op]int{
	ir.OpOr: 1, ir.OpAnd: 2, ir.OpEq: 3, ir.OpNe: 3, ir.OpLt: 4, ir.OpLe: 4, ir.OpGt: 4, ir.OpGe: 4,
	ir.OpAdd: 5, ir.OpSub: 5, ir.OpMul: 6,
}

const unary = 7

// Expr is e.
func (s *Script) Expr(e ir.Expr) string { return s.expr(e, 0) }

func (s *Script) expr(e ir.Expr, outer int) string {
	switch e := e.(type) {
	case *ir.Lit:
		return Literal(e.Value)
	case *ir.VarRef:
		return s.Var(e.Var)
	case *ir.FieldRef:
		if e.Name == "activity" && s.Activity != "" {
			return Quote(s.Activity)
		}
		return s.member(e.Name)
	case *ir.Now:
		return "Date.now()"
	case *ir.Len:
		if x := s.expr(e.X, unary); e.X.Type().Kind == ir.List {
			return x + ".length"
		} else {
			return "encodeURIComponent(" + x + `).replace(/%../g, "x").length`
		}
	case *ir.IsSet:
		return s.isSet(e, outer)
	case *ir.Unary:
		return string(e.Op) + s.expr(e.X, unary)
	case *ir.Binary:
		return s.binary(e, outer)
	case *ir.Call:
		return s.call(e)
	case *ir.Object:
		var properties []string
		for i, key := range e.Keys {
			properties = append(properties, Quote(key)+": "+s.Expr(e.Values[i]))
		}
		return "{ " + strings.Join(properties, ", ") + " }"
	case *ir.Array:
		return "[" + ir.Listed(e.Items, s.Expr) + "]"
	case *ir.Key:
		if s.Old {
			return "key_(" + s.Expr(e.X) + ", " + Quote(e.Name) + ")"
		}
		return "(" + s.expr(e.X, unary) + "?.[" + Quote(e.Name) + "] ?? null)"
	case *ir.Fit:
		return s.expr(e.X, outer)
	case *ir.Text:
		return "String(" + s.Expr(e.X) + ")"
	case *ir.RecordLit:
		return Object(Leaves(e, s.Expr))
	}
	return "undefined" // *ir.Absent; what is unset
}

func (s *Script) isSet(e *ir.IsSet, outer int) string {
	x, op := "", "!=="
	if e.Field == nil {
		x = s.Var(e.Var)
	} else {
		x = s.member(cmp.Or(e.Asked, e.Field.Name))
	}
	if e.Not {
		op = "==="
	}
	return parens(x+" "+op+" undefined", binding[ir.OpEq], outer)
}

func (s *Script) binary(e *ir.Binary, outer int) string {
	if e.Op == ir.OpAdd {
		switch e.X.Type().Kind {
		case ir.List:
			return s.expr(e.X, unary) + ".concat([" + s.Expr(e.Y) + "])"
		case ir.JSON:
			return "(" + s.Expr(e.X) + " || []).concat([" + s.Expr(e.Y) + "])"
		}
	}
	op := string(e.Op)
	if e.Op == ir.OpEq || e.Op == ir.OpNe {
		op += "="
	}
	p := binding[e.Op]
	return parens(s.expr(e.X, p)+" "+op+" "+s.expr(e.Y, p+1), p, outer)
}

func parens(text string, p, outer int) string {
	if p < outer {
		return "(" + text + ")"
	}
	return text
}

func (s *Script) call(e *ir.Call) string {
	if e.Guard == nil {
		return "Math." + e.Builtin + "(" + ir.Listed(e.Args, s.Expr) + ")"
	}
	return s.Guard(e.Guard, s.Args(e.Guard.Params, e.Args))
}

// Leaves are those of a record by their paths; text writes one.
func Leaves(e *ir.RecordLit, text func(ir.Expr) string) (leaves []Property) {
	for i, l := range e.T.Leaves() {
		leaves = append(leaves, Property{l.Path, text(e.Leaves[i])})
	}
	return leaves
}

// Args are the arguments of an activity or a guard by the names of its parameters. Those that
// read the element of a list are left out.
func (s *Script) Args(params []*ir.Param, args []ir.Expr) []Property {
	var properties []Property
	for i, a := range args {
		if ir.Find(a, func(e ir.Expr) bool { _, is := e.(*ir.FanRef); return is }) == nil {
			properties = append(properties, Property{params[i].Name, s.Expr(a)})
		}
	}
	return properties
}

// Fields are the values of a message by the names of its fields. What is absent is left out.
func (s *Script) Fields(p *ir.Publish) []Property {
	var properties []Property
	for i, v := range p.Values {
		if _, absent := v.(*ir.Absent); !absent {
			properties = append(properties, Property{Field(p.Event.Fields[i].Name), s.Expr(v)})
		}
	}
	return properties
}

// Object is an object with properties, nested by their paths.
func Object(properties []Property) string {
	if len(properties) == 0 {
		return "{}"
	}
	return "{ " + ir.Listed(Nested(properties, Object), func(p Property) string { return Key(p.Path) + ": " + p.Value }) + " }"
}

// Nested puts properties with the same head together: object makes a value of those inside.
func Nested(properties []Property, object func([]Property) string) (out []Property) {
	for len(properties) > 0 {
		head, _, nested := strings.Cut(properties[0].Path, ".")
		if !nested {
			out, properties = append(out, properties[0]), properties[1:]
			continue
		}
		var inner, rest []Property
		for _, p := range properties {
			if path, ok := strings.CutPrefix(p.Path, head+"."); ok {
				inner = append(inner, Property{path, p.Value})
			} else {
				rest = append(rest, p)
			}
		}
		out, properties = append(out, Property{head, object(inner)}), rest
	}
	return out
}

// Key is the name of a property: names of this language need no quotes.
func Key(name string) string {
	if Identifier(name) {
		return name
	}
	return Quote(name)
}

// Identifier reports whether name needs no quotes as a property.
func Identifier(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) && (name[0] < '0' || name[0] > '9')
}

// Field is what a field of an event, a message or a result is called: in both formats `type` holds
// the name of what has the fields.
func Field(path string) string {
	if path == "type" || strings.HasPrefix(path, "type.") {
		return "type_" + path[len("type"):]
	}
	return path
}

// Renamed names the events whose field type has another name there.
func Renamed(m *ir.Machine) string {
	var events []string
	for _, e := range m.Events {
		if slices.ContainsFunc(e.Fields, func(f *ir.EventField) bool { return Field(f.Name) != f.Name }) {
			events = append(events, e.Exit())
		}
	}
	return strings.Join(events, ", ")
}

// Reserved are names that a variable cannot have in ECMAScript.
var Reserved = strings.Fields("arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield Date Infinity Math NaN String Object Array Error In encodeURIComponent")

// member is a field of the event by its path. What lies within a record may be absent with it.
func (s *Script) member(path string) string {
	head, rest, nested := strings.Cut(path, ".")
	x := s.Event + "." + Field(head)
	for nested {
		head, rest, nested = strings.Cut(rest, ".")
		if s.Old {
			x = "part_(" + x + ", " + Quote(head) + ")"
		} else {
			x += "?." + head
		}
	}
	return x
}

// Input is a part of an object x that may be absent.
func Input(x, path string) string { return x + "?." + strings.ReplaceAll(path, ".", "?.") }

// Literal is a constant.
func Literal(c *ir.Const) string {
	switch c.Kind {
	case ir.String, ir.EnumKind:
		return Quote(c.Str)
	case ir.Duration:
		return Number(Milliseconds(c.Int))
	}
	return c.Text()
}

// First is the value with which v begins; empty where it has none, or where it is handed over. The
// run's own id is the expression id.
func First(v *ir.Var, id string) string {
	switch {
	case v.Own && v.Type.Kind == ir.Time:
		return "Date.now()"
	case v.Own:
		return id
	case v.Default != nil:
		return Literal(v.Default)
	}
	return ""
}

// Number is n in its shortest form.
func Number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Quote is text as a string.
func Quote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return strconv.QuoteToASCII(text)
	}
	return strings.TrimSpace(b.String())
}

// Backoff is how many milliseconds b waits; count is how often it has waited, with this time.
func (s *Script) Backoff(b *ir.Backoff, count string) string {
	if b.By != nil {
		return s.Expr(b.By)
	}
	wait := Number(Milliseconds(b.First))
	if factor, _ := b.Factor.Float64(); b.First != b.Last {
		wait = fmt.Sprintf("Math.min(%s * Math.pow(%s, %s - 1), %s)", wait, Number(factor), count, Number(Milliseconds(b.Last)))
	}
	if b.Jitter.Sign() > 0 {
		share, _ := b.Jitter.Float64()
		wait += " * (1 - " + Number(share) + " * Math.random())"
	}
	return wait
}

// Delay is how many milliseconds d waits.
func (s *Script) Delay(d *Delay) string {
	wait := Number(Milliseconds(d.Wait))
	if d.Var != nil {
		wait = s.Var(d.Var)
		if d.Var.Type.Kind == ir.Time {
			wait += " - Date.now()"
		}
		wait = "Math.max(0, " + wait + ")"
	}
	if d.Jitter > 0 {
		wait += " * (1 + " + Number(d.Jitter) + " * Math.random())"
	}
	return wait
}

// Outcomes are the name of a terminal and the values that it returns, by their names; value reads one.
func Outcomes(t *ir.State, value func(*ir.Var) string) []Property {
	properties := []Property{{"type", Quote(t.Name)}}
	for _, r := range t.Returns {
		properties = append(properties, Property{Field(r.Var.Name), value(r.Var)})
	}
	return properties
}
