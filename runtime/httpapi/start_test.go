package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
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
