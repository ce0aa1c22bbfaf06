package forge

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func start(t *testing.T, limit int, window time.Duration) (*Server, Client) {
	t.Helper()
	s, err := Start(limit, window)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, Client{URL: s.URL, HTTP: http.DefaultClient}
}

func TestLimit(t *testing.T) {
	s, client := start(t, 2, time.Hour)
	for range 2 {
		if err := client.Announce(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
	}
	var limit *LimitError
	if err := client.Announce(t.Context(), "c"); !errors.As(err, &limit) || limit.RetryAfter <= 59*time.Minute {
		t.Errorf("the third is not refused for an hour: %v", err)
	}
	if allowed, refused := s.Counts(); allowed != 2 || refused != 1 {
		t.Errorf("%d allowed, %d refused", allowed, refused)
	}
}

// TestThrottle has an incident on a clock of the test's own.
func TestThrottle(t *testing.T) {
	s, client := start(t, 100, time.Second)
	now := time.Unix(0, 0)
	s.Clock(func() time.Time { return now })
	s.Throttle(1, 3*time.Second)
	s.Host("p", Pull{})
	var allowed []bool
	for range 8 {
		allowed = append(allowed, client.Comment(t.Context(), "p", "c") == nil)
		now = now.Add(500 * time.Millisecond)
	}
	want := []bool{true, false, true, false, true, false, true, true} // the last two after it
	if d := cmp.Diff(want, allowed); d != "" {
		t.Error(d)
	}
	if posted := s.Thread("p")["c"]; posted != 5 {
		t.Errorf("posted %d times", posted)
	}
}

func TestPulls(t *testing.T) {
	s, client := start(t, 100, time.Hour)
	s.Host("flaky", Pull{Diff: "+x", Flaky: 1})
	s.Host("starved", Pull{Starved: true})
	s.Host("locked", Pull{Locked: true})
	ctx := context.Background()
	if _, err := client.Diff(ctx, "flaky"); !Temporary(err) {
		t.Errorf("the first diff: %v", err)
	}
	if diff, err := client.Diff(ctx, "flaky"); diff != "+x" || err != nil {
		t.Errorf("the second diff: %q, %v", diff, err)
	}
	var limit *LimitError
	if err := client.Comment(ctx, "starved", "c"); !errors.As(err, &limit) {
		t.Errorf("starved: %v", err)
	}
	var status *StatusError
	if err := client.Comment(ctx, "locked", "c"); !errors.As(err, &status) || status.Code != http.StatusForbidden || Temporary(err) {
		t.Errorf("locked: %v", err)
	}
	if _, err := client.Diff(ctx, "nowhere"); !errors.As(err, &status) || status.Code != http.StatusNotFound {
		t.Errorf("nowhere: %v", err)
	}
	if err := client.Comment(ctx, "flaky", "c"); err != nil {
		t.Error(err)
	}
	if posted, err := client.Comments(ctx, "flaky"); !posted["c"] || len(posted) != 1 || err != nil {
		t.Errorf("the thread has %v, %v", posted, err)
	}
	if s.Resumed() != 1 {
		t.Errorf("%d looked and found some", s.Resumed())
	}
}
