package golang_test

import (
	"fmt"
	"strings"
)

// kindOf is a type without its range and length.
func kindOf(typ string) string {
	kind, _, _ := strings.Cut(typ, " ")
	if _, elem, list := strings.Cut(kind, "]"); list {
		return "[]" + elem
	}
	return kind
}

// literal is a constant of typ; empty for one that has none.
func (g *machineWriter) literal(typ string) string {
	switch kindOf(typ) {
	case "int":
		return fmt.Sprint(g.IntN(10))
	case "bool":
		return pickOf(g, "true", "false")
	case "string":
		return pickOf(g, `""`, `"a"`, `"<b>\"\\"`)
	case "float":
		return pickOf(g, "0.0", "1.5", "-2.25")
	case "duration":
		return pickOf(g, "0s", "90s", "30m")
	case "Mood":
		return pickOf(g, "Mood.Good", "Mood.Bad")
	case "[]int", "[]string":
		return "[]"
	}
	return ""
}

// vars are the names of the values of typ's kind that can be read.
func (g *machineWriter) vars(kind string, e *eventDecl) []string {
	var out []string
	for _, f := range g.fields {
		if kindOf(f.typ) == kind {
			out = append(out, f.name)
		}
	}
	if e != nil {
		for _, f := range e.fields {
			if kindOf(f.typ) == kind {
				out = append(out, "event."+f.name, "event."+f.name)
			}
		}
	}
	switch kind {
	case "int":
		out = append(out, "limit")
	case "string":
		out = append(out, "id", "run.id", "run.machine")
	}
	return out
}

// expr is a value for a field of typ.
func (g *machineWriter) expr(typ string, e *eventDecl, depth int) string {
	kind := kindOf(typ)
	vars := g.vars(kind, e)
	if len(vars) == 0 && kind != "time" || g.chance(4) && kind != "time" {
		return g.literal(typ)
	}
	leaf := func() string { return g.expr(typ, e, 0) }
	if depth == 0 || g.chance(3) {
		if len(vars) == 0 {
			return "now"
		}
		return vars[g.IntN(len(vars))]
	}
	switch kind {
	case "int":
		return pickOf(g, leaf()+" + "+leaf(), leaf()+" - "+leaf(), leaf()+" * 3", "min("+leaf()+", 7)", "max("+leaf()+", "+leaf()+")", "-"+pickOf(g, vars...), "len(id)", "len(run.id)")
	case "bool":
		return pickOf(g, "!"+pickOf(g, vars...), g.cond(e, 1))
	case "string":
		return leaf() + " + " + leaf()
	case "float":
		return pickOf(g, leaf()+" * 2", leaf()+" + "+leaf(), leaf()+" - 0.5")
	case "duration":
		return pickOf(g, leaf()+" + "+leaf(), leaf()+" - 5s", leaf()+" * 2", "min("+leaf()+", 10m)")
	case "time":
		return pickOf(g, "now", "now + 5m", "now - 1h", "run.started", "run.started + 5m")
	case "[]int":
		return vars[g.IntN(len(vars))] + " + " + g.expr("int", e, 0)
	case "[]string":
		return vars[g.IntN(len(vars))] + " + " + g.expr("string", e, 0)
	}
	return vars[g.IntN(len(vars))]
}

// cond is a condition that a guard may have.
func (g *machineWriter) cond(e *eventDecl, depth int) string {
	if depth > 0 && g.chance(3) {
		return pickOf(g,
			g.cond(e, depth-1)+" && "+g.cond(e, depth-1),
			"("+g.cond(e, depth-1)+" || "+g.cond(e, depth-1)+")",
			"!("+g.cond(e, depth-1)+")")
	}
	op := pickOf(g, "<", "<=", ">", ">=", "==", "!=")
	any := func(kind string) string { v := g.vars(kind, e); return v[g.IntN(len(v))] }
	switch n := g.IntN(10); {
	case n == 0:
		return "open()"
	case n == 1:
		return "lucky(" + any("int") + ")"
	case n == 2:
		return any("int") + " - " + any("int") + " " + op + " 2"
	case n == 3:
		return any("int") + " + 1 " + op + " " + any("int")
	case n == 4:
		return any("string") + pickOf(g, " == ", " != ") + `"a"`
	case n == 5 && len(g.vars("bool", e)) > 0:
		return any("bool")
	case n == 6 && len(g.vars("duration", e)) > 0:
		return any("duration") + " " + op + " 10m"
	case n == 8 && len(g.vars("[]int", e)) > 0:
		return "len(" + any("[]int") + ") " + op + " " + fmt.Sprint(g.IntN(4))
	case n == 7:
		return g.fields[g.IntN(len(g.fields))].name + " is set"
	}
	return any("int") + " " + op + " " + fmt.Sprint(g.IntN(9))
}
