package runtime

import (
	"sync"
	"time"
)

// rests are what a worker could not do and leaves alone for a while: for a moment at
// first, since the store may have failed for that long, and twice as long each time
// that it fails again, so that what cannot be done is not in the way of other work.
type rests[K comparable] struct {
	mu sync.Mutex
	of map[K]rest
}

type rest struct {
	since time.Time
	until time.Time
	wait  time.Duration // its length, where it follows a failure
	upTo  time.Time     // of timers: those due by then rest
}

// on reports whether the rest goes on. It has ended, too, where the clock was set back behind its begin.
func (r rest) on(now time.Time) bool { return !now.Before(r.since) && now.Before(r.until) }

// The shortest and the longest rest after a failure.
const (
	firstRest   = 250 * time.Millisecond
	longestRest = 30 * time.Second
)

// longerRest is the length of a rest after one that was of no use, or after none.
func longerRest(last time.Duration) time.Duration { return min(max(2*last, firstRest), longestRest) }

// failed begins a rest after a failure that is at least so long, and gives its length.
func (r *rests[K]) failed(key K, now time.Time, least time.Duration) time.Duration {
	before, _ := r.active(key, now)
	wait := max(longerRest(before.wait), least)
	r.begin(key, rest{since: now, until: now.Add(wait), wait: wait, upTo: now.Add(wait)})
	return wait
}

func (r *rests[K]) begin(key K, begun rest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[K]rest{}
	}
	r.of[key] = begun
}

// active is the rest of key where it has not ended.
func (r *rests[K]) active(key K, now time.Time) (rest, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.of[key]
	return found, ok && found.on(now)
}

// keys are those that rest.
func (r *rests[K]) keys(now time.Time) (keys []K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, rest := range r.of {
		if rest.on(now) {
			keys = append(keys, key)
		}
	}
	return keys
}

// wake is when the first rest that goes on ends; zero without one.
func (r *rests[K]) wake(now time.Time) (next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rest := range r.of {
		if rest.on(now) {
			next = earlier(next, rest.until)
		}
	}
	return next
}

// end calls ended for each rest that is over. How long it was is remembered for as
// long again, for the case that it was of no use.
func (r *rests[K]) end(now time.Time, ended func(K)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, rest := range r.of {
		if rest.on(now) {
			continue
		}
		ended(key)
		if now.Before(rest.since) || !now.Before(rest.until.Add(rest.wait)) {
			delete(r.of, key)
		}
	}
}
