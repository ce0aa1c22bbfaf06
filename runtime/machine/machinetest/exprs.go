package machinetest

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// expr reads a Go expression; a literal takes the type that is wanted.
func (b *builder) expr(text string, want *machine.Type) *machine.Expr {
	return b.convert(must(parser.ParseExpr(text)), want)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// place is a name with points in it.
func place(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return place(s.X) + "." + s.Sel.Name
	}
	return e.(*ast.Ident).Name
}

func (b *builder) convert(e ast.Expr, want *machine.Type) *machine.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return b.convert(e.X, want)
	case *ast.BasicLit:
		return b.literal(e, want)
	case *ast.CompositeLit:
		if name, ok := e.Type.(*ast.Ident); ok && b.records[name.Name].Kind != "" {
			out := &machine.Expr{Op: "record", Type: b.records[name.Name]}
			for i, x := range e.Elts {
				out.Args = append(out.Args, b.convert(x, &out.Type.Fields[i].Type))
			}
			return out
		}
		return &machine.Expr{Op: "lit", Type: *want, Value: json.RawMessage("[]")}
	case *ast.Ident:
		return b.ident(e.Name)
	case *ast.SelectorExpr:
		name := place(e)
		if of, ok := strings.CutPrefix(name, "event."); ok {
			return &machine.Expr{Op: "event", Name: of, Type: b.types[of]}
		}
		if indexOf(b.d.Params, name) >= 0 || indexOf(b.d.Fields, name) >= 0 {
			return b.ident(name)
		}
		if of, ok := strings.CutPrefix(name, "each."); ok {
			return &machine.Expr{Op: "each", Name: of, Type: b.each[of]}
		}
		left := e.X.(*ast.Ident).Name
		if left == "run" {
			return &machine.Expr{Op: "run", Name: e.Sel.Name, Type: machine.Type{Kind: map[string]machine.Kind{"id": machine.String, "started": machine.TimeKind}[e.Sel.Name]}}
		}
		return &machine.Expr{Op: "lit", Type: b.typ(left), Value: json.RawMessage(strconv.Quote(e.Sel.Name))}
	case *ast.UnaryExpr:
		x := b.convert(e.X, want)
		op := e.Op.String()
		if op == "-" {
			op = "neg"
		}
		return &machine.Expr{Op: op, Type: machine.Type{Kind: x.Type.Kind}, Args: []*machine.Expr{x}}
	case *ast.BinaryExpr:
		return b.binary(e, want)
	case *ast.CallExpr:
		return b.call(e, want)
	}
	panic(fmt.Sprintf("%T", e))
}

func (b *builder) literal(e *ast.BasicLit, want *machine.Type) *machine.Expr {
	lit := &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.Int}, Value: json.RawMessage(e.Value)}
	switch {
	case e.Kind == token.STRING:
		lit.Type.Kind, lit.Value = machine.String, quoted(e.Value)
	case e.Kind == token.FLOAT || want != nil && want.Kind == machine.Float:
		lit.Type.Kind = machine.Float
	}
	return lit
}

// quoted turns a Go string literal into a JSON one.
func quoted(literal string) json.RawMessage {
	return must(machine.EncodeJSON(must(strconv.Unquote(literal))))
}

func (b *builder) ident(name string) *machine.Expr {
	switch name {
	case "now":
		return &machine.Expr{Op: "now", Type: machine.Type{Kind: machine.TimeKind}}
	case "true", "false":
		return &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.Bool}, Value: json.RawMessage(name)}
	}
	if i := indexOf(b.d.Params, name); i >= 0 {
		return &machine.Expr{Op: "param", Index: i, Type: b.d.Params[i].Type}
	}
	i := indexOf(b.d.Fields, name)
	if i < 0 {
		panic("no field " + name)
	}
	return &machine.Expr{Op: "field", Index: i, Type: b.d.Fields[i].Type}
}

func (b *builder) binary(e *ast.BinaryExpr, want *machine.Type) *machine.Expr {
	op := e.Op.String()
	x := b.convert(e.X, want)
	y := b.convert(e.Y, &x.Type)
	if x.Type.Kind == machine.Int && y.Type.Kind == machine.Float {
		x = b.convert(e.X, &y.Type)
	}
	out := &machine.Expr{Op: op, Args: []*machine.Expr{x, y}}
	xk, yk := x.Type.Kind, y.Type.Kind
	switch op {
	case "+", "-", "*":
		out.Type = machine.Type{Kind: xk, Elem: x.Type.Elem}
		switch {
		case xk == machine.TimeKind && yk == machine.TimeKind:
			out.Type.Kind = machine.DurationKind
		case op == "*" && yk == machine.DurationKind, op == "+" && yk == machine.TimeKind:
			out.Type.Kind = yk
		}
	default:
		out.Type.Kind = machine.Bool
	}
	return out
}

func (b *builder) call(e *ast.CallExpr, want *machine.Type) *machine.Expr {
	name := e.Fun.(*ast.Ident).Name
	if name == "d" {
		text, _ := strconv.Unquote(e.Args[0].(*ast.BasicLit).Value)
		return &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.DurationKind}, Value: json.RawMessage(strconv.Quote(text))}
	}
	out := &machine.Expr{Op: name, Type: machine.Type{Kind: machine.Bool}}
	for _, a := range e.Args {
		out.Args = append(out.Args, b.convert(a, want))
	}
	switch name {
	case "maybe": // read as unset where it is
		out.Args[0].OrUnset = true
		return out.Args[0]
	case "set":
	case "len":
		out.Type.Kind = machine.Int
	case "min", "max":
		out.Type.Kind = out.Args[0].Type.Kind
	default:
		out.Op, out.Index = "guard", slices.IndexFunc(b.d.Guards, func(g machine.Guard) bool { return g.Name == name })
	}
	return out
}
