package forge

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	s, err := Start(2, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		if err := Announce(http.DefaultClient, s.URL, "c"); err != nil {
			t.Fatal(err)
		}
	}
	var limit *LimitError
	if err := Announce(http.DefaultClient, s.URL, "c"); !errors.As(err, &limit) || limit.RetryAfter <= 59*time.Minute {
		t.Errorf("the third is not refused for an hour: %v", err)
	}
	if allowed, refused := s.Counts(); allowed != 2 || refused != 1 {
		t.Errorf("%d allowed, %d refused", allowed, refused)
	}
}
