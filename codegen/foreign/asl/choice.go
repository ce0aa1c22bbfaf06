package asl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// choice makes a state whose `on done` chooses. Its entry block takes the fields that the
// guards read from the data, where a missing one is an error, as it is in the original;
// so a rule that reads another field than those before it begins a state of its own, which
// is entered only if they do not hold.
func (m *machine) choice(st *foreign.Value) error {
	b := &branches{machine: m, st: st, scope: m.input(st)}
	for _, rule := range st.Get("Choices").List() {
		if err := b.rule(rule); err != nil {
			return err
		}
	}
	effects := m.passed(st, st)
	if d := st.Get("Default"); d != nil {
		target, err := m.target(d)
		if err != nil {
			return err
		}
		b.arms = append(b.arms, b.step(target, effects))
	} else {
		b.arms = append(b.arms, "-> "+m.fail(`"States.NoChoiceMatched"`, `""`))
	}
	b.close()
	return nil
}

// branches is a Choice that is being made.
type branches struct {
	*machine
	st    *foreign.Value
	scope scope
	takes []string // effects of the entry block at hand
	known []string // all that was taken so far
	arms  []string
	fresh []string // what the rule at hand takes
	count int
}

func (b *branches) rule(rule *foreign.Value) error {
	b.fresh = nil
	target, err := b.target(rule.Get("Next"))
	if err != nil {
		return err
	}
	var when string
	if b.jsonata(b.st) {
		when = b.jsonataRule(rule.Get("Condition"))
	} else if when, err = b.condition(rule); err != nil {
		return err
	}
	if len(b.fresh) > 0 && len(b.arms) > 0 {
		b.split()
	}
	b.takes, b.known = append(b.takes, b.fresh...), append(b.known, b.fresh...)
	arm := b.step(target, b.passed(b.st, rule))
	if when != "" {
		arm = "when " + when + " " + arm
	}
	b.arms = append(b.arms, arm)
	return nil
}

// split goes on in a state of its own.
func (b *branches) split() {
	b.count++
	name := b.states.TitleFor(fmt.Sprintf("\x00%s %d", b.item.Place, b.count), fmt.Sprintf("%sElse%d", b.states.Find(b.item.Place), b.count))
	b.arms = append(b.arms, "-> "+name)
	b.close()
	b.cur = &foreign.State{Name: name}
	b.m.States = append(b.m.States, b.cur)
}

func (b *branches) close() {
	if len(b.takes) > 0 {
		b.cur.Add("entry { " + strings.Join(b.takes, ", ") + " }")
	}
	b.cur.Add("on done " + strings.Join(b.arms, " else "))
	b.takes, b.arms = nil, nil
}

// condition is a rule as a guard.
func (b *branches) condition(rule *foreign.Value) (string, error) {
	for _, f := range rule.Members {
		switch f.Key {
		case "And", "Or":
			return b.joined(f.Value, map[string]string{"And": " && ", "Or": " || "}[f.Key])
		case "Not":
			inner, err := b.condition(f.Value)
			return "!(" + inner + ")", err
		case "Variable", "Next", "Comment", "Assign", "Output":
			continue
		}
		return b.comparison(rule.Get("Variable"), f.Key, f.Value)
	}
	return "", rule.Errorf("a rule of a Choice compares nothing")
}

func (b *branches) joined(list *foreign.Value, op string) (string, error) {
	var parts []string
	for _, r := range list.List() {
		c, err := b.condition(r)
		if err != nil {
			return "", err
		}
		parts = append(parts, c)
	}
	if len(parts) == 0 || len(parts) > 60 {
		return "", list.Errorf("an And or Or has 1 to 60 rules")
	}
	return "(" + strings.Join(parts, op) + ")", nil
}

var operators = map[string]string{
	"Equals": "==", "LessThan": "<", "LessThanEquals": "<=", "GreaterThan": ">", "GreaterThanEquals": ">=",
}

var (
	kinds     = map[string]string{"String": "string", "Numeric": "float", "Boolean": "bool", "Timestamp": "time"}
	kindWords = map[string]string{"string": "a text", "float": "a number", "bool": "true or false", "time": "a time"}
)

