package resolve

import (
	"slices"
	"strconv"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// scope is what an expression can read beside parameters and fields.
type scope struct {
	arm      bool          // it belongs to an arm
	timer    bool          // of a timer
	literal  bool          // it is a default: `null` is no field
	guard    bool          // it is a condition
	wait     bool          // it says how long a retry waits
	triggers []*ir.Trigger // else of an `on`; those that could be resolved
	fan      *ir.Fan       // in the arguments of a do that has one
	names    *ast.Fan      // as it is written
}

// bad is an expression that holds a fault.
func bad(at token.Span, parts ...ir.Expr) ir.Expr {
	return &ir.Bad{E: ir.E{T: invalid, At: at}, Parts: parts}
}

func isBad(list ...ir.Expr) bool {
	return slices.ContainsFunc(list, func(e ir.Expr) bool { return e.Type().Kind == ir.Invalid })
}

// expr resolves an expression and gives it a type. The parser bounds how deep
// an expression goes, chains of one operator included.
func (r *resolver) expr(src ast.Expr, sc scope) ir.Expr {
	switch src := src.(type) {
	case *ast.Paren:
		return r.expr(src.X, sc)
	case *ast.Ident:
		if sc.fan != nil {
			if e := r.ofElement(src.Span(), []*ast.Name{{Node: src.Node, Text: src.Name}}, sc); e != nil {
				return e
			}
		}
		return r.variable(src, sc)
	case *ast.EventField, *ast.Member:
		return r.member(src, sc)
	case *ast.RecordLit:
		return r.record(src, sc)
	case *ast.Now:
		return &ir.Now{E: ir.E{T: timeType, At: src.Span()}}
	case *ast.Len:
		return r.length(src, sc)
	case *ast.Call:
		return r.call(src, sc)
	case *ast.Selector:
		return r.selected(src, sc)
	case *ast.List:
		return r.array(src, sc)
	case *ast.Object:
		return r.object(src, sc)
	case *ast.Literal:
		return r.constant(src, src.Neg)
	case *ast.EmptyList:
		return lit(src.Span(), &ir.Type{Kind: ir.List}, &ir.Const{Kind: ir.List})
	case *ast.Unary:
		return r.unary(src, sc)
	case *ast.Binary:
		return r.binary(src, sc)
	case *ast.IsSet:
		return r.isSet(src, sc)
	}
	r.m.Incomplete = true
	if src == nil {
		return bad(token.Span{})
	}
	return bad(src.Span())
}

func (r *resolver) exprs(list []ast.Expr, sc scope) []ir.Expr {
	var out []ir.Expr
	for _, src := range list {
		out = append(out, r.expr(src, sc))
	}
	return out
}

func lit(at token.Span, t *ir.Type, c *ir.Const) *ir.Lit {
	return &ir.Lit{E: ir.E{T: t, At: at}, Value: c}
}

// constant is the value of a literal, after a minus where neg.
func (r *resolver) constant(src *ast.Literal, neg bool) ir.Expr {
	at := src.Span()
	c := &ir.Const{}
	var t *ir.Type
	var f *fault
	switch src.Kind {
	case ast.Int:
		t = intType
		c.Int, f = parseInt(src.Text, neg)
	case ast.Number:
		t = floatType
		c.Float, f = parseFloat(src.Text, neg)
	case ast.Duration:
		t = durationType
		c.Int, f = parseDuration(src.Text, neg)
	case ast.String:
		t = stringType
		c.Str, f = parseString(src.Text)
	default:
		t = boolType
		if src.Text == "true" {
			c.Int = 1
		}
	}
	if f != nil {
		r.badLiteral(src, f)
		return bad(at)
	}
	c.Kind = t.Kind
	return lit(at, t, c)
}

// variable is a parameter or a field.
func (r *resolver) variable(src *ast.Ident, sc scope) ir.Expr {
	v, ok := r.vars.names[src.Name]
	if ok && !sc.literal {
		r.noteAs(&src.Node, src.Name, v)
		return r.read(src.Span(), v, v.Type, v.Index, v.Name)
	}
	if src.Name == nullWord {
		r.note(&src.Node, src.Name, ir.BuiltInName, nil)
		return lit(src.Span(), jsonType, &ir.Const{Kind: ir.JSON, Str: nullWord})
	}
	name := &ast.Name{Node: src.Node, Text: src.Name}
	if enum, isEnum := r.enums.lookup(src.Name); isEnum {
		r.report(unknownName, src.Span(), quote(src.Name)+" is an enum, and no value",
			"Write one of its values, such as "+quote(src.Name+"."+firstOf(enum.Values))+".")
		return bad(src.Span())
	}
	if src.Name == ir.RunWord {
		r.report(unknownName, src.Span(), "`run` alone is no value",
			"Read one of its values: `run.id`, `run.started` or `run.machine`.")
		return bad(src.Span())
	}
	if r.inEvent(src.Name, sc) {
		r.misspelt(unknownName, src.Span(), "unknown field "+quote(src.Name), "", "event."+src.Name)
		return bad(src.Span())
	}
	nearest := near(r, src.Name, r.vars.names)
	if enum := r.enumWith(src.Name); enum != nil && nearest == "" {
		r.misspelt(unknownName, src.Span(), "unknown field "+quote(src.Name), "", enum.Name+"."+src.Name)
		return bad(src.Span())
	}
	r.unknown("field", name, nearest)
	if v := r.vars.names[nearest]; v != nil {
		return bad(src.Span(), ir.Leaves(r.read(src.Span(), v, v.Type, v.Index, v.Name))...)
	}
	return bad(src.Span())
}

// inEvent reports whether each event that the arm takes has a field of that name.
func (r *resolver) inEvent(name string, sc scope) bool {
	return len(sc.triggers) > 0 && !slices.ContainsFunc(sc.triggers, func(t *ir.Trigger) bool { return t.Event == nil || r.payload[t.Event][name] == nil })
}

// enumWith is the first enum that has the value; nil for none.
func (r *resolver) enumWith(value string) *ir.Enum {
	for _, list := range [][]*ir.Enum{r.m.Enums, r.file.known} {
		for _, e := range list {
			if _, ok := r.values[e][value]; ok {
				return e
			}
		}
	}
	return nil
}

func firstOf(values []string) string {
	if len(values) == 0 {
		return "VALUE"
	}
	return values[0]
}

// enumValue is a value of an enum.
func (r *resolver) enumValue(src *ast.Selector) ir.Expr {
	if src.X == nil || src.Sel == nil {
		r.m.Incomplete = true
		return bad(src.Span())
	}
	enum, ok := r.enumNamed(src.X.Text)
	if !ok {
		if !r.isMisnamed(src.X.Text) {
			r.unknownEnum(src)
		}
		return bad(src.Span())
	}
	return r.valueOf(enum, src)
}

// valueOf is the value of enum that src names.
func (r *resolver) valueOf(enum *ir.Enum, src *ast.Selector) ir.Expr {
	r.referTo(src.X, enum)
	i, ok := r.values[enum][src.Sel.Text]
	if !ok {
		r.misspelt(unknownName, src.Sel.Span(), "enum "+quote(enum.Name)+" has no value "+quote(src.Sel.Text),
			"Add it to the enum, or name one of its values.", near(r, src.Sel.Text, r.values[enum]))
		return bad(src.Span())
	}
	r.refer(src.Sel, ir.ValueName, &r.valueNames[enum][i].Pos)
	return lit(src.Span(), &ir.Type{Kind: ir.EnumKind, Enum: enum},
		&ir.Const{Kind: ir.EnumKind, Int: int64(i), Str: src.Sel.Text, Enum: enum})
}

// length is `len(x)`, an int.
func (r *resolver) length(src *ast.Len, sc scope) ir.Expr {
	x := r.expr(src.X, sc)
	if r.isMisnamed("len") {
		return bad(src.Span(), x)
	}
	switch x.Type().Kind {
	case ir.Invalid:
		return bad(src.Span(), x)
	case ir.String, ir.List:
		return &ir.Len{E: ir.E{T: intType, At: src.Span()}, X: x}
	}
	r.mismatch(x.Span(), "`len` wants a string or a list, and this is "+diag.Article(named(x.Type())), "Take the length of a string or a list.")
	return bad(src.Span(), x)
}

func (r *resolver) isSet(src *ast.IsSet, sc scope) ir.Expr {
	if src.Event {
		return r.isSetInEvent(src, sc)
	}
	v, exact, ok := guess(r, r.vars, src.Name)
	if !ok {
		return bad(src.Span())
	}
	p, found := r.walk(v.Type, v.Name, src.Inner)
	if !found || r.within(src.Span(), v.Type) == nil {
		return bad(src.Span())
	}
	e := &ir.IsSet{E: ir.E{T: boolType, At: src.Span()}, Var: r.leavesOf(v)[v.Index+p.offset+p.t.FirstSure()], Not: src.Not}
	if !exact {
		return bad(src.Span(), e)
	}
	return e
}

// call applies min, max, text or a host guard. A guard of the machine may be called
// "text": then it is meant.
func (r *resolver) call(src *ast.Call, sc scope) ir.Expr {
	name := textOf(src.Func)
	if r.isMisnamed(name) {
		return bad(src.Span(), r.exprs(src.Args, sc)...)
	}
	if name == "min" || name == "max" {
		r.referWord(src.Func)
		return r.extreme(src, name, r.exprs(src.Args, sc))
	}
	isGuard, declared := r.callables.names[name]
	if name == "text" && !isGuard {
		r.referWord(src.Func)
		return r.text(src, r.exprs(src.Args, sc), sc)
	}
	if declared && !isGuard {
		r.report(unknownName, src.Func.Span(), quote(name)+" is an activity, and no guard",
			"Run it with `do`, and read its result from an event.")
		return bad(src.Span(), r.exprs(src.Args, sc)...)
	}
	guard, exact, ok := guess(r, r.guards, src.Func)
	if !ok || !exact {
		return bad(src.Span(), r.exprs(src.Args, sc)...)
	}
	args := r.arguments(src.Span(), name, guard.Params, src.Args, sc)
	if len(args) != len(guard.Params) || isBad(args...) {
		return bad(src.Span(), args...)
	}
	return &ir.Call{E: ir.E{T: boolType, At: src.Span()}, Guard: guard, Args: args}
}

// arguments resolves what is handed to an activity or a guard, and checks that
// the number and the types are those of params.
func (r *resolver) arguments(at token.Span, name string, params []*ir.Param, list []ast.Expr, sc scope) []ir.Expr {
	args := r.exprs(list, sc)
	wholes := ir.Declarations(params)
	if len(args) != len(wholes) {
		r.mismatch(at, quote(name)+" takes "+diag.Count(len(wholes), "argument")+", and is given "+strconv.Itoa(len(args)), argumentHelp(wholes))
		return args
	}
	var out []ir.Expr
	for i, a := range args {
		whole := r.whole(a, wholes[i].Type, "argument "+quote(wholes[i].Name)+" of "+quote(name), sc)
		if wholes[i].Optional {
			orUnset(whole, true)
		}
		r.absentPart(whole)
		out = append(out, leavesFor(whole, wholes[i].Type)...)
	}
	return out
}

func argumentHelp(params []*ir.Field) string {
	if len(params) == 0 {
		return "Leave the parentheses empty."
	}
	return "Give it " + ir.Listed(params, func(p *ir.Field) string { return p.Name + " " + named(p.Type) }) + ", in this order."
}
