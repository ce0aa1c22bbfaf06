//go:build cgo

package sqlite

import (
	"sync"
	"testing"
	"time"
)

// TestHands: a call is made whatever the others do, a few hands stay, and none for ever.
func TestHands(t *testing.T) {
	h := newHands()
	free := make(chan struct{})
	var begun, ended sync.WaitGroup
	for range 3 * maxHands {
		begun.Add(1)
		ended.Add(1)
		h.do(func() {
			begun.Done()
			<-free
			ended.Done()
		})
	}
	begun.Wait() // though none has returned
	close(free)
	ended.Wait()
	stay := func(n int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); len(h.stay) != n; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d hands wait for calls, and not %d", len(h.stay), n)
			}
		}
	}
	stay(maxHands)
	h.close()
	stay(0)
	done := make(chan struct{})
	h.do(func() { close(done) }) // of a caller that came before the store was closed
	<-done
	stay(0)
}
