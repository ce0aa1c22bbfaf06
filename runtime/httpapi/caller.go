package httpapi

import (
	"context"
	"net/http"
)

// Caller is who makes a request.
type Caller struct {
	Name  string // for history: "serve:ada", or the name of a token
	Write bool   // may change something
}

type callerKey struct{}

// WithCaller gives a context in which requests are made by c. A program with its own guard
// calls it for each request.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf is who makes the request of ctx; not known where no guard says so.
func CallerOf(ctx context.Context) (c Caller, known bool) {
	c, known = ctx.Value(callerKey{}).(Caller)
	return c, known
}

// Actor is who stands in history for a request: the caller, and behind it who the request
// says it is for, so that no caller speaks for another.
func Actor(r *http.Request, said string) string {
	c, known := CallerOf(r.Context())
	if !known {
		c.Name = "api"
	}
	if said == "" {
		return c.Name
	}
	return c.Name + "/" + said
}
