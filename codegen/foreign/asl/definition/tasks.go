package definition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign/plan"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

const (
	lambda = "arn:aws:states:::lambda:invoke"
	child  = "arn:aws:states:::states:startExecution.sync:2"
	token  = "arn:aws:states:::events:putEvents.waitForTaskToken"
)

// invoked is the arguments with which what is called so under a key is called, with its own under another.
func invoked(key, name, own string, arguments obj) obj {
	o := obj{{key, name}}
	if len(arguments) > 0 {
		o = append(o, member{own, arguments})
	}
	return o
}

// leaf adds the states of a leaf.
func (w *writer) leaf(s *ir.State) {
	w.item = w.report.Item(s.Path, s.Span.Start.Line)
	if len(s.Defer) > 0 {
		w.note(w.item.Lost, "what it defers is not kept")
	}
	w.outerTimers(s)
	done := w.m.Choices(s, ir.Case{Kind: ir.CaseDone})
	switch {
	case s.IsChoice():
		w.follow(s.Path, s.Path, w.ways(s, done, w.query(), s.Path), "")
	case len(s.Dos) == 0:
		w.waiting(s)
	default:
		w.deaf(s)
		end := w.ended(s, done)
		switch d := s.Dos[0]; {
		case len(s.Dos) > 1:
			w.parallel(s, end)
		case d.Fan != nil:
			w.each(s, d, end)
		default:
			w.single(s, d, end)
		}
	}
}

// outerTimers says which timers of states around s nothing watches.
func (w *writer) outerTimers(s *ir.State) {
	for _, around := range s.Chain()[1:] {
		if around == w.m.Root {
			break
		}
		for _, t := range around.Timers {
			w.note(w.item.Lost, "%s of %s", t.Text(), around.Path)
		}
	}
}

// deaf says which events are not taken while s runs its activities.
func (w *writer) deaf(s *ir.State) {
	if events := w.events(s); len(events) > 0 {
		w.note(w.item.Lost, "%s: no event is taken while a task runs", strings.Join(events, ", "))
	}
}

// events are those that some arm takes in s.
func (w *writer) events(s *ir.State) (events []string) {
	for _, c := range w.m.Cases(s) {
		takes := func(c ir.Choice) bool { return c.Arm != nil && c.Arm.Kind != ir.Reject && c.Arm.Kind != ir.IgnoreArm }
		if c.Kind == ir.CaseEvent && slices.ContainsFunc(w.m.Choices(s, c), takes) {
			events = append(events, c.Event.Name)
		}
	}
	return events
}

// ended is where the activities of s lead when all have ended with the run still there.
func (w *writer) ended(s *ir.State, done []ir.Choice) string {
	if len(done) == 0 {
		return s.Path // no run is there
	}
	return w.follow("", s.Path+" has ended", w.ways(s, done, w.query(), s.Path), "")
}

// single adds the one activity of s.
func (w *writer) single(s *ir.State, d *ir.Do, end string) {
	o := w.task(s, d, w.query())
	timer := w.timer(s)
	if timer != nil && (d.Timeout != nil || w.retries(s)) {
		w.note(w.item.Lost, "%s: a task has one limit, which is that of an attempt", timer.Text())
		timer = nil
	}
	if timer != nil {
		o = append(o, member{"TimeoutSeconds", w.wait(timer)})
	}
	next := w.results(s, d, "$states.input", end)
	o = append(o, member{"Catch", []any{obj{
		{"ErrorEquals", []string{"States.ALL"}}, {"Output", w.failure(d, timer)}, {"Next", w.failures(s, d, "$states.input", end, timer)},
	}}}, member{"Next", next})
	w.add(s.Path, o)
}

// task is what runs an attempt of d, with its limits and retries, and an Output that is the result.
func (w *writer) task(s *ir.State, d *ir.Do, q *query) obj {
	arguments := q.arguments(d.Activity.Params, d.Args)
	o := obj{{"Type", "Task"}, {"Resource", lambda}, {"Arguments", invoked("FunctionName", d.Activity.Name, "Payload", arguments)}, {"Output", formula("$states.result.Payload")}}
	if d.Activity.Machine != nil {
		input := invoked("StateMachineArn", d.Activity.Name, "Input", arguments)
		o = obj{{"Type", "Task"}, {"Resource", child}, {"Arguments", input}, {"Output", formula("$states.result.Output")}}
	}
	if d.Timeout != nil {
		o = append(o, member{"TimeoutSeconds", w.seconds(*d.Timeout)})
	}
	if d.Heartbeat != nil {
		o = append(o, member{"HeartbeatSeconds", w.seconds(*d.Heartbeat)})
	}
	if d.Progress != nil {
		w.note(w.item.Part, "nothing watches the progress of %s", d.Activity.Name)
	}
	if d.Scope.Kind != ir.PerVisit {
		w.note(w.item.Data, "the key with which attempts of other visits are known for the same: %s may happen twice", d.Activity.Name)
	}
	if d.Activity.Limit != (ir.Limit{}) {
		w.note(w.item.Data, "how many attempts of %s may run in all runs together", d.Activity.Name)
	}
	if retry := w.retry(s, d); len(retry) > 0 {
		o = append(o, member{"Retry", retry})
	}
	return o
}

