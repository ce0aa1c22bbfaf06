package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Observer is told what an engine does, after it has become durable: for metrics, traces and
// logs. Several goroutines call its methods at once. The steps of one run come in order, and the
// end of an attempt comes right after the step that has taken it. The engine waits for an
// observer: it must return soon, and must not call the engine. If it panics, the panic is logged.
type Observer interface {
	OnStep(StepInfo)
	OnAttempt(AttemptInfo)
}

// Tracer is an Observer that gives an attempt its trace context, so that what the activity does
// belongs to the same trace. It is asked before the activity begins.
type Tracer interface {
	Observer
	TraceParent(*Attempt) string
}

// observers are two of them.
type observers [2]Observer

func (o observers) OnStep(i StepInfo) {
	o[0].OnStep(i)
	o[1].OnStep(i)
}

func (o observers) OnAttempt(i AttemptInfo) {
	o[0].OnAttempt(i)
	o[1].OnAttempt(i)
}

// TraceParent asks the first that knows one.
func (o observers) TraceParent(a *Attempt) string {
	for _, one := range o {
		if t, ok := one.(Tracer); ok {
			if parent := t.TraceParent(a); parent != "" {
				return parent
			}
		}
	}
	return ""
}

// traceParent asks the observer, if it is a Tracer.
func (e *Engine) traceParent(a *Attempt) (parent string) {
	o, _ := e.observer.(safeObserver)
	if t, ok := o.Observer.(Tracer); ok {
		o.tell(a.Run, func() { parent = t.TraceParent(a) })
	}
	return parent
}

// AttemptEnd says how an attempt of an activity ended for the worker.
type AttemptEnd string

const (
	AttemptResult    AttemptEnd = "result"    // the run took its result
	AttemptFailed    AttemptEnd = "failed"    // the run took its failure
	AttemptCancelled AttemptEnd = "cancelled" // the run had moved on, and the activity stopped
	AttemptReturned  AttemptEnd = "returned"  // released uncounted: declined, or the worker stops
	AttemptFenced    AttemptEnd = "fenced"    // the lease was lost; what it said was refused
	AttemptLost      AttemptEnd = "lost"      // of another worker, which did not renew its lease
)

// AttemptInfo is one attempt of an activity that has ended.
type AttemptInfo struct {
	Run      string
	Machine  string
	Activity string
	Do       string
	Key      string // idempotency key of the execution
	Attempt  int
	Worker   string
	Started  time.Time // of the run
	Visit    int64     // the number of the visit that began the attempt, as in StepInfo
	Fence    int64     // of its claim, as in Attempt
	At       time.Time // when it ended
	End      AttemptEnd
	Event    string // of a result; empty where the activity had nothing to say
	Category string // of a failure
	Message  string // of a failure, or why it was released
	Duration time.Duration
	Cost     map[string]json.Number // as the activity reported it
}

// endsBy reports whether an input is that with which the attempt ends; a nil one
// ends by none.
func (a *AttemptInfo) endsBy(in *machine.Input) bool {
	return a != nil && (in.Kind == machine.ResultInput || in.Kind == machine.FailureInput) && in.Key == a.Key && in.Attempt == a.Attempt
}

// LogObserver logs steps and failed attempts: at level info what goes as planned, at warn what
// went wrong.
func LogObserver(logger *slog.Logger) Observer { return logObserver{logger} }

type logObserver struct{ logger *slog.Logger }

func (o logObserver) OnStep(s StepInfo) {
	level := slog.LevelInfo
	if s.Effect == machine.HaltedBy {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("run", s.Run), slog.String("machine", s.Machine), slog.Int64("seq", s.Seq),
		slog.String("from", s.From), slog.String("to", s.To),
		slog.String("input", s.Input), slog.String("effect", string(s.Effect)),
		slog.Duration("held", s.Held), slog.Duration("took", s.Took),
	}
	attrs = withText(attrs, "event", s.Event)
	attrs = withText(attrs, "arm", s.Arm)
	if s.Count > 0 {
		attrs = append(attrs, slog.Int64("count", s.Count))
	}
	if len(s.Passed) > 0 {
		var passed []string
		for _, p := range s.Passed {
			passed = append(passed, p.Arm+": "+p.Why)
		}
		attrs = append(attrs, slog.String("passed", strings.Join(passed, "; ")))
	}
	if len(s.Guards) > 0 {
		var guards []string
		for _, g := range s.Guards {
			guards = append(guards, fmt.Sprintf("%s%s is %t", g.Guard, g.Args, g.Answer))
		}
		attrs = append(attrs, slog.String("guards", strings.Join(guards, "; ")))
	}
	if len(s.Costs) > 0 {
		cost := map[string]json.Number{}
		for _, c := range s.Costs {
			cost[c.Name] = json.Number(c.Spent)
		}
		attrs = append(attrs, costAttr(cost))
	}
	attrs = withText(attrs, "actor", s.Actor)
	attrs = withText(attrs, "reason", s.Reason)
	o.logger.LogAttrs(context.Background(), level, "step", attrs...)
}

func (o logObserver) OnAttempt(a AttemptInfo) {
	level := slog.LevelInfo
	if a.End == AttemptFailed || a.End == AttemptFenced || a.End == AttemptLost {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("run", a.Run), slog.String("machine", a.Machine), slog.String("activity", a.Activity), elementAttr(a.Do),
		slog.Int("attempt", a.Attempt), slog.String("key", a.Key), slog.String("worker", a.Worker),
		slog.String("end", string(a.End)), slog.Duration("took", a.Duration),
	}
	attrs = withText(attrs, "event", a.Event)
	attrs = withText(attrs, "category", a.Category)
	attrs = withText(attrs, "error", a.Message)
	if len(a.Cost) > 0 {
		attrs = append(attrs, costAttr(a.Cost))
	}
	o.logger.LogAttrs(context.Background(), level, "attempt", attrs...)
}

// withText adds text to attrs where there is one.
func withText(attrs []slog.Attr, key, text string) []slog.Attr {
	if text == "" {
		return attrs
	}
	return append(attrs, slog.String(key, text))
}

// elementAttr says which element of a list an attempt is for: the name of its do, with the index.
// For another attempt it is empty, and no handler writes it.
func elementAttr(do string) slog.Attr {
	if _, _, element := machine.CutElement(do); !element {
		return slog.Attr{}
	}
	return slog.String("do", do)
}

// costAttr is a group, with one member for each cost, by name.
func costAttr(cost map[string]json.Number) slog.Attr {
	var members []any
	for _, name := range slices.Sorted(maps.Keys(cost)) {
		if machine.CheckCost(name, cost[name]) == nil {
			members = append(members, slog.Any(name, cost[name]))
		} else { // it counts for nothing, and may be no number
			members = append(members, slog.String(name, cost[name].String()))
		}
	}
	return slog.Group("cost", members...)
}

// silent is the observer of an engine that has none.
type silent struct{}

func (silent) OnStep(StepInfo)       {}
func (silent) OnAttempt(AttemptInfo) {}
