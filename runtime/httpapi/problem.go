package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Problem is what is answered instead of what was asked for: RFC 9457, with what a program
// needs to do better.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"` // in the words of the command line

	Run     string   `json:"run,omitempty"`
	State   string   `json:"state,omitempty"`
	Seq     int64    `json:"seq,omitempty"`
	Allowed []string `json:"allowed,omitempty"` // events, or what a query may have
	Field   string   `json:"field,omitempty"`   // the member, field or query parameter that is wrong

	retryAfter string
}

// Error makes it an error.
func (p *Problem) Error() string { return p.Detail }

// problemTypes is what the types of problems begin with.
const problemTypes = "https://fsmc.dev/errors/"

func problem(status int, kind, title, format string, args ...any) *Problem {
	return &Problem{Type: problemTypes + kind, Title: title, Status: status, Detail: fmt.Sprintf(format, args...)}
}

func badQuery(field, format string, args ...any) *Problem {
	p := problem(http.StatusBadRequest, "query", "the query is wrong", format, args...)
	p.Field = field
	return p
}

func badBody(field, format string, args ...any) *Problem {
	p := problem(http.StatusBadRequest, "body", "the body is wrong", format, args...)
	p.Field = field
	return p
}

func notFound(format string, args ...any) *Problem {
	return problem(http.StatusNotFound, "not-found", "not found", format, args...)
}

func readOnlyProblem() *Problem {
	return problem(http.StatusForbidden, "read-only", "nothing may be changed", "this server only shows: it was started with --read-only")
}

func forbidden(c Caller) *Problem {
	return problem(http.StatusForbidden, "forbidden", "not allowed", "%q may look at runs, and change nothing: that takes a token of a write: line", c.Name)
}

// allow says what there is instead.
func (p *Problem) allow(names []string) *Problem {
	p.Allowed = names
	return p
}

// toProblem says what an error means over HTTP.
func (a *API) toProblem(r *http.Request, err error) *Problem {
	var (
		p       *Problem
		refused *runtime.Rejected
		unknown *http.MaxBytesError
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &unknown):
		return problem(http.StatusRequestEntityTooLarge, "too-large", "the body is too large", "a body has at most %d bytes", unknown.Limit)
	case errors.As(err, &refused):
		return a.ofRun(r, refusal(string(refused.Input)+" refused", refused))
	case errors.Is(err, runtime.ErrNotFound):
		return notFound("%s", err)
	case errors.Is(err, runtime.ErrExists):
		return a.ofRun(r, problem(http.StatusConflict, "exists", "the run exists", "%s", err))
	case errors.Is(err, runtime.ErrFinished), errors.Is(err, runtime.ErrHalted), errors.Is(err, runtime.ErrConflict):
		return a.ofRun(r, problem(http.StatusConflict, "rejected", "refused", "%s", err))
	case errors.Is(err, runtime.ErrNoGuard):
		return a.ofRun(r, problem(http.StatusServiceUnavailable, "no-guard", "no one answers a host guard",
			"%s; this server has no program that answers it: fsmc serve --activities DIR, or send with one that has", err))
	case errors.Is(err, runtime.ErrUnknown):
		return later("unknown", "whether it was written is not known", fmt.Sprintf("%s: the history of the run says whether it was, and an event that has an event_id can be sent again", err))
	case errors.Is(err, store.ErrStoreStopped), errors.Is(err, store.ErrClosed):
		return later("stopped", "the database writes nothing", err.Error())
	case errors.Is(err, runtime.ErrUnavailable):
		return later("unavailable", "the database cannot do it now", err.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return later("timeout", "it takes too long", fmt.Sprintf("no answer within %s", machine.DurationText(answerWithin)))
	}
	return a.ofRun(r, problem(http.StatusInternalServerError, "internal", "it cannot be shown", "%s", err))
}

// DatabaseFault reports whether an error is one of the store, and of nothing that was asked.
func DatabaseFault(err error) bool {
	return errors.Is(err, runtime.ErrUnavailable) || errors.Is(err, runtime.ErrUnknown) || errors.Is(err, store.ErrStoreStopped) || errors.Is(err, store.ErrClosed)
}

// later is a problem that may pass.
func later(kind, title, detail string) *Problem {
	p := problem(http.StatusServiceUnavailable, kind, title, "%s", detail)
	p.retryAfter = "1"
	return p
}

// refusal is one of the machine or of the run: 422 where what was sent does not fit, and
// 409 where the run stands otherwise.
func refusal(title string, err error) *Problem {
	p := problem(http.StatusConflict, "rejected", title, "%s", err)
	var payload *machine.PayloadError
	if errors.As(err, &payload) {
		p = problem(http.StatusUnprocessableEntity, "payload", title, "%s", err)
		p.Field = payload.Field
	}
	var refused *runtime.Rejected
	if errors.As(err, &refused) {
		p.State, p.Allowed = refused.State, refused.Allowed
	}
	return p
}

// ofRun adds which run it is about, and how that stands, as far as it can be read.
func (a *API) ofRun(r *http.Request, p *Problem) *Problem {
	run := r.PathValue("run")
	if run == "" {
		return p
	}
	p.Run = run
	if row, err := a.engine.Row(r.Context(), run); err == nil {
		p.Seq = row.Seq
		p.State = cmp.Or(p.State, row.State)
	}
	return p
}

// WriteProblem answers a request with a problem. Nobody reads it where the caller has left.
func WriteProblem(w http.ResponseWriter, p *Problem) {
	defaults(w.Header())
	w.Header().Set("Content-Type", "application/problem+json")
	if p.retryAfter != "" {
		w.Header().Set("Retry-After", p.retryAfter)
	}
	body := encode(p)
	w.WriteHeader(p.Status)
	w.Write(body)
}

// encode writes JSON without escaping < > &, which do nothing in JSON.
func encode(v any) []byte {
	encoded, err := machine.EncodeJSON(v)
	if err != nil { // none of our own values; damaged JSON of a store
		encoded, _ = machine.EncodeJSON(problem(http.StatusInternalServerError, "internal", "it cannot be shown", "%s", err))
	}
	return append(encoded, '\n')
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	body := encode(v)
	w.WriteHeader(status)
	w.Write(body)
	return nil
}

// unknownPath answers where there is no route: 404, or 405 with the methods that there are.
func (a *API) unknownPath(w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, to := range a.routes {
		probe := r.Clone(r.Context())
		probe.Method = to.method
		if _, pattern := a.mux.Handler(probe); pattern == to.method+" "+to.path {
			methods = append(methods, to.method)
		}
	}
	if len(methods) == 0 {
		WriteProblem(w, notFound("there is no %s here; %s/openapi.json says what there is", r.URL.Path, a.prefix+base))
		return
	}
	allow := strings.Join(methods, ", ")
	w.Header().Set("Allow", strings.Replace(allow, "GET", "GET, HEAD", 1)) // what takes GET takes HEAD, too
	WriteProblem(w, problem(http.StatusMethodNotAllowed, "method", "method not allowed", "%s takes %s", r.URL.Path, strings.Join(methods, " or ")))
}
