//go:build cgo

package sqlite

import (
	"fmt"
	"testing"
	"time"
)

// TestCountsOfTwoWriters: the log is added up exactly, whoever has written its
// rows and whoever empties it. What a writer knows of the log without reading it
// must not be taken for what is there, even where the number of rows is the same.
func TestCountsOfTwoWriters(t *testing.T) {
	path := made(t)
	a, b := openAt(t, path, Relaxed()), openAt(t, path, Relaxed())
	want := map[string]int64{}
	runs := 0
	write := func(s *Store, input string, rows int) {
		t.Helper()
		runs++
		c := firstStep(fmt.Sprint("r", runs))
		for range rows {
			c.History[0].Input = input
			commit(t, s, c)
			c = nextStep(c.Run)
			want[input]++
		}
	}
	write(b, "b", foldAt-1) // made has left one
	write(a, "a", 2*foldAt) // alone: the second time without reading it
	write(a, "a", 5)
	write(b, "b", foldAt-5) // which empties it
	write(b, "b", 5)        // as many as a has written
	write(a, "a", foldAt-5)
	write(a, "a", foldAt-1)
	write(b, "b", 1)
	write(a, "a", 3)

	counts, err := b.Counts(t.Context(), "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for i := range counts.Steps {
		got[counts.Steps[i].Input] += counts.Steps[i].Steps
	}
	if got["a"] != want["a"] || got["b"] != want["b"] {
		t.Errorf("counted %v, want %v", got, want)
	}
}
