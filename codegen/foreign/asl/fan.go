package asl

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// child makes the machine of a branch or of an element.
// arg is what it is given.
func (m *machine) child(key string, st, def *foreign.Value, arg expr) (*machine, error) {
	name := m.names.TitleFor("\x00"+m.m.Name+"."+key, m.m.Name+foreign.NewNames().Title(key))
	outer := slices.Clone(m.outer)
	for _, rule := range append(slices.Clone(st.Get("Retry").List()), st.Get("Catch").List()...) {
		outer = append(outer, rule.Get("ErrorEquals"))
	}
	item, cur := m.item, m.cur
	items, machines := len(m.report.Items), len(m.draft.Machines)
	c := newMachine(m.reader, m, name, def)
	c.inherited, c.outer = arg.kept, outer
	err := c.build()
	if err == nil && len(c.inherited) > 0 && !c.needs {
		// It is made again without fields that nobody reads.
		m.report.Items, m.draft.Machines = m.report.Items[:items], m.draft.Machines[:machines]
		c = newMachine(m.reader, m, name, def)
		c.inherited, c.outer, c.without = arg.kept, outer, true
		err = c.build()
	}
	m.item, m.cur = item, cur
	if len(c.around) > 0 {
		c.m.Params += ", around json"
	}
	if err == nil {
		m.draft.Machines = append(m.draft.Machines, c.m)
		m.mayFail = true
	}
	return c, err
}

// outside is a value of a machine around, the execution's input or the field of a variable, which whoever starts this one
// hands down.
func (m *machine) outside(name string) expr {
	if !slices.Contains(m.around, name) {
		m.around = append(m.around, name)
	}
	return expr{text: "around." + name}
}

// variableAround is the field of a variable that a machine around assigns; empty where none does.
func (m *machine) variableAround(name string) string {
	for p := m.parent; p != nil; p = p.parent {
		if p.vars[name] != "" {
			return p.vars[name]
		}
	}
	return ""
}

// handsDown is the argument with what c reads of the machines around it.
func (m *machine) handsDown(c *machine) string {
	if len(c.around) == 0 {
		return ""
	}
	var members []member
	for _, name := range c.around {
		value := expr{text: name}
		if own := slices.Contains(slices.Collect(maps.Values(m.vars)), name); !own && m.parent != nil {
			value = m.outside(name)
		}
		members = append(members, member{name, value})
	}
	return ", " + object(members).text
}

// parallel runs a machine for each branch, side by side.
func (m *machine) parallel(key string, st *foreign.Value) error {
	next, err := m.next(st)
	if err != nil {
		return err
	}
	branches := st.Get("Branches").List()
	if len(branches) == 0 {
		return st.Errorf("state %q has no Branches", key)
	}
	args := m.arguments(st)
	var results []expr
	for i, b := range branches {
		c, err := m.child(fmt.Sprintf("%s branch %d", key, i+1), st, b, args)
		if err != nil {
			return err
		}
		label := fmt.Sprintf("branch_%d", i+1)
		m.cur.Add("do machine " + c.m.Name + "(" + m.asJSON(args) + m.handsDown(c) + ") as " + label)
		result := m.field(fmt.Sprintf("%s result %d", key, i+1), "json", "null", "")
		results = append(results, c.returnedAs(result))
		if c.usesSucceeded {
			m.cur.Add("on " + label + "." + c.succeeded + " { " + result + " = " + c.returned() + " }")
		}
		if err := m.childFailures(st, label, c); err != nil {
			return err
		}
	}
	m.cur.Add("on done " + m.step(next, m.output(st, list(results))))
	return nil
}

// each runs a machine for each element of a list.
func (m *machine) each(key string, st *foreign.Value) error {
	next, err := m.next(st)
	if err != nil {
		return err
	}
	def := cmp.Or(st.Get("ItemProcessor"), st.Get("Iterator"))
	if !def.Is(foreign.Object) {
		return st.Errorf("state %q has no ItemProcessor", key)
	}
	state := m.cur
	items := m.field(key+" items", "[0..1000]json", "[]", m.item.Part("at most 1,000 elements; the original has no limit"))
	m.items(key, st, items)
	args := m.itemArguments(st)
	c, err := m.child(key+" item", st, def, args)
	if err != nil {
		return err
	}
	m.cur.Add(fmt.Sprintf("do machine %s(%s%s) for index, item in %s%s as each", c.m.Name, m.asJSON(args), m.handsDown(c), items, m.atOnce(st)))
	results := m.field(key+" results", "json", "[]", m.resultsNote(st))
	if c.usesSucceeded {
		m.cur.Add("on each." + c.succeeded + " { " + results + " = " + results + " + " + c.returned() + " }")
	}
	if err := m.tolerated(key, st, c); err != nil {
		return err
	}
	if st.Get("ResultWriter") != nil {
		m.lost("the ResultWriter")
	}
	m.cur.Add("on done " + m.step(next, m.output(st, expr{text: results})))
	state.Add("")
	return nil
}

// resultsNote says that results stand in the order in which the elements end, where that is
// not the order of the elements and somebody may read them.
func (m *machine) resultsNote(st *foreign.Value) string {
	inTurn := st.Get("MaxConcurrency").Float(0) == 1 && st.Get("Retry") == nil
	if rp := st.Get("ResultPath"); inTurn || rp != nil && rp.Kind == foreign.Null {
		return ""
	}
	return m.item.Part("the results are in the order in which the elements end")
}

