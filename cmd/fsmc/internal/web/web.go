// Package web shows the runs of a store as pages, and takes what people do on them.
//
// Every page is whole HTML without a script: the server renders, and the script only fetches
// the same page again and puts in what has changed. The pages say what the command line says,
// with the words of runtime/describe, and do what it does, by the same calls of the Engine.
//
// Web.go has the routes and how a page is written; machines.go and picture.go the drawings, which
// are made once for each version; survey.go what pages of all runs count; figures.go and week.go small drawings;
// frontend.go what the API asks of this package; run*.go the page of one run, and the other files a page each.
package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Options say what is shown, and to whom.
type Options struct {
	Store  runtime.Store
	Engine *runtime.Engine // over the store, with all machines' guards that there are
	Base   string          // the path below which all pages stand; "/" unless said

	ReadOnly bool // no page has a button, and nothing is taken
	HideData bool // no payloads, parameters, data, checkpoints and messages
	Health   runtime.HealthQuery
	Bounds   func(*ir.Machine) json.RawMessage // the worst case, as fsmc check has it; may be nil
	Logger   *slog.Logger                      // may be nil
}

// Site is the pages of one store. It is an http.Handler, and what httpapi asks of drawings and texts.
type Site struct {
	Options
	versions sync.Map   // *version by hash
	looking  sync.Mutex // of who makes a survey
	last     *survey    // nil for none that counts
	now      func() time.Time
	mux      *http.ServeMux
	rendered rendered
	stopped  atomic.Bool // the store has refused a write, and refuses all until it is opened again
}

// New gives the pages. A httpapi.Guard before it keeps strangers away, and says who asks.
func New(o Options) *Site {
	o.Base = cmp.Or(o.Base, "/")
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	s := &Site{Options: o, now: time.Now}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page(s.overviewPage))
	mux.HandleFunc("GET /runs", s.page(s.runsPage))
	mux.HandleFunc("GET /runs/{run}", s.page(s.runPage))
	mux.HandleFunc("GET /run", s.page(s.runPage)) // ?id=, of ids that no path can hold
	mux.HandleFunc("GET /runs/{run}/at/{seq}", s.page(s.runPage))
	mux.HandleFunc("POST /runs/{run}/{command}", s.action(s.steer))
	mux.HandleFunc("POST /run/{command}", s.action(s.steer))
	mux.HandleFunc("POST /bulk", s.action(s.bulk))
	mux.HandleFunc("GET /machines/{machine}", s.page(s.machinePage))
	mux.HandleFunc("GET /machines/{machine}/simulate", s.handler(s.simulate))
	mux.HandleFunc("GET /runs/{run}/simulate", s.handler(s.simulate))
	mux.HandleFunc("GET /problems", s.page(s.problemsPage))
	mux.HandleFunc("GET /asset/{name}", asset)
	mux.HandleFunc("GET /", s.page(func(*http.Request) (page, error) { return page{}, errNoPage }))
	s.mux = mux
	return s
}

// ServeHTTP answers a request, whose path is without the base.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// mayWrite reports whether who asks may change something.
func (s *Site) mayWrite(r *http.Request) bool {
	caller, known := httpapi.CallerOf(r.Context())
	return !s.ReadOnly && (!known || caller.Write)
}

// page is one page before it is written. What its layout reads has large letters.
type page struct {
	Section string // the name of its template
	Title   string
	Feed    string // which steps make it old: the query of the feed; "-" for none
	After   int64  // the last step of the store that it knows; 0 where that is not known
	Filter  string // what stands in the field of the header
	Notice  string // what went wrong, above the page
	Page    any
	status  int           // 200 unless said
	pace    time.Duration // how often it is fetched again at most; 500 ms unless said
}

// limit is how long the answer to a request may take.
const limit = 10 * time.Second

// page makes a handler of what builds a page.
func (s *Site) page(build func(*http.Request) (page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, body := s.rendered.of(s, r, func(r *http.Request, position int64) (int, []byte) {
			p, err := build(r)
			if err != nil {
				p = s.errorPage(r, err)
			}
			p.After = position
			return s.render(r, &p)
		})
		send(w, status, body)
	}
}

