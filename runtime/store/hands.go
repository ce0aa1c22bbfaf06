package store

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Hands remembers in memory what a Look has handed out, for a store that all its engines
// have in common. The zero value has handed out nothing.
type Hands struct {
	mu     sync.Mutex
	timers map[TimerRow]hand
	claims map[Claim]hand
}

// hand is the worker to whom something was handed out, and when.
type hand struct {
	worker string
	at     time.Time
}

// holds reports whether something is in a hand at now. A clock that has been set back opens it.
func (h *hand) holds(now time.Time) bool {
	return !now.Before(h.at) && now.Before(h.at.Add(HandedFor))
}

// Timers hands out those of some timers that are due which the worker may have.
func (h *Hands) Timers(rows []TimerRow, q *LookQuery) []TimerRow {
	return handOut(h, &h.timers, rows, q, func(t *TimerRow) (TimerRow, bool) { return *t, slices.Contains(q.NoTimers, t.Run) })
}

// Claims hands out those of some claims that have expired which the worker may have.
func (h *Hands) Claims(rows []TaskRow, q *LookQuery) []TaskRow {
	return handOut(h, &h.claims, rows, q, func(t *TaskRow) (Claim, bool) { return t.Claim(), slices.Contains(q.NoClaims, t.Run) })
}

// Size is how much may be in the hands of workers.
func (h *Hands) Size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(len(h.timers), len(h.claims))
}

// handOut hands out up to q.Limit rows. Of gives the key of a row, and says whether the worker
// leaves it to others; then it is in its hand no more.
func handOut[T any, K comparable](h *Hands, hands *map[K]hand, rows []T, q *LookQuery, of func(*T) (K, bool)) (out []T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if *hands == nil {
		*hands = map[K]hand{}
	}
	given := *hands
	maps.DeleteFunc(given, func(_ K, held hand) bool { return !held.holds(q.Now) })
	for i := range rows {
		k, not := of(&rows[i])
		held, taken := given[k]
		switch mine := held.worker == q.Worker; {
		case not && taken && mine:
			delete(given, k)
		case not, taken && !mine, len(out) >= q.Limit:
		default:
			if !taken {
				given[k] = hand{q.Worker, q.Now}
			}
			out = append(out, rows[i])
		}
	}
	return out
}
