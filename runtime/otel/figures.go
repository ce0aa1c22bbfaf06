package otel

import (
	"cmp"
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// figures count what one process does. No run is a label: there are too many.
type figures struct {
	steps, retries  metric.Int64Counter
	held, attempted metric.Float64Histogram
	cost            metric.Float64Counter
}

func newFigures(m metric.Meter) (*figures, error) {
	f := &figures{}
	var errs [5]error
	f.steps, errs[0] = m.Int64Counter("fsmc.steps", metric.WithDescription("Steps that runs have taken."))
	f.retries, errs[1] = m.Int64Counter("fsmc.retries", metric.WithDescription("Attempts that are made again."))
	f.held, errs[2] = m.Float64Histogram("fsmc.state.duration", metric.WithUnit("s"), metric.WithDescription("Time in states that were left."))
	f.attempted, errs[3] = m.Float64Histogram("fsmc.attempt.duration", metric.WithUnit("s"), metric.WithDescription("Time of attempts."))
	f.cost, errs[4] = m.Float64Counter("fsmc.cost", metric.WithDescription("What attempts have used."))
	if err := cmp.Or(errs[:]...); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *figures) step(s *runtime.StepInfo) {
	if f == nil {
		return
	}
	ctx, of := context.Background(), attribute.String("machine", s.Machine)
	f.steps.Add(ctx, 1, metric.WithAttributes(of, attribute.String("from", s.From), attribute.String("to", s.To),
		attribute.String("input", s.Input), attribute.String("effect", string(s.Effect))))
	if _, leaves := left(s); leaves && s.From != "" {
		f.held.Record(ctx, s.Held.Seconds(), metric.WithAttributes(of, attribute.String("state", s.From)))
	}
	if s.Effect == machine.Retried {
		f.retries.Add(ctx, 1, metric.WithAttributes(of, attribute.String("state", s.From)))
	}
	for _, c := range s.Costs {
		if a := costAttribute(c.Name, c.Spent); a.Value.Type() == attribute.FLOAT64 {
			f.cost.Add(ctx, a.Value.AsFloat64(), metric.WithAttributes(of, attribute.String("name", c.Name)))
		}
	}
}

func (f *figures) attempt(a *runtime.AttemptInfo) {
	if f == nil {
		return
	}
	f.attempted.Record(context.Background(), a.Duration.Seconds(), metric.WithAttributes(attribute.String("machine", a.Machine),
		attribute.String("activity", a.Activity), attribute.String("end", string(a.End))))
}
