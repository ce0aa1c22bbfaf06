package definition

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// waiting adds a leaf that runs nothing: a Wait where only a timer leads out, else a Task that waits
// for its token. Who answers the token says which event comes.
func (w *writer) waiting(s *ir.State) {
	timer := w.timer(s)
	events := w.events(s)
	if timer != nil && len(events) == 0 {
		next := w.follow("", s.Path, w.ways(s, w.m.Choices(s, ir.Case{Kind: ir.CaseTimer, Timer: timer}), w.query(), w.spent(s, timer)), "")
		w.add(s.Path, obj{{"Type", "Wait"}, {"Seconds", w.wait(timer)}, {"Next", next}})
		return
	}
	w.note(w.item.Part, "an event is the answer to a task token: an object with its name as type")
	var names []any
	for _, e := range events {
		names = append(names, e)
	}
	detail := obj{{"run", formula("$states.context.Execution.Name")}, {"state", s.Path}, {"token", formula("$states.context.Task.Token")}}
	if len(names) > 0 {
		detail = append(detail, member{"events", names})
	}
	entry := obj{{"Source", "fsmc." + w.m.Name}, {"DetailType", "waiting"}, {"Detail", detail}}
	o := obj{{"Type", "Task"}, {"Resource", token}, {"Arguments", obj{{"Entries", []any{entry}}}}, {"Output", formula("$states.result")}}
	if timer != nil {
		next := w.follow("", s.Path, w.ways(s, w.m.Choices(s, ir.Case{Kind: ir.CaseTimer, Timer: timer}), w.query(), w.spent(s, timer)), "")
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
	var first *ir.Timer
	var rest []string
	for _, t := range s.Timers {
		if first == nil {
			first = t
		} else {
			rest = append(rest, t.Text())
		}
	}
	if len(rest) > 0 {
		w.note(w.item.Lost, "%s: a state has one timer", strings.Join(rest, ", "))
	}
	if first != nil && first.Idle {
		w.note(w.item.Lost, "%s: it is not put off by what comes meanwhile", first.Text())
	}
	return first
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

// spent is where a timer leads whose arm stays in s.
func (w *writer) spent(s *ir.State, t *ir.Timer) string {
	for _, c := range w.m.Choices(s, ir.Case{Kind: ir.CaseTimer, Timer: t}) {
		if c.Arm.Kind != ir.Goto {
			w.note(w.item.Lost, "%s happens once: here it starts again", t.Text())
			break
		}
	}
	return s.Path
}
