package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// API answers for the runs of an engine. It is an http.Handler.
type API struct {
	engine   *runtime.Engine
	front    FrontEnd
	readOnly bool
	hideData bool
	version  string
	prefix   string
	health   runtime.HealthQuery

	routes []route
	mux    *http.ServeMux

	keptStats      kept[runtime.StatsQuery, *runtime.Stats]
	keptThroughput kept[struct{}, store.Throughput]
	keptVersions   kept[struct{}, map[string]store.VersionCount]
	keptMetrics    kept[string, []byte]
	hub            *hub
	took           durations
	streams        atomicPlaces
	heavy          chan struct{} // a place for each simulation, and for each text that is compiled
}

// Option sets something of an API; see the With functions.
type Option func(*API)

// WithFrontEnd gives what only a program with the compiler knows.
func WithFrontEnd(f FrontEnd) Option { return func(a *API) { a.front = f } }

// WithReadOnly refuses all that changes something.
func WithReadOnly() Option { return func(a *API) { a.readOnly = true } }

// WithHiddenData leaves payloads, parameters, data, checkpoints and the messages of activities out of all answers.
func WithHiddenData() Option { return func(a *API) { a.hideData = true } }

// WithVersion sets what the health route calls the program's version.
func WithVersion(version string) Option { return func(a *API) { a.version = version } }

// WithPrefix sets under which path the API can be reached, as in "/fsmc": it stands before the
// paths of Location headers. Requests come without it: see http.StripPrefix.
func WithPrefix(prefix string) Option {
	return func(a *API) { a.prefix = strings.TrimSuffix(prefix, "/") }
}

// WithHealth sets what the health routes and the metrics call stuck or late, where a request says nothing else.
func WithHealth(q runtime.HealthQuery) Option { return func(a *API) { a.health = q } }

// New gives an API over engine, which stays the caller's.
func New(engine *runtime.Engine, options ...Option) *API {
	a := &API{engine: engine, version: "unknown", mux: http.NewServeMux(), took: durations{all: map[string]*histogram{}}, heavy: make(chan struct{}, 4)}
	for _, o := range options {
		o(a)
	}
	a.hub = newHub(engine)
	a.routes = a.table()
	for i := range a.routes {
		r := &a.routes[i]
		a.mux.HandleFunc(r.method+" "+r.path, func(w http.ResponseWriter, req *http.Request) { a.serve(w, req, r) })
	}
	return a
}

// Close says goodbye to those who listen to the feed, so that their requests end. A server calls
// it when it is shut down: see http.Server.RegisterOnShutdown.
func (a *API) Close() { a.hub.Close() }

// answerWithin is how long an answer may take.
const answerWithin = 10 * time.Second

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, pattern := a.mux.Handler(r)
	if pattern == "" {
		a.unknownPath(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// serve answers a request that a route is for.
func (a *API) serve(w http.ResponseWriter, r *http.Request, to *route) {
	defaults(w.Header())
	if !to.stream {
		seen, began := SeeStatus(w), time.Now()
		defer func() { a.took.add(time.Since(began), to.path, seen.Status) }()
		w = seen
		ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
		defer cancel()
		r = r.WithContext(ctx)
	}
	err := a.admit(w, r, to)
	if err == nil {
		err = to.answer(w, r)
	}
	if err != nil {
		WriteProblem(w, a.toProblem(r, err))
	}
}

// StatusSeen notes the status of an answer.
type StatusSeen struct {
	http.ResponseWriter
	Status int // 200 until another is written
}

// SeeStatus gives one that passes all on to w.
func SeeStatus(w http.ResponseWriter) *StatusSeen { return &StatusSeen{w, http.StatusOK} }

// WriteHeader notes the status.
func (s *StatusSeen) WriteHeader(status int) {
	s.Status = status
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController: streams flush, and lift their deadlines.
func (s *StatusSeen) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// defaults are the headers of all answers: they are new each time, and nothing else than what they say.
func defaults(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// admit refuses a request before anything is looked at for it.
func (a *API) admit(w http.ResponseWriter, r *http.Request, to *route) error {
	if to.effect {
		if err := a.mayWrite(r); err != nil {
			return err
		}
	}
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
	}
	return checkQuery(r, to.query)
}

// mayWrite refuses who may not change anything.
func (a *API) mayWrite(r *http.Request) error {
	if a.readOnly {
		return readOnlyProblem()
	}
	if c, known := CallerOf(r.Context()); known && !c.Write {
		return forbidden(c)
	}
	return nil
}
