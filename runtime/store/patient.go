package store

import "context"

// patient marks the context of a call whose caller's own context has no end.
type patient struct{}

// Patient reports whether the caller of a store has a context without an end, and so
// waits for a disk that hangs for as long as that does. A store may do the work of such
// a call in the caller's own goroutine, which spares it two switches; for all others it
// needs one that can be left behind.
func Patient(ctx context.Context) bool { return ctx.Done() == nil || ctx.Value(patient{}) != nil }

// Patiently is ctx, of a caller whose own context has no end, for a call that gets one.
func Patiently(ctx context.Context) context.Context { return context.WithValue(ctx, patient{}, true) }
