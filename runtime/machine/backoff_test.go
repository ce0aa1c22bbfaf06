package machine

import (
	"math"
	"testing"
	"time"
)

func TestBackoffWaits(t *testing.T) {
	second := int64(time.Second)
	b := &Backoff{First: second, Last: 60 * second, Factor: 2}
	for k, want := range map[int64]time.Duration{1: time.Second, 2: 2 * time.Second, 6: 32 * time.Second, 7: time.Minute, math.MaxInt64: time.Minute} {
		if got := b.wait(k, 0.9); got != want {
			t.Errorf("wait %d is %s, not %s", k, got, want)
		}
	}
	if got := (&Backoff{First: second, Last: second, Jitter: 0.5}).wait(9, 0.5); got != 750*time.Millisecond {
		t.Error(got)
	}
	if got := (&Backoff{Last: second, Factor: 2}).wait(90, 0); got != 0 {
		t.Error(got)
	}
	if got := lengthen(math.MaxInt64-5, 1, 0.999); got != math.MaxInt64 {
		t.Error(got)
	}
	seen := make(map[float64]bool)
	for i := range int64(1000) {
		share := jitterShare(7, "key", i)
		if share < 0 || share >= 1 || seen[share] {
			t.Fatalf("share %d is %v", i, share)
		}
		seen[share] = true
	}
	if jitterShare(7, "key", 1) == jitterShare(8, "key", 1) || jitterShare(7, "key", 1) == jitterShare(7, "kex", 1) {
		t.Error("seed and key decide nothing")
	}
	// Replay across versions relies on this number.
	if got := jitterShare(7, "r/A/work/1", 2); got != jitterGolden {
		t.Errorf("the jitter has changed: %v", got)
	}
}

const jitterGolden = 0.21261322805553684
