package store_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestElementsCountTogether: figures tell the elements of a list apart by what they did, and not by
// their index, also where an older version has counted them one by one.
func TestElementsCountTogether(t *testing.T) {
	for _, c := range []struct {
		kind              machine.InputKind
		input, want, kept string
	}{
		{machine.ResultInput, "r[3].Found", "r.Found", "r.Found"},
		{machine.FailureInput, "r[999].failed(timeout)", "r.failed(timeout)", "r.failed(timeout), with a checkpoint"},
		{machine.LostInput, "r[0] lost", "r lost", "r lost, with a checkpoint"},
		{machine.FailureInput, "failed(timeout)", "failed(timeout)", "failed(timeout), with a checkpoint"},
		{machine.EventInput, "Approved", "Approved", "Approved"},
	} {
		rows := []store.HistoryRow{{Kind: c.kind, Input: c.input, Record: []byte(`{"input":{"checkpoint":true}}`)}}
		store.CountRecords("M", rows, time.Time{}, func(s store.StepCount) {
			if s.Input != c.want || s.Counted() != c.kept {
				t.Errorf("%q counts as %q, kept as %q", c.input, s.Input, s.Counted())
			}
		}, func(store.StayCount) {})
		old := store.StepCount{Kind: c.kind}
		if old.Recount(c.input); old.Input != c.want {
			t.Errorf("%q is read as %q", c.input, old.Input)
		}
	}
}

// TestBuckets: a bucket's middle is within 2 % of all that is in it, and buckets
// rise with durations.
func TestBuckets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	last := int64(-1)
	for micros := int64(0); micros < 5000; micros++ {
		b := store.BucketOf(time.Duration(micros) * time.Microsecond)
		if b != last && b != last+1 {
			t.Fatalf("%d µs is in bucket %d, behind %d", micros, b, last)
		}
		last = b
	}
	for range 100_000 {
		d := time.Duration(random.Int64N(math.MaxInt64 >> random.IntN(50))).Truncate(time.Microsecond)
		got := store.BucketTime(store.BucketOf(d))
		if off := math.Abs(float64(got-d)) / math.Max(float64(d), 1); off > 0.02 {
			t.Fatalf("%s is counted as %s", d, got)
		}
		if store.BucketOf(got) != store.BucketOf(d) {
			t.Fatalf("%s lies outside of its bucket", got)
		}
	}
	if store.BucketOf(-time.Hour) != 0 || store.BucketOf(math.MaxInt64) <= store.BucketOf(time.Hour) {
		t.Error("the ends are wrong")
	}
}
