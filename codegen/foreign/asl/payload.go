package asl

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// payload is a template, or a value of JSONata, as an expression.
func (m *machine) payload(v *foreign.Value, s scope) expr {
	switch {
	case v.Is(foreign.Object):
		members := []member{}
		for _, f := range v.Members {
			key, path := strings.CutSuffix(f.Key, ".$")
			value := expr{}
			if path {
				value = m.path(f.Value.Str(), s)
			} else {
				value = m.payload(f.Value, s)
			}
			if !slices.ContainsFunc(members, func(o member) bool { return o.key == key }) {
				members = append(members, member{key, value})
			}
		}
		return object(members)
	case v.Is(foreign.Array):
		var items []expr
		for _, item := range v.Items {
			items = append(items, m.payload(item, s))
		}
		return list(items)
	}
	if inner, ok := jsonataText(v); ok {
		return m.jsonataValue(inner, s)
	}
	text, ok := foreign.Literal(v)
	if !ok {
		m.lost("the number %s: it is too large", v.Text)
	}
	return expr{text: text}
}

// path is what a path or an intrinsic function gives; what has no form here is null, and
// said.
func (m *machine) path(text string, s scope) expr {
	if e, ok := m.readPath(text, s); ok {
		return e
	}
	if e, ok := s.root.item(text); ok {
		return e
	}
	if args, ok := strings.CutPrefix(text, "States.Array("); ok && !strings.ContainsAny(args, "'\\(") && strings.HasSuffix(args, ")") {
		return m.array(strings.TrimSuffix(args, ")"), s)
	}
	in, known := reads(text, func(path string) (expr, bool) { return m.readPath(path, s) })
	return m.uncomputed(text, in, known)
}

func (m *machine) array(args string, s scope) expr {
	var items []expr
	for _, arg := range strings.Split(args, ",") {
		items = append(items, m.path(strings.TrimSpace(arg), s))
	}
	return list(items)
}

// variable is $name.key for a variable that some state assigns.
func (m *machine) variable(text string) (expr, bool) {
	rest, ok := strings.CutPrefix(text, "$")
	name, path, _ := strings.Cut(rest, ".")
	field := m.vars[name]
	keys, plain := plainPath(strings.TrimSuffix("$."+path, "."))
	if !ok || !plain {
		return expr{}, false
	}
	if field != "" {
		return expr{text: field}.at(keys), true
	}
	if around := m.variableAround(name); around != "" {
		return m.outside(around).at(keys), true
	}
	return expr{}, false
}

// input is what a state works on, before its parameters: the scope of its templates.
func (m *machine) input(st *foreign.Value) scope {
	in := st.Get("InputPath")
	switch {
	case in == nil || in.Str() == "$":
		return scope{}
	case in.Kind == foreign.Null:
		e := object(nil)
		return scope{root: &e}
	}
	e := m.path(in.Str(), scope{})
	return scope{root: &e}
}

// arguments is what a Task hands to its activity.
func (m *machine) arguments(st *foreign.Value) expr {
	s := m.input(st)
	for _, key := range []string{"Parameters", "Arguments"} {
		if p := st.Get(key); p != nil {
			return m.payload(p, s)
		}
	}
	return m.read(nil, s)
}

// output is the effects of a state's result.
func (m *machine) output(st *foreign.Value, result expr) []string {
	if m.jsonata(st) {
		return m.jsonataOutput(st, result)
	}
	effects := m.assigned(st, scope{root: &result})
	if sel := st.Get("ResultSelector"); sel != nil {
		raw := result
		result = m.made(st, raw, "ResultSelector", func() expr { return m.payload(sel, scope{root: &raw}) })
	}
	rp, out := st.Get("ResultPath"), st.Get("OutputPath")
	keys, plain := plainPath(rp.Str())
	switch {
	case rp == nil || plain && len(keys) == 0:
		raw := result
		return append(m.replace(m.made(st, raw, "OutputPath", func() expr { return m.outputPath(out, raw) })), effects...)
	case rp.Kind != foreign.Null && !plain:
		m.lost("the result is not kept at %s", rp.Str())
	case rp.Kind != foreign.Null:
		effects = append(effects, m.keepResult(keys, result, out)...)
		return effects
	}
	if out != nil && out.Str() != "$" {
		effects = append(m.replace(m.outputOf(out)), effects...)
	}
	return effects
}

func (m *machine) keepResult(keys []string, result expr, out *foreign.Value) []string {
	if outKeys, plain := plainPath(out.Str()); plain && len(outKeys) >= len(keys) && slices.Equal(outKeys[:len(keys)], keys) {
		return m.replace(result.at(outKeys[len(keys):]))
	} else if out != nil && len(outKeys) > 0 {
		return m.replace(m.outputOf(out))
	}
	for _, k := range m.kept {
		if slices.Equal(k.path, keys) {
			if k.scalar {
				return []string{k.field + ` = {"value": ` + result.text + "}"}
			}
			return []string{m.set(k.field, result)}
		}
	}
	return nil
}

func (m *machine) outputOf(out *foreign.Value) expr {
	if out.Kind == foreign.Null {
		return object(nil)
	}
	return m.path(out.Str(), scope{})
}

func (m *machine) outputPath(out *foreign.Value, result expr) expr {
	switch keys, plain := plainPath(out.Str()); {
	case out == nil:
		return result
	case out.Kind == foreign.Null:
		return object(nil)
	case plain:
		return result.at(keys)
	}
	return m.path(out.Str(), scope{root: &result})
}

// assigned is the effects of Assign.
func (m *machine) assigned(st *foreign.Value, s scope) []string {
	assign := st.Get("Assign")
	if assign == nil {
		return nil
	}
	values, effects := m.payload(assign, s), []string{}
	for _, v := range values.members {
		effects = append(effects, m.set(m.vars[v.key], v.value))
	}
	return effects
}

// step is a step to a state with effects. One to the end that leaves the data as it is leaves
// what is kept beside it, too.
func (m *machine) step(target string, effects []string) string {
	replaces := func(e string) bool { return strings.HasPrefix(e, m.data+" = ") }
	if target == m.succeeded && !slices.ContainsFunc(effects, replaces) {
		m.endBeside()
	}
	if len(effects) == 0 {
		return "-> " + target
	}
	return "-> " + target + " { " + strings.Join(effects, ", ") + " }"
}