// items fills the list: on entering, or by an activity where an ItemReader reads it.
func (m *machine) items(key string, st *foreign.Value, items string) {
	results := m.fields.SnakeFor("\x00"+key+" results", key+" results")
	if reader := st.Get("ItemReader"); reader != nil {
		m.mayFail = true
		name := m.call(key+" read items", reader.Get("Resource").Str(), "items [0..1000]json")
		args := expr{text: "{}"}
		for _, k := range []string{"Parameters", "Arguments"} {
			if p := reader.Get(k); p != nil {
				args = m.handed(func() expr { return m.payload(p, m.input(st)) })
			}
		}
		m.readItems(key, name, args.text, items, results)
		return
	}
	list, lost := m.computed(func() expr { return m.elements(st) })
	switch {
	case lost != nil:
		m.part("an activity makes the list")
		m.mayFail = true
		args := m.handed(func() expr { return m.elements(st) })
		m.readItems(key, m.call(key+" read items", "the elements", "items [0..1000]json"), object([]member{{"elements", args}}).text, items, results)
		return
	case list.text == "null":
		list.text = "[]"
	case strings.HasPrefix(list.text, "{"):
		m.lost("the elements of an object")
		list.text = "[]"
	case strings.HasPrefix(list.text, `"`):
		m.lost("the elements: Items is a text, and no list")
		list.text = "[]"
	}
	if strings.HasPrefix(list.text, "[") && list.text != "[]" {
		m.listed(key, list.text, items, results)
		return
	}
	m.cur.Add("entry { " + items + " = " + list.text + ", " + results + " = [] }")
}

// readItems has an activity fill the list.
func (m *machine) readItems(key, name, args, items, results string) {
	m.cur.Add("do " + name + "(" + args + ")")
	reading := m.behind("Items")
	reading.Add("on " + m.events.Title(key+" read items done") + " -> " + m.cur.Name + " { " + items + " = event.items, " + results + " = [] }")
}

// elements is the list of which each element is worked on.
func (m *machine) elements(st *foreign.Value) expr {
	if p := st.Get("ItemsPath"); p != nil {
		return m.path(p.Str(), m.input(st))
	}
	if v := st.Get("Items"); v != nil {
		return m.payload(v, scope{})
	}
	if st.Get("InputPath") != nil {
		return m.read(nil, m.input(st))
	}
	return expr{text: m.data}
}

// listed fills the list with what is written as one: a list of json is what stands in a json, so
// it takes a state of its own.
func (m *machine) listed(key, text, items, results string) {
	written := m.field(key+" written", "json", "null", "")
	m.cur.Add("entry { " + written + ` = {"items": ` + text + "} }")
	before := m.behind("Items")
	before.Add("on done -> " + m.cur.Name + " { " + items + " = " + written + ".items, " + results + " = [] }")
}

func (m *machine) itemArguments(st *foreign.Value) expr {
	for _, k := range []string{"ItemSelector", "Parameters"} {
		if p := st.Get(k); p != nil {
			s := m.input(st)
			s.item = true
			return m.payload(p, s)
		}
	}
	if st.Get("ItemBatcher") != nil {
		m.lost("the ItemBatcher: each element runs by itself")
	}
	return expr{text: "item"}
}

func (m *machine) atOnce(st *foreign.Value) string {
	v := st.Get("MaxConcurrency")
	if n := v.Float(0); n >= 1 {
		return fmt.Sprintf(" limit %d", int(min(n, 1000)))
	}
	if st.Get("MaxConcurrencyPath") != nil || v.Is(foreign.String) {
		m.part("how many run at once is read from the data in the original; 10 is a guess")
		return " limit 10"
	}
	return ""
}

// threshold is the error of a Map of which more elements fail than may. That of a distributed Map
// has no other, since what its elements fail with stays inside.
const threshold = "States.ExceedToleratedFailureThreshold"

// tolerated handles elements that fail: the state fails at once, or when more have failed than may.
func (m *machine) tolerated(key string, st *foreign.Value, c *machine) error {
	count, share := st.Get("ToleratedFailureCount"), st.Get("ToleratedFailurePercentage")
	if st.Get("ToleratedFailureCountPath") != nil || st.Get("ToleratedFailurePercentagePath") != nil || count.Is(foreign.String) || share.Is(foreign.String) {
		m.gone("how many elements may fail is read from the data in the original: here none may")
	}
	n := int(max(0, min(count.Float(0), 1000)))
	if !c.usesFailed {
		return nil
	}
	switch percent := share.Float(0); {
	case percent >= 100 && n == 0:
		m.cur.Add("on each." + c.failed + " {}")
		return nil
	case percent > 0 && percent < 100 && n == 0:
		m.gone("so many elements in a hundred may fail: here none may")
	case percent > 0 && percent < 100:
		m.gone("so many elements in a hundred may fail, too: here only their number counts")
	}
	config := st.Get("ItemProcessor").Get("ProcessorConfig")
	if n == 0 && share.Float(0) <= 0 && config.Get("Mode").Str() != "DISTRIBUTED" {
		return m.childFailures(st, "each", c)
	}
	rule := m.category(threshold)
	arm, err := m.caught(group{catch: m.first(st.Get("Catch"), rule)}, foreign.Quote(threshold), "event."+c.causeField)
	if err != nil {
		return err
	}
	arms := retryText(m.first(st.Get("Retry"), rule), arm)
	if len(arms) > 1 {
		m.part("a retry runs the element again that failed last, and not all")
	}
	if n > 0 {
		bad := m.field(key+" failed elements", "int 0..1000", "0", "")
		m.cur.Add("exit { " + bad + " = 0 }")
		arms = append([]string{fmt.Sprintf("when %s < %d { %s = %s + 1 }", bad, n, bad, bad)}, arms...)
	}
	m.cur.Add("on each." + c.failed + " " + strings.Join(arms, " else "))
	return nil
}
