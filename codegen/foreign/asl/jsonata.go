package asl

import (
	"cmp"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// jsonataText is what stands between {% and %}.
func jsonataText(v *foreign.Value) (string, bool) {
	text, ok := strings.CutPrefix(strings.TrimSpace(v.Str()), "{%")
	text, end := strings.CutSuffix(text, "%}")
	return strings.TrimSpace(text), ok && end
}

// jsonataValue is a plain read, or a literal; what is computed is null, and said.
func (m *machine) jsonataValue(text string, s scope) expr {
	p := &jsonata{Tokens: foreign.NewTokens(foreign.Lex(text, operatorsOfTwo...))}
	if t := p.Next(); t != "" && p.Next() == "" {
		if e, ok := m.operand(t, s); ok {
			return e
		}
	}
	in, known := reads(text, func(path string) (expr, bool) { return m.operand(path, s) })
	return m.uncomputed("{% "+text+" %}", in, known)
}

// operand is a path or a literal of JSONata.
func (m *machine) operand(t string, s scope) (expr, bool) {
	switch {
	case t[0] == '"' || t[0] == '\'':
		return expr{text: foreign.Quote(t[1 : len(t)-1])}, !strings.Contains(t, `\`)
	case t[0] >= '0' && t[0] <= '9':
		n, ok := foreign.NumberText(t)
		return expr{text: n}, ok
	case t == "true" || t == "false" || t == "null":
		return expr{text: t}, true
	}
	keys, plain := plainPath(strings.Replace(t, "$states.", "$.", 1))
	if !strings.HasPrefix(t, "$states.") || !plain || len(keys) == 0 {
		return m.variable(t)
	}
	switch keys[0] {
	case "input":
		return m.read(keys[1:], s), true
	case "result", "errorOutput":
		if s.result != nil {
			return s.result.at(keys[1:]), true
		}
	case "context":
		return m.context(keys[1:], s)
	}
	return expr{}, false
}

// jsonataOutput is the effects of a state that speaks JSONata.
func (m *machine) jsonataOutput(st *foreign.Value, result expr) []string {
	s := scope{result: &result}
	effects := m.assigned(st, s)
	if out := st.Get("Output"); out != nil {
		result = m.made(st, result, "Output", func() expr { return m.payload(out, s) })
	}
	return m.becomes(result, effects)
}

// becomes is effects behind those by which the data becomes what result is.
func (m *machine) becomes(result expr, effects []string) []string {
	if result.text == m.data {
		return effects
	}
	return append(m.replace(result), effects...)
}

// jsonataRule is a condition as a guard; one that the guard language has not is a guard
// of the host as a whole.
func (b *branches) jsonataRule(v *foreign.Value) string {
	if v.Is(foreign.Bool) {
		return v.Text
	}
	text, _ := jsonataText(v)
	p := &jsonata{Tokens: foreign.NewTokens(foreign.Lex(text, operatorsOfTwo...)), b: b}
	when := p.or()
	if p.bad || p.Left() || p.compared > 60 {
		b.fresh = nil
		return b.hostGuard(text, "condition "+b.item.Place, "$")
	}
	return when
}

// operatorsOfTwo are the operators of JSONata with two characters.
var operatorsOfTwo = []string{"!=", "<=", ">="}

// jsonata reads comparisons joined by and, or, $not and parentheses.
type jsonata struct {
	foreign.Tokens
	b        *branches
	bad      bool
	depth    int
	compared int
}

func (p *jsonata) or() string { return p.Joined("or", "||", &p.bad, p.and) }

func (p *jsonata) and() string { return p.Joined("and", "&&", &p.bad, p.unary) }

func (p *jsonata) unary() string {
	t := p.Next()
	not := ""
	if t == "$not" {
		not, t = "!", p.Next()
		p.bad = p.bad || t != "("
	}
	if t == "(" {
		p.depth++
		p.bad = p.bad || p.depth > 50
		if p.bad {
			return ""
		}
		inner := p.or()
		p.bad = p.bad || p.Next() != ")"
		return not + "(" + inner + ")"
	}
	return p.compare(t)
}

func (p *jsonata) compare(left string) string {
	op := p.Peek()
	p.compared++
	if left == "" {
		p.bad = true
		return ""
	}
	if op == "" || op == "and" || op == "or" || op == ")" {
		return p.field(left, "bool")
	}
	p.Next()
	right := p.Next()
	typ := cmp.Or(typeOf(right), typeOf(left))
	if op == "=" {
		op = "=="
	}
	known := op == "==" || op == "!=" || typ == "float" && (op == "<" || op == "<=" || op == ">" || op == ">=")
	if !known || typ == "" || right == "" {
		p.bad = true
		return ""
	}
	return p.field(left, typ) + " " + op + " " + p.field(right, typ)
}

func typeOf(t string) string {
	switch {
	case t == "":
		return ""
	case t[0] == '"' || t[0] == '\'':
		return "string"
	case t[0] >= '0' && t[0] <= '9':
		return "float"
	case t == "true" || t == "false":
		return "bool"
	}
	return ""
}

// field is a literal, or the typed field of a path.
func (p *jsonata) field(t, typ string) string {
	if !strings.HasPrefix(t, "$") {
		e, ok := p.b.operand(t, scope{})
		p.bad = p.bad || !ok || typeOf(t) == ""
		return e.text
	}
	e, ok := p.b.operand(t, p.b.scope)
	if !ok || strings.ContainsAny(e.text, "{(\"") {
		p.bad = true
		return ""
	}
	return p.b.taken(e, t, typ)
}
