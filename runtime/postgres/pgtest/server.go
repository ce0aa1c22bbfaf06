package pgtest

import (
	"testing"
	"time"
)

// Server is one of a test's own, which the test can crash, start again and copy.
type Server struct {
	t testing.TB
	c cluster
}

// NewServer starts a server with settings ("fsync=off") of its own.
func NewServer(t testing.TB, settings ...string) *Server {
	t.Helper()
	if _, err := programs(); err != nil {
		skipped.Store(true)
		t.Skipf("there is no PostgreSQL server to start: %v", err)
	}
	s := &Server{t: t}
	t.Cleanup(s.c.stop)
	if _, err := s.c.start(settings...); err != nil {
		t.Fatal(err)
	}
	return s
}

// URL is that of its first database, by way of its socket.
func (s *Server) URL() string { return s.c.url() }

// Dir is the folder with its files and its socket.
func (s *Server) Dir() string { return s.c.dir }

// Standby starts a server that follows this one. No statement on it is cancelled for what is
// replayed meanwhile: a test asks it while the other one is written to.
func (s *Server) Standby() *Server {
	s.t.Helper()
	standby := &Server{t: s.t}
	s.t.Cleanup(standby.c.stop)
	if _, err := standby.c.make([]string{"max_standby_streaming_delay=-1"}, "pg_basebackup", "-h", s.c.dir, "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync"); err != nil {
		s.t.Fatal(err)
	}
	return standby
}

// Promote has a standby take the place of the server that it follows, and does not wait until
// it has: the session that waited would hold up what is still to be replayed.
func (s *Server) Promote() {
	s.t.Helper()
	if err := Exec(s.t.Context(), s.URL(), "SELECT pg_promote(false)"); err != nil {
		s.t.Fatal(err)
	}
}

// Crash ends the server as if its computer had lost its power, but for what that has not yet
// written to its disk.
func (s *Server) Crash() {
	s.t.Helper()
	if err := s.c.tell("stop"); err != nil {
		s.t.Fatal(err)
	}
	for begun := time.Now(); Exec(s.t.Context(), s.URL(), "SELECT 1") == nil; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			s.t.Fatal("the server does not end")
		}
	}
}

// Start starts it again, and waits until it answers.
func (s *Server) Start() {
	s.t.Helper()
	err := s.c.tell("start")
	if err == nil {
		err = s.c.answers()
	}
	if err != nil {
		s.t.Fatal(err)
	}
}
