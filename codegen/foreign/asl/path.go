package asl

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var bracket = regexp.MustCompile(`\[(?:'([^'\]]*)'|"([^"\]]*)")\]`)

var isPath = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// plainPath is the keys of a path such as $.order.id or $['order']; false for one with
// indices, filters, functions, or keys that are no names.
func plainPath(s string) ([]string, bool) {
	rest, ok := strings.CutPrefix(s, "$")
	if !ok {
		return nil, false
	}
	rest = bracket.ReplaceAllString(rest, ".$1$2")
	if rest == "" || rest == "." {
		return nil, true
	}
	keys := strings.Split(strings.TrimPrefix(rest, "."), ".")
	return keys, strings.HasPrefix(rest, ".") && !slices.ContainsFunc(keys, func(k string) bool { return !foreign.Valid(k) })
}

// expr is an expression; of an object that is built its members are known.
type expr struct {
	text    string
	members []member
	items   []expr // of a list that is built
	kept    []keep // of the data as a whole with what is kept beside it
	bare    bool   // a string of an event, which is no json by itself
	gone    bool   // it, or an item of it, is null in place of what is not computed
}

type member struct {
	key   string
	value expr
}

// at is what an expression has at keys.
func (e expr) at(keys []string) expr {
	if e.kept != nil && len(keys) > 0 {
		for _, k := range e.kept {
			if len(keys) >= len(k.path) && slices.Equal(keys[:len(k.path)], k.path) {
				return e.member(k.field).at(keys[len(k.path):])
			}
		}
		return e.member("data").at(keys)
	}
	for i, k := range keys {
		switch {
		case e.members != nil:
			e = e.member(k)
		case !isPath.MatchString(e.text) || e.text == "true" || e.text == "false" || e.text == "null":
			return expr{text: "null"} // a literal has no members
		default:
			return expr{text: e.text + "." + strings.Join(keys[i:], ".")}
		}
	}
	return e
}

func (e expr) member(key string) expr {
	for _, m := range e.members {
		if m.key == key {
			return m.value
		}
	}
	return expr{text: "null"}
}

// object builds an object of members.
func object(members []member) expr {
	if members == nil {
		members = []member{}
	}
	text := ir.Listed(members, func(m member) string { return foreign.Quote(m.key) + ": " + m.value.text })
	return expr{text: "{" + text + "}", members: members}
}

// list builds a list of items.
func list(items []expr) expr {
	return expr{text: "[" + ir.Listed(items, func(e expr) string { return e.text }) + "]", items: items, gone: slices.ContainsFunc(items, expr.lacks)}
}

// indexed is a path into a list, such as $[1].id.
var indexed = regexp.MustCompile(`^\$\[(\d{1,4})\](.*)$`)

// item is what a path into a list that is built gives; false for any other.
func (e *expr) item(path string) (expr, bool) {
	parts := indexed.FindStringSubmatch(path)
	if e == nil || parts == nil {
		return expr{}, false
	}
	n, _ := strconv.Atoi(parts[1])
	keys, plain := plainPath("$" + parts[2])
	if !plain || n >= len(e.items) {
		return expr{}, false
	}
	return e.items[n].at(keys), true
}

// scope is what paths mean where they stand.
type scope struct {
	root   *expr // `$`; nil for the data of the machine
	result *expr // $states.result, and $states.errorOutput
	item   bool  // the element of a Map and its index may be read
}

// read is what stands at keys of the data.
func (m *machine) read(keys []string, s scope) expr {
	if s.root != nil {
		return s.root.at(keys)
	}
	for _, k := range m.kept {
		if len(keys) >= len(k.path) && slices.Equal(keys[:len(k.path)], k.path) {
			m.needs = true
			return expr{text: strings.Join(append([]string{k.name()}, keys[len(k.path):]...), ".")}
		}
	}
	if len(keys) == 0 && len(m.kept) > 0 {
		return m.everything()
	}
	for _, k := range m.kept {
		m.needs = m.needs || slices.Equal(k.path[:min(len(keys), len(k.path))], keys)
		if slices.Equal(k.path[:min(len(keys), len(k.path))], keys) {
			m.part("$.%s is read without what is kept at $.%s", strings.Join(keys, "."), strings.Join(k.path, "."))
			break
		}
	}
	return expr{text: m.data}.at(keys)
}

