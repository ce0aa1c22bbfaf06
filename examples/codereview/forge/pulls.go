package forge

import (
	"encoding/json"
	"io"
	"net/http"
)

// Pull is a pull request, with what is wrong at the forge's end of it.
type Pull struct {
	Diff    string
	Flaky   int  // so many requests for the diff are answered 503
	Starved bool // the reviewer's quota for this repository is used up: every comment is answered 429
	Locked  bool // the conversation is locked: every comment is answered 403
}

// hosted is a pull request and what was posted to it.
type hosted struct {
	Pull
	thread []string // the comments' references, in order, as often as they came
}

// maxComment is the longest reference of a comment.
const maxComment = 1 << 10

// Host keeps p under id.
func (s *Server) Host(id string, p Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pulls[id] = &hosted{Pull: p}
}

// Thread is how often each comment was posted to a pull request.
func (s *Server) Thread(id string) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	posted := map[string]int{}
	if p := s.pulls[id]; p != nil {
		for _, reference := range p.thread {
			posted[reference]++
		}
	}
	return posted
}

// Resumed is how often someone looked for comments and found some: a review
// that was continued in the middle.
func (s *Server) Resumed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resumed
}

// find answers 404 where there is no such pull request.
func (s *Server) find(w http.ResponseWriter, r *http.Request) *hosted {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pulls[r.PathValue("pull")]
	if p == nil {
		http.NotFound(w, r)
	}
	return p
}

func (s *Server) serveDiff(w http.ResponseWriter, r *http.Request) {
	p := s.find(w, r)
	if p == nil {
		return
	}
	s.mu.Lock()
	flaky := p.Flaky > 0
	if flaky {
		p.Flaky--
	}
	s.mu.Unlock()
	if flaky {
		http.Error(w, "try again", http.StatusServiceUnavailable)
		return
	}
	io.WriteString(w, p.Diff) //nolint:errcheck // the client sees a cut body
}

func (s *Server) serveComments(w http.ResponseWriter, r *http.Request) {
	p := s.find(w, r)
	if p == nil {
		return
	}
	s.mu.Lock()
	if len(p.thread) > 0 {
		s.resumed++
	}
	text, err := json.Marshal(append([]string{}, p.thread...))
	s.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Write(text) //nolint:errcheck // the client sees a cut body
}

// takeComment posts a comment as often as it is asked to: recognising one that
// stands there already is the reviewer's part.
func (s *Server) takeComment(w http.ResponseWriter, r *http.Request) {
	p := s.find(w, r)
	if p == nil {
		return
	}
	reference, err := io.ReadAll(io.LimitReader(r.Body, maxComment))
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case p.Locked:
		http.Error(w, "the conversation is locked", http.StatusForbidden)
	case s.admit(w, p.Starved):
		s.mu.Lock()
		p.thread = append(p.thread, string(reference))
		s.mu.Unlock()
	}
}
