package definition

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// waiting adds a leaf that runs nothing: a Wait where only a timer leads out, else a Task that waits
// for its token. Who answers the token says which event comes.
func (w *writer) waiting(s *ir.State) {
	timer := w.timer(s)
	events := w.events(s)
	if timer != nil && len(events) == 0 {
		next := w.follow("", s.Path, w.fired(s, timer), "")
		w.add(s.Path, obj{{"Type", "Wait"}, {"Seconds", w.wait(timer)}, {"Next", next}})
		return
	}
	w.note(w.item.Part, "an event is the answer to a task token: an object with its name as type")
	detail := obj{{"run", formula("$states.context.Execution.Name")}, {"state", s.Path}, {"token", formula("$states.context.Task.Token")}}
	if len(events) > 0 {
		detail = append(detail, member{"events", events})
	}
	entry := obj{{"Source", "fsmc." + w.m.Name}, {"DetailType", "waiting"}, {"Detail", detail}}
	o := obj{{"Type", "Task"}, {"Resource", token}, {"Arguments", obj{{"Entries", []any{entry}}}}, {"Output", formula("$states.result")}}
	if timer != nil {
		next := w.follow("", s.Path, w.fired(s, timer), "")
		o = append(o, member{"TimeoutSeconds", w.wait(timer)}, member{"Catch", []any{obj{{"ErrorEquals", []string{"States.Timeout"}}, {"Next", next}}}})
	}
	var ways []way
	for _, c := range w.m.Cases(s) {
		if c.Kind == ir.CaseEvent {
			ways = append(ways, w.where(w.ways(s, w.m.Choices(s, c), w.query(), s.Path), true, `$states.input.type = "`+c.Event.Name+`"`)...)
		}
	}
	next := s.Path
	if len(ways) > 0 {
		next = w.follow("", s.Path, ways, s.Path)
	}
	w.stays(s, timer, ways)
	w.add(s.Path, append(o, member{"Next", next}))
}

// stays says that a timer starts again with each event that is taken without leaving s.
func (w *writer) stays(s *ir.State, timer *ir.Timer, ways []way) {
	for _, y := range ways {
		if timer != nil && y.next == s.Path && len(y.assign)+len(y.sends) > 0 {
			w.note(w.item.Lost, "%s: it starts again with each event", timer.Text())
			return
		}
	}
}

// timer is the one of s itself that can be watched.
func (w *writer) timer(s *ir.State) *ir.Timer {
	if len(s.Timers) == 0 {
		return nil
	}
	var rest []string
	for _, t := range s.Timers[1:] {
		rest = append(rest, t.Text())
	}
	if len(rest) > 0 {
		w.note(w.item.Lost, "%s: a state has one timer", strings.Join(rest, ", "))
	}
	if s.Timers[0].Idle {
		w.note(w.item.Lost, "%s: it is not put off by what comes meanwhile", s.Timers[0].Text())
	}
	return s.Timers[0]
}

// wait is how many seconds a timer takes.
func (w *writer) wait(t *ir.Timer) any {
	if t.Jitter != nil {
		w.note(w.item.Part, "%s waits without chance", t.Text())
	}
	if t.Var == nil {
		return w.seconds(t.Delay)
	}
	x := w.query().read(t.Var)
	if t.Var.Type.Kind == ir.Time {
		x = "(" + x + " - $millis())"
	}
	return formula("$max([1, $ceil(" + x + " / 1000)])")
}

// fired are the ways of a timer. One whose arm stays in s starts again.
func (w *writer) fired(s *ir.State, t *ir.Timer) []way {
	choices := w.m.Choices(s, ir.Case{Kind: ir.CaseTimer, Timer: t})
	if slices.ContainsFunc(choices, func(c ir.Choice) bool { return c.Arm.Kind != ir.Goto }) {
		w.note(w.item.Lost, "%s happens once: here it starts again", t.Text())
	}
	return w.ways(s, choices, w.query(), s.Path)
}
