package asl

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// What is not computed here is work of the host where an activity can do it. An activity gets what an
// expression reads in place of its value. It answers with what is made of its result, and a Pass, or the list
// of a Map, that cannot be written is an activity of its own.

// answer is the result of an activity.
const answer = "event.result"

// lacks reports whether some part of e is not computed.
func (e expr) lacks() bool {
	return e.gone || slices.ContainsFunc(e.members, func(m member) bool { return m.value.lacks() })
}

// computed is what build gives. Where not all of it is computed nothing is noted, and lost is what is not.
func (m *machine) computed(build func() expr) (e expr, lost []string) {
	item, lines := *m.item, len(m.cur.Lines)
	if e = build(); !e.lacks() {
		return e, nil
	}
	for _, why := range m.item.Why[len(item.Why):] {
		if text, ok := strings.CutSuffix(why, " is not computed"); ok {
			lost = append(lost, strings.TrimPrefix(text, "lost: "))
		}
	}
	*m.item, m.cur.Lines = item, m.cur.Lines[:lines]
	return e, append(lost, "a part of it")[:max(len(lost), 1)]
}

// made is what build makes of the result of a state. If not all of it is computed, an activity is to answer with it; by
// says what makes it. What a state assigns reads the result as it was, so that it stays as it is there.
func (m *machine) made(st *foreign.Value, result expr, by string, build func() expr) expr {
	if result.text != answer || st.Get("Assign") != nil {
		return build()
	}
	e, lost := m.computed(build)
	if lost == nil {
		return e
	}
	m.part("the activity answers with what its %s makes of its result: %s is not computed", by, strings.Join(lost, " and "))
	return result
}

// handed is what an activity gets: what build gives, with what an expression that is not computed reads in its place.
func (m *machine) handed(build func() expr) expr {
	m.hands = true
	defer func() { m.hands = false }()
	return build()
}

// uncomputed is an expression that has no form here, and reads what is given; known is false where it reads more.
func (m *machine) uncomputed(text string, reads []expr, known bool) expr {
	if !m.hands || !known {
		m.lost("%s is not computed", text)
		return expr{text: "null", gone: true}
	}
	m.part("the activity gets what %s reads, and computes it", text)
	return object([]member{{text, list(reads)}})
}

var (
	quoted  = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`)
	pathsIn = regexp.MustCompile(`\$\$?(?:[A-Za-z_]\w*)?(?:\.[A-Za-z_]\w*)*`)
)

// reads are the values that an expression reads, each once; known is false where there are others, such as those of the
// context object, which no program outside has, and the variables around a branch.
func reads(text string, read func(path string) (expr, bool)) (out []expr, known bool) {
	text, known = quoted.ReplaceAllString(text, ""), true
	for _, at := range pathsIn.FindAllStringIndex(text, -1) {
		e, ok := read(text[at[0]:at[1]])
		switch {
		case strings.HasPrefix(text[at[1]:], "("): // a function
		case !ok:
			known = false
		case !slices.ContainsFunc(out, func(o expr) bool { return o.text == e.text }):
			out = append(out, e)
		}
	}
	return out, known
}

// readPath is what a plain path of JSONPath gives.
func (m *machine) readPath(text string, s scope) (expr, bool) {
	if rest, ok := strings.CutPrefix(text, "$$"); ok {
		keys, plain := plainPath("$" + rest)
		if !plain {
			return expr{}, false
		}
		return m.context(keys, s)
	}
	if keys, plain := plainPath(text); plain {
		return m.read(keys, s), true
	}
	return m.variable(text)
}

// passedBy makes of a Pass the activity that computes it. It gets what the Pass is made of.
func (m *machine) passedBy(key string, st *foreign.Value, next string) error {
	m.part("an activity does what this Pass does")
	args := m.handed(func() expr { return m.passes(st) })
	m.cur.Add("do " + m.call(key, "what the Pass does", "result json") + "(" + m.asJSON(args) + ")")
	m.cur.Add("on " + m.events.Title(key+" done") + " " + m.step(next, m.passesOn(st, expr{text: answer})))
	return m.failures(st, "", m.taskCategories(st))
}
