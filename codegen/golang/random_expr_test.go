package golang_test

import (
	"fmt"
	"strings"
)

// kindOf is a type without its range and length, and whether it may be absent.
func kindOf(typ string) string {
	kind, _, _ := strings.Cut(strings.TrimSuffix(typ, "?"), " ")
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
	case "Inner":
		return pickOf(g, "Inner { n = 3 }", `Inner { n = 1, s = "a" }`)
	case "Rec":
		return pickOf(g, `Rec { text = "a" }`, `Rec { text = "", m = 4 }`, `Rec { text = "b", in = Inner { n = 2 } }`)
	}
	return ""
}

// places are the names of the values of typ's kind in what is called name, of type typ.
func places(name, typ, kind string) []string {
	var out []string
	of := kindOf(typ)
	if of == kind {
		out = append(out, name)
	}
	for _, f := range map[string][]typed{"Rec": {{"text", "string"}, {"m", "int?"}, {"in", "Inner?"}}, "Inner": {{"n", "int 0..9"}, {"s", "string?"}}}[of] {
		out = append(out, places(name+"."+f.name, f.typ, kind)...)
	}
	return out
}

// mayBeAbsent are the places that can be asked whether they are set.
func (g *machineWriter) mayBeAbsent(e *eventDecl) []string {
	out := []string{"from", "most", g.fields[g.IntN(len(g.fields))].name}
	note := func(name, typ string) {
		switch kindOf(typ) {
		case "Rec":
			out = append(out, name+".m", name+".in", name+".in.s")
		case "Inner":
			out = append(out, name+".s")
		}
		if strings.HasSuffix(typ, "?") {
			out = append(out, name)
		}
	}
	for _, f := range g.fields {
		note(f.name, f.typ)
	}
	if e != nil {
		for _, f := range e.fields {
			note("event."+f.name, f.typ)
		}
	}
	return out
}

// vars are the names of the values of typ's kind that can be read.
func (g *machineWriter) vars(kind string, e *eventDecl) []string {
	var out []string
	for _, f := range g.fields {
		out = append(out, places(f.name, f.typ, kind)...)
	}
	if e != nil {
		for _, f := range e.fields {
			there := places("event."+f.name, f.typ, kind)
			out = append(append(out, there...), there...)
		}
	}
	switch kind {
	case "int":
		out = append(out, "limit", "most")
	case "string":
		out = append(out, "id", "from", "run.id", "run.machine")
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
	case "Inner":
		return "Inner { n = " + g.expr("int", e, 0) + pickOf(g, "", ", s = "+g.expr("string", e, 0)) + " }"
	case "Rec":
		return "Rec { text = " + g.expr("string", e, 0) + pickOf(g, "", ", m = "+g.expr("int", e, 0)) + pickOf(g, "", ", in = "+g.expr("Inner", e, 0)) + " }"
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
	switch n := g.IntN(12); {
	case n == 10:
		return pickOf(g, g.mayBeAbsent(e)...) + pickOf(g, " is set", " is not set")
	case n == 11:
		recs := g.vars("Rec", e)
		if len(recs) > 0 {
			return "fine(" + pickOf(g, recs...) + ", " + any("string") + ")"
		}
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
