package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestStartedBy: history says who started a run, and why; a body speaks for no other caller.
func TestStartedBy(t *testing.T) {
	s := newServer(t)
	for body, want := range map[string]string{
		`{"machine": "Review", "id": "a", "params": {"pr": 1}}`:                                       "api: ",
		`{"machine": "Review", "id": "b", "params": {"pr": 1}, "actor": "ci", "reason": "it is due"}`: "api/ci: it is due",
	} {
		if status, answer := s.ask("POST", "/api/v1/runs", body); status != http.StatusCreated {
			t.Fatalf("%d %s", status, answer)
		}
		steps, err := s.engine.History(t.Context(), strings.Split(body, `"`)[7], 0, 1)
		if err != nil || len(steps) != 1 || steps[0].Actor+": "+steps[0].Reason != want {
			t.Errorf("%s: %+v, %v", want, steps, err)
		}
	}
}

// TestEmptyIDs: an id that a program has left empty by mistake is no request without one, under
// which a second one would start another run, or send the event again.
func TestEmptyIDs(t *testing.T) {
	s := newServer(t)
	s.startRun(t, "r")
	for _, c := range []struct{ path, body, want string }{
		{"/api/v1/runs", `{"machine": "Review", "id": "", "params": {"pr": 1}}`, "id is empty: leave it out for a new run with an id of its own"},
		{"/api/v1/runs/r/events", `{"event": "Ask", "data": {"verdict": "good", "wait": "20m"}, "event_id": ""}`, "event_id is empty: leave it out if the run may take the event twice"},
	} {
		if status, answer := s.ask("POST", c.path, c.body); status != http.StatusBadRequest || !strings.Contains(answer, c.want) {
			t.Errorf("%s: %d %s", c.body, status, answer)
		}
	}
	for _, id := range []string{"", `, "event_id": null`} {
		if status, answer := s.ask("POST", "/api/v1/runs/r/events", `{"event": "Ask", "data": {"verdict": "good", "wait": "20m"}`+id+`}`); status == http.StatusBadRequest {
			t.Errorf("%q: %d %s", id, status, answer)
		}
	}
}

// TestVersionsRuns: each version says how many of its runs are under way, and when the first started.
func TestVersionsRuns(t *testing.T) {
	s := newServer(t)
	s.startRun(t, "a")
	s.startRun(t, "b")
	s.startRun(t, "c")
	if status, answer := s.ask("POST", "/api/v1/runs/c/cancel", `{"reason": "x"}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	first, err := s.engine.Row(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	_, answer := s.ask("GET", "/api/v1/machines", "")
	if want := `"runs":2,"first":"` + first.Started.Format(time.RFC3339Nano) + `"`; !strings.Contains(answer, want) {
		t.Errorf("%s has no %s", answer, want)
	}
}
