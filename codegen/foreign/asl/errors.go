package asl

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// categories declares the errors that a Retry or a Catch names.
func (m *machine) categories(names *foreign.Value) {
	for _, n := range names.List() {
		c := m.category(n.Str())
		if c != n.Str() && !slices.Contains(m.spelled[c], n.Str()) {
			m.spelled[c] = append(m.spelled[c], n.Str())
		}
		if !strings.HasPrefix(n.Str(), "States.ALL") && !slices.Contains(builtIn, c) && !slices.Contains(m.m.Failures, c) {
			m.m.Failures = append(m.m.Failures, c)
			if original := foreign.Renamed(n.Str(), c); original != "" {
				m.m.Doc = strings.TrimSpace(m.m.Doc + "\n" + c + " is the error " + original)
			}
		}
	}
}

var builtIn = []string{"unknown", "timeout", "silent", "stalled", "all", "task_failed", "cancelled"}

// category is what an error is called here: States.Timeout is timeout, and Lambda.Unknown
// lambda_unknown. Two errors are never one category.
func (r *reader) category(name string) string {
	switch name {
	case "States.ALL":
		return "all"
	case "States.Timeout":
		return "timeout"
	case "States.HeartbeatTimeout":
		return "silent"
	case "States.TaskFailed":
		return "task_failed"
	}
	c := foreign.SnakeCase(name)
	if slices.Contains(builtIn, c) || c == "none" || c == "done" || c == "failed" || c == "event" || c == "cancel" || c == "now" || c == "true" || c == "false" || c == "set" || c == "unset" {
		c += "_error"
	}
	return r.errors.SnakeFor(name, c)
}

// taskCategories are those with which the activity of a Task may fail.
func (m *machine) taskCategories(st *foreign.Value) []string {
	all := slices.Clone(m.m.Failures)
	if st.Get("TimeoutSeconds") != nil || st.Get("TimeoutSecondsPath") != nil {
		all = append(all, "timeout")
	}
	if st.Get("HeartbeatSeconds") != nil || st.Get("HeartbeatSecondsPath") != nil {
		all = append(all, "silent")
	}
	return append(all, "unknown")
}

// matches reports whether a Retrier or a Catcher takes a category.
func (r *reader) matches(rule *foreign.Value, c string) bool {
	for _, n := range rule.Get("ErrorEquals").List() {
		switch name := r.category(n.Str()); {
		case name == "all" || name == c, name == "timeout" && c == "silent", name == "task_failed" && c != "timeout":
			return true
		}
	}
	return false
}

// group is categories with which the same happens.
type group struct {
	categories []string
	retry      *foreign.Value
	catch      *foreign.Value
}

func (r *reader) groups(st *foreign.Value, categories []string) []group {
	var all []group
	for _, c := range categories {
		g := group{[]string{c}, r.first(st.Get("Retry"), c), r.first(st.Get("Catch"), c)}
		i := slices.IndexFunc(all, func(o group) bool { return o.retry == g.retry && o.catch == g.catch })
		if i < 0 {
			all = append(all, g)
		} else {
			all[i].categories = append(all[i].categories, c)
		}
	}
	return all
}

func (r *reader) first(rules *foreign.Value, c string) *foreign.Value {
	for _, rule := range rules.List() {
		if r.matches(rule, c) {
			return rule
		}
	}
	return nil
}

// byRetrier puts the groups of one Retrier together, which counts them together wherever they are
// caught. Those with unknown come last.
func byRetrier(all []group) (sets [][]group) {
	slices.SortStableFunc(all, func(a, b group) int { return unknownIn([]group{a}) - unknownIn([]group{b}) })
	for _, g := range all {
		i := slices.IndexFunc(sets, func(set []group) bool { return g.retry != nil && set[0].retry == g.retry })
		if i < 0 {
			sets = append(sets, []group{g})
		} else {
			sets[i] = append(sets[i], g)
		}
	}
	slices.SortStableFunc(sets, func(a, b []group) int { return unknownIn(a) - unknownIn(b) })
	return sets
}

func unknownIn(set []group) int {
	if slices.ContainsFunc(set, func(g group) bool { return slices.Contains(g.categories, "unknown") }) {
		return 1
	}
	return 0
}

// failures writes what a Task does with failures: a handler for the categories with which
// the same happens; that of unknown is for all that no other lists.
func (m *machine) failures(st *foreign.Value, label string, categories []string) error {
	for _, set := range byRetrier(m.groups(st, categories)) {
		if err := m.handler(label, set); err != nil {
			return err
		}
	}
	return nil
}

