package machine

import (
	"math"
	"time"
)

// Jitter is deterministic, so that replay is exact: the share is a number in
// [0, 1) made from the run's seed, a name (the execution's key, or the timer)
// and a count (the attempt, or the step). The name is hashed with FNV-1a
// (64 bits), mixed with seed and count, and finished with splitmix64 (Steele,
// Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
func jitterShare(seed uint64, name string, count int64) float64 {
	const golden = 0x9e3779b97f4a7c15
	x := seed ^ fnv(name)
	x += golden * uint64(count)
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}

// fnv is the FNV-1a hash of a text (64 bits).
func fnv(text string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return h
}

// defaultBackoff is that of a `retry` without one, and of messages that could
// not be delivered.
var defaultBackoff = Backoff{First: int64(time.Second), Last: int64(time.Minute), Factor: 2, Jitter: 0.2}

// wait is the k-th wait (k from 1): min(First × Factor^(k-1), Last), less
// share of its Jitter. The power is made by squaring, of multiplications
// alone, so that it is the same on every processor.
func (b *Backoff) wait(k int64, share float64) time.Duration {
	power := float64(b.First)
	factor := b.Factor
	for n := k - 1; n > 0 && power > 0 && power < float64(b.Last); n >>= 1 {
		if n&1 == 1 {
			power *= factor
		}
		factor *= factor
	}
	wait := b.Last
	if power < float64(b.Last) {
		wait = int64(power)
	}
	return time.Duration(wait - shareOf(wait, b.Jitter, share))
}

// RetryWait is the k-th wait (k from 1) before a retry by an arm without `by`, less share
// of its jitter, which is 0 for the longest such wait and 1 for the shortest.
func (m *Machine) RetryWait(arm int, k int64, share float64) time.Duration {
	return m.arms[arm].backoff.wait(k, share)
}

// lengthen adds share of its jitter to a wait that is not negative.
func lengthen(wait time.Duration, jitter, share float64) time.Duration {
	return time.Duration(min(math.MaxInt64-int64(wait), shareOf(int64(wait), jitter, share))) + wait
}

// shareOf is wait × jitter × share, cut to a whole number not over wait.
func shareOf(wait int64, jitter, share float64) int64 {
	f := float64(wait) * jitter * share
	if f >= float64(wait) {
		return wait
	}
	return int64(f)
}

// RedeliverAfter is how long a message waits that could not be delivered for the n-th time.
func RedeliverAfter(message string, n int64) time.Duration {
	return defaultBackoff.wait(n, jitterShare(0, message, n))
}