// everything is the data with what is kept beside it.
func (m *machine) everything() expr {
	members := []member{{"data", expr{text: m.data}}}
	for _, k := range slices.Backward(m.kept) {
		members = append(members, member{k.field, expr{text: k.name()}})
	}
	m.whole, m.needs = true, true
	e := object(members)
	e.kept = m.kept
	return e
}

// replace gives the data a new value, and what is kept the places of it.
func (m *machine) replace(e expr) []string {
	if e.text == m.data || e.kept != nil {
		return nil // it is what it was
	}
	effects := []string{m.set(m.data, e)}
	for _, k := range slices.Backward(m.kept) {
		if value := e.at(k.path); k.scalar {
			effects = append(effects, k.field+` = {"value": `+value.text+"}")
		} else {
			effects = append(effects, m.set(k.field, value))
		}
	}
	return effects
}

// context is a value of the context object, `$$.` or $states.context.
func (m *machine) context(keys []string, s scope) (expr, bool) {
	path := strings.Join(keys, ".")
	if m.parent != nil && (strings.HasPrefix(path, "Execution.") || path == "StateMachine.Name") {
		if path == "Execution.Input" || strings.HasPrefix(path, "Execution.Input.") {
			return m.outside("input").at(keys[2:]), true
		}
		m.part("$$.%s is that of the run of the branch or element", path)
	}
	switch {
	case path == "Execution.Id" || path == "Execution.Name":
		return expr{text: "run.id"}, true
	case path == "Execution.StartTime":
		return expr{text: "text(run.started)"}, true
	case path == "StateMachine.Name":
		return expr{text: "run.machine"}, true
	case path == "Execution.Input" || strings.HasPrefix(path, "Execution.Input."):
		return expr{text: "input"}.at(keys[2:]), true
	case path == "State.Name":
		return expr{text: foreign.Quote(m.item.Place)}, true
	case path == "Map.Item.Index" && s.item:
		return expr{text: "index"}, true
	case (path == "Map.Item.Value" || strings.HasPrefix(path, "Map.Item.Value.")) && s.item:
		return expr{text: "item"}.at(keys[3:]), true
	case path == "Task.Token":
		m.part("the task token is the run's id and the name of the activity: answer with fsmc complete")
		return expr{text: "run.id"}, true
	}
	return expr{}, false
}

// name is how a place that is kept is read.
func (k keep) name() string {
	if k.scalar {
		return k.field + ".value"
	}
	return k.field
}

// set is the effect that gives a field a value. It notes which places then have none that fits a type.
func (m *machine) set(field string, e expr) string {
	text := m.asJSON(e)
	if text != e.text {
		m.unfit[field] = `another state puts it behind a key, "value"`
	}
	m.unfits(field, e)
	return field + " = " + text
}

func (m *machine) unfits(place string, e expr) {
	if e.gone {
		m.unfit[place] = "another state does not compute it"
	}
	for _, inner := range e.members {
		m.unfits(place+"."+inner.key, inner.value)
	}
}

// typedRead is a place that is read as a value of a type, and where.
type typedRead struct {
	place string
	item  *foreign.Item
	state *foreign.State
}

// readAs notes that the state at hand reads text as a value of a type.
func (m *machine) readAs(text string) {
	m.typedReads = append(m.typedReads, typedRead{text, m.item, m.cur})
}

// sayUnfit says where a run halts because it reads what has no value that fits.
func (m *machine) sayUnfit() {
	for _, r := range m.typedReads {
		if why := m.unfit[r.place]; why != "" {
			r.state.Lines = append([]string{r.item.Lost("%s is read here, but %s: the run halts", r.place, why)}, r.state.Lines...)
		}
	}
}

// asJSON is e where a json is wanted: a string, a number or a bool is no json by itself,
// and stands behind a key.
func (m *machine) asJSON(e expr) string {
	bare := e.bare || e.text == "true" || e.text == "false" || e.text == "run.id" || e.text == "run.machine" || e.text == "index"
	if !bare && strings.IndexByte("\"-0123456789", e.text[0]) < 0 && !strings.HasPrefix(e.text, "text(") {
		return e.text
	}
	m.part("%s stands behind a key, \"value\"", e.text)
	return `{"value": ` + e.text + "}"
}