// handler writes the handler of groups with one Retrier, or of one group without.
func (m *machine) handler(label string, same []group) error {
	var categories, arms []string
	for i, g := range same {
		categories = append(categories, g.categories...)
		if g.retry == nil && g.catch == nil && slices.Contains(g.categories, "unknown") {
			m.mayFail = true
			return nil // as the machine does
		}
		arm, err := m.caught(g, "event.category", "event.message")
		if err != nil {
			return err
		}
		if i < len(same)-1 {
			arm = whenOneOf("event.category", g.categories) + arm
		}
		arms = append(arms, arm)
	}
	m.long(same[0].retry.Get("IntervalSeconds"))
	list := "(" + strings.Join(categories, ", ") + ")"
	if slices.Contains(categories, "unknown") {
		list = ""
	}
	m.cur.Add("on " + label + "failed" + list + " " + strings.Join(retryText(same[0].retry, strings.Join(arms, " else ")), " else "))
	return nil
}

// whenOneOf is a guard that holds where a text is one of the categories; of unknown, which is all
// others, it is none.
func whenOneOf(text string, categories []string) string {
	if slices.Contains(categories, "unknown") {
		return ""
	}
	var tests []string
	for _, c := range categories {
		tests = append(tests, text+" == "+foreign.Quote(c))
	}
	return "when " + strings.Join(tests, " || ") + " "
}

// spellings are categories and what the original calls them: what a child fails with is a category where
// one of its activities has failed, and the name that the original has where a Fail state says it.
func (m *machine) spellings(categories []string) (all []string) {
	for _, c := range categories {
		all = append(append(all, c), m.spelled[c]...)
	}
	return all
}

// childFailures is the same for a child, which says in a field why it failed.
func (m *machine) childFailures(st *foreign.Value, label string, child *machine) error {
	if !child.usesFailed {
		return nil
	}
	err, cause := "event."+child.errorField, "event."+child.causeField
	var arms []string
	for _, set := range byRetrier(m.groups(st, append(slices.Clone(m.m.Failures), "timeout", "silent", "unknown"))) {
		var categories []string
		for _, g := range set {
			categories = append(categories, g.categories...)
		}
		m.long(set[0].retry.Get("IntervalSeconds"))
		if retry := retryText(set[0].retry, ""); len(retry) > 1 {
			arms = append(arms, whenOneOf(err, m.spellings(categories))+retry[0])
		}
		for _, g := range set {
			arm, bad := m.caught(g, err, cause)
			if bad != nil {
				return bad
			}
			arms = append(arms, whenOneOf(err, m.spellings(g.categories))+arm)
		}
	}
	if st.Get("Retry") != nil {
		m.part("a retry runs what failed again, and not all branches or elements")
	}
	m.cur.Add("on " + label + "." + child.failed + " " + strings.Join(arms, " else "))
	return nil
}

// caught is where a group leads in the end.
func (m *machine) caught(g group, err, cause string) (string, error) {
	if g.catch == nil {
		return "-> " + m.fail(err, cause), nil
	}
	target, bad := m.target(g.catch.Get("Next"))
	if bad != nil {
		return "", bad
	}
	return m.step(target, m.output(g.catch, object([]member{{"Error", expr{text: err, bare: true}}, {"Cause", expr{text: cause, bare: true}}}))), nil
}

// retryText is the retries of a Retrier, if any, and then arm.
func retryText(r *foreign.Value, arm string) []string {
	times := math.Trunc(r.Get("MaxAttempts").Float(3))
	if r == nil || times < 1 {
		return []string{arm}
	}
	times = min(times, 99_999_999)
	interval := r.Get("IntervalSeconds").Float(1)
	rate := min(r.Get("BackoffRate").Float(2), 1e11) // which makes more than a year of a second
	last := interval * math.Pow(rate, times-1)
	if limit := r.Get("MaxDelaySeconds"); limit.Is(foreign.Number) {
		last = max(interval, min(last, limit.Float(last)))
	}
	wait := foreign.Seconds(interval)
	if end := foreign.Seconds(last); end != wait {
		wait += ".." + end
		if rate != 2 {
			factor, _ := foreign.NumberText(fmt.Sprint(rate))
			wait += " factor " + factor
		}
	}
	jitter := "0"
	if r.Get("JitterStrategy").Str() == "FULL" {
		jitter = "1"
	}
	return []string{fmt.Sprintf("retry %d backoff %s jitter %s", int64(times), wait, jitter), arm}
}
