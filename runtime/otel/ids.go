package otel

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// identity makes ids of what every process knows of a run.
type identity struct {
	run     string
	started time.Time // tells it apart from an earlier run of that id
}

func (i identity) hash(of ...string) [sha256.Size]byte {
	h := sha256.New()
	for _, part := range append([]string{i.run, strconv.FormatInt(i.started.UnixMicro(), 10)}, of...) {
		fmt.Fprintf(h, "%d:%s", len(part), part) // of no two lists the same
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// trace is that of the run, or of a part of it.
func (i identity) trace(of ...string) trace.TraceID {
	sum := i.hash(append([]string{"trace"}, of...)...)
	return trace.TraceID(sum[:16])
}

func (i identity) visitTrace(visit int64) trace.TraceID { return i.trace(strconv.FormatInt(visit, 10)) }

func (i identity) span(of ...string) trace.SpanID {
	sum := i.hash(of...)
	return trace.SpanID(sum[:8])
}

func (i identity) visit(visit int64) trace.SpanID {
	return i.span("visit", strconv.FormatInt(visit, 10))
}

func (i identity) step(seq int64) trace.SpanID { return i.span("step", strconv.FormatInt(seq, 10)) }

// attempt has its claim in it: an attempt whose worker was lost is made again under its number.
func (i identity) attempt(key string, number int, fence int64) trace.SpanID {
	return i.span("attempt", key, strconv.Itoa(number), strconv.FormatInt(fence, 10))
}

func spanContext(id trace.TraceID, span trace.SpanID) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: span, TraceFlags: trace.FlagsSampled, Remote: true})
}

// below is a context whose next span has a parent.
func below(id trace.TraceID, parent trace.SpanID) context.Context {
	return trace.ContextWithRemoteSpanContext(context.Background(), spanContext(id, parent))
}

type givenKey struct{}

type givenIDs struct {
	trace trace.TraceID
	span  trace.SpanID
}

// given is a context whose next span has these ids, if its provider has IDs.
func given(ctx context.Context, id trace.TraceID, span trace.SpanID) context.Context {
	return context.WithValue(ctx, givenKey{}, givenIDs{id, span})
}

// IDs gives the spans of an Observer the ids that all processes agree on, and others random ones.
// A tracer provider has it by sdk/trace.WithIDGenerator.
func IDs() sdk.IDGenerator { return ids{} }

type ids struct{}

func (ids) NewIDs(ctx context.Context) (id trace.TraceID, span trace.SpanID) {
	if g, ok := ctx.Value(givenKey{}).(givenIDs); ok {
		return g.trace, g.span
	}
	_, _ = rand.Read(id[:]) // it never fails
	_, _ = rand.Read(span[:])
	return id, span
}

func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) (span trace.SpanID) {
	if g, ok := ctx.Value(givenKey{}).(givenIDs); ok {
		return g.span
	}
	_, _ = rand.Read(span[:])
	return span
}
