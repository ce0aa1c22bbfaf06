// Package forge is the part of a code forge that gets in a reviewer's way: it
// keeps pull requests and their comments, counts requests, and answers 429 with
// Retry-After when there are too many.
package forge

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

// Server listens on loopback and allows so many comments in each window.
type Server struct {
	URL string

	server *http.Server
	window time.Duration
	limit  int

	mu       sync.Mutex
	now      func() time.Time
	low      int // the limit while it is throttled
	lowUntil time.Time
	used     int
	resets   time.Time
	allowed  int
	refused  int
	pulls    map[string]*hosted
	resumed  int
}

// Start listens on a free loopback port.
func Start(limit int, window time.Duration) (s *Server, err error) {
	s = &Server{window: window, limit: limit, now: time.Now, pulls: map[string]*hosted{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{$}", func(w http.ResponseWriter, _ *http.Request) { s.admit(w, false) })
	mux.HandleFunc("GET /pulls/{pull}/diff", s.serveDiff)
	mux.HandleFunc("GET /pulls/{pull}/comments", s.serveComments)
	mux.HandleFunc("POST /pulls/{pull}/comments", s.takeComment)
	s.URL, s.server, err = program.Serve(mux)
	return s, err
}

// Close stops listening.
func (s *Server) Close() error { return s.server.Close() }

// Clock lets the windows pass by now in place of the system's time.
func (s *Server) Clock(now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

// Throttle lowers the limit for d from now on.
func (s *Server) Throttle(limit int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.low, s.lowUntil = limit, s.now().Add(d)
}

// Counts is how many comments were allowed and how many refused so far.
func (s *Server) Counts() (allowed, refused int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allowed, s.refused
}

// admit answers a request to comment, and reports whether it was allowed. One
// that is starved is refused whatever has been used.
func (s *Server) admit(w http.ResponseWriter, starved bool) bool {
	wait := s.take(starved)
	if wait > 0 {
		seconds := int((wait + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		http.Error(w, "rate limit exceeded", http.StatusTooManyRequests)
		return false
	}
	w.WriteHeader(http.StatusCreated)
	return true
}

// take counts a request; a wait above zero says that it is refused until then.
func (s *Server) take(starved bool) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if !now.Before(s.resets) {
		s.used, s.resets = 0, now.Add(s.window)
	}
	limit := s.limit
	if now.Before(s.lowUntil) {
		limit = s.low
	}
	if starved || s.used >= limit {
		s.refused++
		return s.resets.Sub(now)
	}
	s.used++
	s.allowed++
	return 0
}
