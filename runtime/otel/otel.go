// Package otel tells OpenTelemetry of runs: each run is a trace, and what engines do is
// counted.
//
//	observer, err := otel.Observer(tracerProvider, meterProvider)
//	engine := runtime.NewEngine(store, runtime.WithObserver(observer))
//
// A trace has a span `run M` of no length, one span `state S` for each visit of a state, and one
// `attempt A` for each attempt, which are written when they end. Ids are hashes of the
// run and of its visits and attempts, so that several processes, and one after a crash, write one
// trace, and nothing is kept between steps. Each step is an event `agent.state.transition` of the
// state that it leaves; a step that leaves none has a span `step` of no length in it.
//
// The tracer provider has to be made with IDs, which gives spans their hashes:
//
//	provider := trace.NewTracerProvider(trace.WithIDGenerator(otel.IDs()), trace.WithBatcher(exporter))
//
// To keep one run in a hundred, give it the sampler TraceIDRatioBased(0.01) itself, without
// ParentBased: it sees the same id in each process, and decides the same for all spans of a run.
package otel

import (
	"cmp"
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

const scope = "github.com/fsmc-dev/fsmc/runtime/otel"

// Option changes what an Observer writes.
type Option func(*observer)

// Linked makes each visit of a state a trace of its own, with a link to the run's: for runs of
// days, of which back ends cut traces off.
func Linked() Option { return func(o *observer) { o.linked = true } }

// Observer writes traces and figures of what an engine does. Either provider may be nil. The
// error is for a figure that the meter provider refuses.
func Observer(tracers trace.TracerProvider, meters metric.MeterProvider, opts ...Option) (runtime.Tracer, error) {
	o := &observer{}
	for _, opt := range opts {
		opt(o)
	}
	if tracers != nil {
		o.tracer = tracers.Tracer(scope)
	}
	if meters == nil {
		return o, nil
	}
	var err error
	o.figures, err = newFigures(meters.Meter(scope))
	return o, err
}

type observer struct {
	tracer  trace.Tracer // nil for none
	figures *figures     // nil for none
	linked  bool
}

func (o *observer) OnStep(s runtime.StepInfo) {
	o.figures.step(&s)
	if o.tracer == nil {
		return
	}
	of := identity{run: s.Run, started: s.Started}
	event := trace.WithAttributes(transition(&s)...)
	at := trace.WithTimestamp(s.At)
	if s.From == "" {
		_, span := o.tracer.Start(o.root(of), "run "+s.Machine, at, trace.WithNewRoot(), trace.WithAttributes(ofRun(s.Run, s.Machine)...))
		span.AddEvent("agent.state.transition", event, at)
		span.End(at)
		return
	}
	visit, leaves := left(&s)
	if !leaves {
		_, span := o.tracer.Start(o.within(of, visit, of.step(s.Seq)), "step "+s.Input, at, trace.WithAttributes(ofRun(s.Run, s.Machine)...))
		span.AddEvent("agent.state.transition", event, at)
		fails(span, s.Effect == machine.HaltedBy, s.Reason)
		span.End(at)
		return
	}
	began := trace.WithTimestamp(s.At.Add(-s.Held))
	ctx, options := o.visit(of, visit)
	_, span := o.tracer.Start(ctx, "state "+s.From, append(options, began,
		trace.WithAttributes(append(ofRun(s.Run, s.Machine), attribute.String("fsmc.state", s.From), attribute.Int64("fsmc.visit", visit))...))...)
	span.AddEvent("agent.state.transition", event, at)
	span.End(at)
}

// left is the visit in which a step was taken, and whether that ended with it.
func left(s *runtime.StepInfo) (visit int64, leaves bool) {
	switch s.Effect {
	case machine.Moved:
		return s.Visit - 1, true
	case machine.Stopped:
		return s.Visit, true
	}
	return s.Visit, false
}

func (o *observer) OnAttempt(a runtime.AttemptInfo) {
	o.figures.attempt(&a)
	if o.tracer == nil || a.Started.IsZero() { // it has not begun
		return
	}
	of := identity{run: a.Run, started: a.Started}
	attributes := append(ofRun(a.Run, a.Machine), attribute.String("fsmc.activity", a.Activity), attribute.Int("fsmc.attempt", a.Attempt),
		attribute.String("fsmc.worker", a.Worker), attribute.String("fsmc.end", string(a.End)), attribute.String("fsmc.idempotency_key", a.Key))
	attributes = withText(attributes, "fsmc.event", a.Event)
	attributes = withText(attributes, "fsmc.category", a.Category)
	for name, amount := range a.Cost {
		attributes = append(attributes, costAttribute(name, amount.String()))
	}
	_, span := o.tracer.Start(o.within(of, a.Visit, of.attempt(a.Key, a.Attempt, a.Fence)), "attempt "+a.Activity,
		trace.WithTimestamp(a.At.Add(-a.Duration)), trace.WithAttributes(attributes...))
	fails(span, a.End == runtime.AttemptFailed || a.End == runtime.AttemptLost || a.End == runtime.AttemptFenced, a.Message)
	span.End(trace.WithTimestamp(a.At))
}

// TraceParent implements runtime.Tracer: what the activity does is below its attempt.
func (o *observer) TraceParent(a *runtime.Attempt) string {
	if o.tracer == nil {
		return ""
	}
	of := identity{run: a.Run, started: a.Started}
	return "00-" + o.traceOf(of, a.Visit).String() + "-" + of.attempt(a.Key, a.Number, a.Fence).String() + "-01"
}

// traceOf is the trace with the span of a visit.
func (o *observer) traceOf(of identity, visit int64) trace.TraceID {
	if o.linked {
		return of.visitTrace(visit)
	}
	return of.trace()
}

// root is the context of a run's first span.
func (o *observer) root(of identity) context.Context {
	return given(context.Background(), of.trace(), of.span("run"))
}

// visit is the context of the span of a visit, and what it is linked with.
func (o *observer) visit(of identity, visit int64) (context.Context, []trace.SpanStartOption) {
	if o.linked {
		return given(context.Background(), of.visitTrace(visit), of.visit(visit)), []trace.SpanStartOption{
			trace.WithNewRoot(), trace.WithLinks(trace.Link{SpanContext: spanContext(of.trace(), of.span("run"))}),
		}
	}
	return given(below(of.trace(), of.span("run")), of.trace(), of.visit(visit)), nil
}

// within is the context of a span in a visit.
func (o *observer) within(of identity, visit int64, span trace.SpanID) context.Context {
	id := o.traceOf(of, visit)
	return given(below(id, of.visit(visit)), id, span)
}

// transition are the attributes of a step's event.
func transition(s *runtime.StepInfo) []attribute.KeyValue {
	attributes := []attribute.KeyValue{
		attribute.String("from", s.From), attribute.String("to", s.To), attribute.String("trigger", cmp.Or(s.Event, "INTERNAL")),
		attribute.String("fsmc.input", s.Input), attribute.String("fsmc.effect", string(s.Effect)), attribute.Int64("fsmc.seq", s.Seq),
	}
	attributes = withText(attributes, "fsmc.arm", s.Arm)
	attributes = withText(attributes, "fsmc.actor", s.Actor)
	for _, c := range s.Costs {
		attributes = append(attributes, costAttribute(c.Name, c.Spent))
	}
	return attributes
}

// withText adds text to attributes where there is one.
func withText(attributes []attribute.KeyValue, key, text string) []attribute.KeyValue {
	if text == "" {
		return attributes
	}
	return append(attributes, attribute.String(key, text))
}

func ofRun(run, machine string) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.String("fsmc.run", run), attribute.String("fsmc.machine", machine)}
}

// costAttribute is a number where it is one.
func costAttribute(name, amount string) attribute.KeyValue {
	if number, err := strconv.ParseFloat(amount, 64); err == nil {
		return attribute.Float64("fsmc.cost."+name, number)
	}
	return attribute.String("fsmc.cost."+name, amount)
}

func fails(span trace.Span, failed bool, why string) {
	if failed {
		span.SetStatus(codes.Error, why)
	}
}