// results adds the states that take the results of d, and is the first of them.
func (w *writer) results(s *ir.State, d *ir.Do, event, end string) string {
	q := w.query()
	q.event = event
	if len(d.Activity.Results) == 0 {
		return end
	}
	var ways []way
	for _, e := range d.Activity.Results {
		own := w.ways(s, w.m.Choices(s, ir.Case{Kind: ir.CaseResult, Do: d, Event: e}), q, end)
		ways = append(ways, w.where(own, len(d.Activity.Results) > 1, event+".type = "+plan.Quote(e.Exit()))...)
	}
	return w.follow("", s.Path, ways, "")
}

// where is ways that hold under a condition, too.
func (w *writer) where(ways []way, needed bool, cond string) []way {
	for i := range ways {
		if needed {
			ways[i].conds = append([]string{cond}, ways[i].conds...)
		}
	}
	return ways
}

// failure is what stands for `event` where d has failed.
func (w *writer) failure(d *ir.Do, timer *ir.Timer) obj {
	failed := "$states.errorOutput.Error"
	category := `"unknown"`
	var declared []string
	for _, c := range w.m.FailuresOf(d) {
		switch {
		case !c.BuiltIn:
			declared = append(declared, plan.Quote(c.Name))
		case c.Name == ir.Silent:
			category = fmt.Sprintf(`%s = "States.HeartbeatTimeout" ? "silent" : %s`, failed, category)
		}
	}
	if len(declared) > 0 {
		category = fmt.Sprintf("%s in [%s] ? %s : %s", failed, strings.Join(declared, ", "), failed, category)
	}
	switch {
	case timer != nil:
		category = fmt.Sprintf(`%s = "States.Timeout" ? "after" : %s`, failed, category)
	case d.Timeout != nil:
		category = fmt.Sprintf(`%s = "States.Timeout" ? "timeout" : %s`, failed, category)
	}
	o := obj{{"category", formula(category)}, {"message", formula(`[$string($states.errorOutput.Cause), ""][0]`)}, {"activity", d.Activity.Name}, {"attempt", int64(1)}}
	if failing(d) != nil {
		o = append(o, member{"type", formula("[$parse($states.errorOutput.Cause).Error, null][0]")})
	}
	return o
}

// failing are the terminals of a machine that is called whose runs fail there: what is returned
// is lost.
func failing(d *ir.Do) (events []*ir.Event) {
	for _, e := range d.Activity.Results {
		if e.Terminal != nil && e.Terminal.Outcome != "success" {
			events = append(events, e)
		}
	}
	return events
}

// failures adds the states that take the failures of d, and is the first of them.
func (w *writer) failures(s *ir.State, d *ir.Do, event, end string, timer *ir.Timer) string {
	q := w.query()
	q.event = event
	var ways []way
	for _, e := range failing(d) {
		if len(e.Fields) > 0 {
			w.note(w.item.Data, "what %s returns", e.Exit())
		}
		own := w.ways(s, w.m.Choices(s, ir.Case{Kind: ir.CaseResult, Do: d, Event: e}), q, end)
		ways = append(ways, w.where(own, true, event+".type = "+plan.Quote(e.Exit()))...)
	}
	if timer != nil {
		ways = append(ways, w.where(w.fired(s, timer), true, event+`.category = "after"`)...)
	}
	categories := w.m.FailuresOf(d)
	choices := func(c *ir.Category) []ir.Choice {
		return w.m.Choices(s, ir.Case{Kind: ir.CaseFailure, Do: d, Category: c})
	}
	for i, c := range categories {
		same := func(o *ir.Category) bool { return slices.Equal(choices(o), choices(c)) }
		if slices.ContainsFunc(categories[:i], same) {
			continue
		}
		var names []string
		for _, o := range categories {
			if same(o) {
				names = append(names, plan.Quote(o.Name))
			}
		}
		list := slices.DeleteFunc(choices(c), func(c ir.Choice) bool { return c.Arm != nil && w.native(c.Arm) })
		own := w.ways(s, list, q, end)
		ways = append(ways, w.where(own, len(names) < len(categories), event+".category in ["+strings.Join(names, ", ")+"]")...)
	}
	return w.follow("", s.Path+" has failed", ways, "")
}