// handler makes one of what answers a request, or says what is wrong.
func (s *Site) handler(do func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		r = r.WithContext(ctx)
		if err := do(w, r); err != nil {
			p := s.errorPage(r, err)
			s.write(w, r, &p)
		}
	}
}

func (s *Site) write(w http.ResponseWriter, r *http.Request, p *page) {
	status, body := s.render(r, p)
	send(w, status, body)
}

// render writes a page. Of one that cannot be written nothing is sent.
func (s *Site) render(r *http.Request, p *page) (status int, body []byte) {
	var out bytes.Buffer
	if err := templates()[p.Section].ExecuteTemplate(&out, "layout", s.frame(r, p)); err != nil {
		s.Logger.Error("a page cannot be written", "page", p.Section, "error", err)
		return http.StatusInternalServerError, []byte("this page cannot be written; the log says why")
	}
	return cmp.Or(p.status, http.StatusOK), out.Bytes()
}

func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // whoever asked has left
}

// frame is what the layout of a page reads, besides what the page says.
type frame struct {
	page
	Base     string
	Pace     int64 // in milliseconds
	ReadOnly bool
	Problems int
	More     bool     // there may be more problems
	Banner   string   // the store does not answer
	Terms    []string // for the field of the header
}

func (s *Site) frame(r *http.Request, p *page) *frame {
	f := &frame{page: *p, Base: s.Base, Pace: cmp.Or(p.pace, 500*time.Millisecond).Milliseconds(), ReadOnly: !s.mayWrite(r)}
	if s.stopped.Load() {
		f.Banner = "The database writes nothing more: what is here is the last that is known of it. Look at its file, then start the server again."
	}
	survey, err := s.look(r.Context())
	if err != nil {
		f.Banner = "The database does not answer: " + words(err)
		return f
	}
	f.Terms = survey.terms()
	f.Problems, f.More = len(survey.health.Problems), len(survey.health.More) > 0
	return f
}

// errNoPage is of an address at which nothing stands.
var errNoPage = errors.New("there is no such page")

// fault is an error with the status of its answer.
type fault struct {
	status int
	text   string
}

func (f *fault) Error() string { return f.text }

// errorPage says what is wrong, and where to look instead.
func (s *Site) errorPage(r *http.Request, err error) page {
	status := http.StatusInternalServerError
	var known *fault
	switch {
	case errors.As(err, &known):
		status = known.status
	case errors.Is(err, runtime.ErrNotFound), errors.Is(err, errNoPage):
		status = http.StatusNotFound
	case errors.Is(err, context.DeadlineExceeded), httpapi.DatabaseFault(err):
		status = http.StatusServiceUnavailable
	}
	if errors.Is(err, store.ErrStoreStopped) {
		s.stopped.Store(true)
	}
	if status == http.StatusInternalServerError {
		s.Logger.Error("a page cannot be shown", "path", r.URL.Path, "error", err)
	}
	return page{Section: "error", Title: http.StatusText(status), status: status, Feed: "-", Page: words(err)}
}

// rendered keeps pages that have been written, so that a step is rendered once for an address, whoever
// asks and how many do. They are kept for a second at most: they have times, and not all that they show is a step.
type rendered struct {
	mu   sync.Mutex
	kept map[string]func() (status int, body []byte)
}

const mostKept = 200

// of gives the page of a request: the one that is kept, or what render makes, which shows all steps up to a position.
func (c *rendered) of(s *Site, r *http.Request, render func(r *http.Request, position int64) (int, []byte)) (int, []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), limit) // others may wait for it
	defer cancel()
	r = r.WithContext(ctx)
	// What the store has, and not what the hub has seen of it: who has just done something sees it.
	position, err := s.Engine.FeedEnd(ctx)
	if err != nil {
		return render(r, 0) // which says that the store does not answer
	}
	key := fmt.Sprintf("%d %d %t %s", position, s.now().Unix(), s.mayWrite(r), r.URL.RequestURI())
	c.mu.Lock()
	answer := c.kept[key]
	if answer == nil {
		if len(c.kept) >= mostKept || c.kept == nil {
			c.kept = map[string]func() (int, []byte){}
		}
		answer = sync.OnceValues(func() (int, []byte) { return render(r, position) })
		c.kept[key] = answer
	}
	c.mu.Unlock()
	return answer()
}
