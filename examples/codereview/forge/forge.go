// Package forge is the part of a code forge that gets in a reviewer's way: it
// counts requests and answers 429 with Retry-After when there are too many.
package forge

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server listens on loopback and allows so many requests in each window.
type Server struct {
	URL string

	server *http.Server
	window time.Duration
	limit  int

	mu      sync.Mutex
	used    int
	resets  time.Time
	allowed int
	refused int
}

// Start listens on a free loopback port.
func Start(limit int, window time.Duration) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + listener.Addr().String(), window: window, limit: limit}
	s.server = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 5 * time.Second}
	go s.server.Serve(listener) //nolint:errcheck // it always ends with ErrServerClosed, by Close
	return s, nil
}

// Close stops listening.
func (s *Server) Close() error { return s.server.Close() }

// Counts is how many requests were allowed and how many refused so far.
func (s *Server) Counts() (allowed, refused int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allowed, s.refused
}

func (s *Server) serve(w http.ResponseWriter, _ *http.Request) {
	wait := s.take(time.Now())
	if wait > 0 {
		seconds := int((wait + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		http.Error(w, "rate limit exceeded", http.StatusTooManyRequests)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// take counts a request; a wait above zero says that it is refused until then.
func (s *Server) take(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.After(s.resets) {
		s.used, s.resets = 0, now.Add(s.window)
	}
	if s.used == s.limit {
		s.refused++
		return s.resets.Sub(now)
	}
	s.used++
	s.allowed++
	return 0
}

// LimitError says that the forge refuses for now.
type LimitError struct{ RetryAfter time.Duration }

// Error names the wait.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the forge is rate-limited for %s", e.RetryAfter)
}

// Announce asks the forge at url to take one comment. A *LimitError says when
// to come back.
func Announce(client *http.Client, url, comment string) error {
	resp, err := client.Post(url, "text/plain", strings.NewReader(comment))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)); err != nil {
		return err
	}
	switch resp.StatusCode {
	case http.StatusCreated:
		return nil
	case http.StatusTooManyRequests:
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			return errors.New("the forge refuses and does not say for how long")
		}
		return &LimitError{RetryAfter: time.Duration(seconds) * time.Second}
	}
	return fmt.Errorf("the forge answered %s", resp.Status)
}
