package scxml

import (
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/chart"
)

// literal is the type and the text of a literal of ECMAScript; no type for all else.
func literal(s string) (typ, text string) {
	if s == "true" || s == "false" {
		return "bool", s
	}
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] && !strings.ContainsAny(s[1:len(s)-1], "\\'\"") {
		return "string", foreign.Quote(s[1 : len(s)-1])
	}
	if _, err := strconv.ParseInt(s, 10, 64); err == nil && !strings.HasPrefix(s, "+") {
		return "int", s
	}
	return "", ""
}

// actions reads executable content. What is logged is left out; a delayed send of onentry
// is a timer (see delay).
func (r *reader) actions(e *element, lost *[]string) []chart.Action {
	var all []chart.Action
	for _, a := range e.inside {
		switch a.name {
		case "assign":
			if text := r.assign(a.attrs["location"], strings.TrimSpace(a.attrs["expr"])); text != "" {
				all = append(all, chart.Action{Assign: text})
			} else {
				*lost = append(*lost, "the assignment of "+a.attrs["location"])
			}
		case "send":
			switch {
			case a.attrs["delay"] != "" || a.attrs["delayexpr"] != "":
				if e.name != "onentry" {
					*lost = append(*lost, "the event "+a.attrs["event"]+", which it sends later")
				}
			case a.attrs["target"] == "" || a.attrs["target"] == "#_internal" || a.attrs["event"] == "":
				*lost = append(*lost, "the event "+a.attrs["event"]+", which it sends to itself")
			default:
				all = append(all, chart.Action{Publish: a.attrs["event"]})
				if len(a.inside) > 0 || a.attrs["namelist"] != "" {
					*lost = append(*lost, "what it sends with "+a.attrs["event"])
				}
			}
		case "raise":
			*lost = append(*lost, "the event "+a.attrs["event"]+", which it raises")
		case "script", "if", "foreach":
			*lost = append(*lost, "a "+a.name+" of the program")
		case "log":
		case "cancel": // where the state is left, its timers end by themselves
			if e.name == "transition" && e.attrs["target"] == "" {
				*lost = append(*lost, "the end of "+a.attrs["sendid"]+a.attrs["sendidexpr"]+", a timer")
			}
		default:
			*lost = append(*lost, "the element "+a.name)
		}
	}
	return all
}

// assign is an effect, where the language has it: a literal, a field, or a sum of integers.
func (r *reader) assign(location, expr string) string {
	f := r.fields[location]
	if f.name == "" {
		return ""
	}
	tokens := lex(expr)
	var parts []string
	for i, t := range tokens {
		typ, text := r.operand(t)
		switch {
		case i%2 == 0 && typ == f.typ:
			parts = append(parts, text)
		case i%2 == 1 && (t == "+" || t == "-") && f.typ == "int":
			parts = append(parts, t)
		default:
			return ""
		}
	}
	if len(parts)%2 == 0 {
		return ""
	}
	return f.name + " = " + strings.Join(parts, " ")
}

func (r *reader) operand(t string) (typ, text string) {
	if f := r.fields[t]; f.name != "" {
		return f.typ, f.name
	}
	return literal(t)
}

// guard is a condition of the guard language, or else a host guard as a whole.
func (r *reader) guard(cond string) *chart.Guard {
	p := &parser{reader: r, Tokens: foreign.NewTokens(lex(cond))}
	text := p.or()
	if !p.bad && !p.Left() && p.compared <= 60 {
		return &chart.Guard{Text: text}
	}
	return &chart.Guard{Name: cond, Region: strings.Contains(cond, "In(")}
}

// parser reads comparisons joined by && and ||.
type parser struct {
	*reader
	foreign.Tokens
	bad      bool
	depth    int
	compared int
}

func (p *parser) or() string { return p.Joined("||", "||", &p.bad, p.and) }

func (p *parser) and() string { return p.Joined("&&", "&&", &p.bad, p.unary) }

func (p *parser) unary() string {
	t := p.Next()
	p.depth++
	defer func() { p.depth-- }()
	if t == "" || p.depth > 50 {
		p.bad = true
		return ""
	}
	switch t {
	case "!":
		if next := p.Peek(); next == "!" || next == "(" {
			return "!" + p.unary()
		}
		typ, text := p.operand(p.Next()) // "!a == 1" is not "!(a == 1)"
		p.bad = p.bad || typ != "bool" || comparisons[p.Peek()] != ""
		return "!" + text
	case "(":
		inner := p.or()
		p.bad = p.bad || p.Next() != ")"
		return "(" + inner + ")"
	}
	return p.compare(t)
}

var comparisons = map[string]string{"==": "==", "===": "==", "!=": "!=", "!==": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

func (p *parser) compare(left string) string {
	p.compared++
	typ, text := p.operand(left)
	op := comparisons[p.Peek()]
	if op == "" {
		p.bad = p.bad || typ != "bool"
		return text
	}
	p.Next()
	other, right := p.operand(p.Next())
	p.bad = p.bad || typ == "" || typ != other || typ != "int" && op != "==" && op != "!="
	return text + " " + op + " " + right
}

// lex cuts an expression into names, literals and operators.
func lex(s string) []string { return foreign.Lex(s, "===", "!==", "==", "!=", "<=", ">=", "&&", "||") }