// comparison is one comparison: of typed fields where the guard language has it, else a
// guard of the host.
func (b *branches) comparison(variable *foreign.Value, name string, value *foreign.Value) (string, error) {
	base, other := strings.CutSuffix(name, "Path")
	typ, op := "", ""
	for prefix, t := range kinds {
		if rest, ok := strings.CutPrefix(base, prefix); ok {
			typ, op = t, operators[rest]
		}
	}
	if typ == "" && !strings.HasPrefix(name, "Is") {
		return "", value.Errorf("a Choice has no comparison %q", name)
	}
	if (typ == "string" || typ == "bool") && op != "==" {
		op = ""
	}
	literal, ok := choiceLiteral(typ, value)
	if op == "" || typ == "" || !other && !ok || b.tested[variable.Str()] || other && b.tested[value.Str()] {
		return b.host(variable.Str(), name, value), nil
	}
	compared, ok := b.value(variable.Str())
	with := expr{}
	if ok && other {
		with, ok = b.value(value.Str())
	}
	if !ok {
		return b.host(variable.Str(), name, value), nil
	}
	left := b.taken(compared, variable.Str(), typ)
	if other {
		literal = b.taken(with, value.Str(), typ)
	}
	if !b.errorPaths[variable.Str()] || other {
		return left + " " + op + " " + literal, nil
	}
	if c := b.category(value.Str()); c != value.Str() {
		return "(" + left + " == " + literal + " || " + left + " == " + foreign.Quote(c) + ")", nil
	}
	return left + " " + op + " " + literal, nil
}

func choiceLiteral(typ string, v *foreign.Value) (string, bool) {
	switch {
	case typ == "string" && v.Is(foreign.String):
		return foreign.Quote(v.Text), true
	case typ == "float" && v.Is(foreign.Number):
		return foreign.NumberText(v.Text)
	case typ == "bool" && v.Is(foreign.Bool):
		return v.Text, true
	}
	return "", false
}

// value is what stands at a path.
func (b *branches) value(path string) (value expr, ok bool) {
	if keys, plain := plainPath(path); plain && len(keys) > 0 {
		return b.read(keys, b.scope), true
	}
	return b.variable(path)
}

// taken is the field of a type that takes the value at a path: entering the Choice sets it.
func (b *branches) taken(value expr, path, typ string) string {
	id := value.text + "|" + typ
	b.readAs(value.text)
	field := b.typed[id]
	if field == "" {
		field = b.fields.SnakeFor("\x00"+id, path[strings.LastIndexAny(path, ".$")+1:])
		b.typed[id] = field
		note := ""
		if !b.errorPaths[path] {
			note = b.item.Part("%s is %s: the run halts on another value, where the original may continue", path, kindWords[typ])
		}
		b.m.Fields = append(b.m.Fields, foreign.Field{Name: field, Type: typ, Note: note})
	}
	effect := field + " = " + value.text
	if !slices.Contains(b.known, effect) && !slices.Contains(b.fresh, effect) {
		b.fresh = append(b.fresh, effect)
	}
	return field
}

// host is a comparison that a program answers.
func (b *branches) host(path, op string, value *foreign.Value) string {
	literal, _ := foreign.Literal(value)
	keys, plain := plainPath(path)
	name := path
	if plain && len(keys) > 0 {
		name = keys[len(keys)-1]
	}
	not := ""
	if strings.HasPrefix(op, "Is") && !value.True() {
		not, literal = "!", "true"
	}
	words := name + " " + op
	if !strings.HasPrefix(op, "Is") {
		words += " " + literal
	}
	return not + b.hostGuard(path+" "+op+" "+literal, words, path)
}

// hostGuard declares a guard of the host, and calls it with the field that path begins in.
func (b *branches) hostGuard(means, words, path string) string {
	keys, _ := plainPath(path)
	root := expr{text: b.data}
	for _, k := range b.kept {
		if len(keys) >= len(k.path) && slices.Equal(keys[:len(k.path)], k.path) {
			root.text, b.needs = k.field, true
		}
	}
	if e, ok := b.variable(path); ok {
		root.text, _, _ = strings.Cut(e.text, ".")
	}
	name := b.calls.SnakeFor("\x00"+means, words)
	if !b.guards[name] {
		b.guards[name] = true
		b.m.Guards = append(b.m.Guards, foreign.Decl{Text: name + "(value json)", Doc: "Reports whether this holds: " + means})
		b.part("a program has to answer %s", name)
	}
	return name + "(" + root.text + ")"
}
