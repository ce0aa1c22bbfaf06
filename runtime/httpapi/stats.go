package httpapi

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func (a *API) getStats(w http.ResponseWriter, r *http.Request) error {
	q := runtime.StatsQuery{Machine: r.PathValue("machine")}
	if text := r.URL.Query().Get("since"); text != "" {
		age, err := runtime.ParseAge(text)
		if err != nil {
			return badQuery("since", "%s", err)
		}
		q.Since = time.Now().Add(-age).UTC().Truncate(24 * time.Hour) // the day counts
	}
	var none *Problem
	if _, err := a.versionOf(r); errors.As(err, &none) {
		return none // while one that cannot be read has figures
	}
	stats, err := a.stats(r.Context(), q)
	if err != nil {
		return err
	}
	answer := statsAnswer{stats, []store.MinuteCount{}}
	if hour, err := a.keptThroughput.get(r.Context(), struct{}{}, a.engine.Throughput); err == nil {
		answer.Throughput = hour.Of(q.Machine)
	}
	return writeJSON(w, http.StatusOK, answer)
}

type statsAnswer struct {
	*runtime.Stats
	Throughput []store.MinuteCount `json:"throughput"` // of the last hour, whatever since is; empty where there is no feed, as on a standby
}

// stats are figures, looked up at most every keptFor by one, whoever asks.
func (a *API) stats(ctx context.Context, q runtime.StatsQuery) (*runtime.Stats, error) {
	return a.keptStats.get(ctx, q, func(ctx context.Context) (*runtime.Stats, error) {
		s, err := a.engine.Stats(ctx, q)
		return &s, err
	})
}

// keptFor is for how long a figure that is dear to look up is good enough.
const keptFor = 2 * time.Second

const mostKept = 64

// kept are answers to questions that are dear, and that many ask.
type kept[K comparable, V any] struct {
	mu      sync.Mutex
	answers map[K]*keptAnswer[V]
}

type keptAnswer[V any] struct {
	mu    sync.Mutex // held by who looks
	at    time.Time
	value V
}

// get gives the answer, at most keptFor old. Who waits while another looks has what that found.
func (k *kept[K, V]) get(ctx context.Context, key K, look func(context.Context) (V, error)) (V, error) {
	k.mu.Lock()
	a := k.answers[key]
	if a == nil {
		if k.answers == nil || len(k.answers) >= mostKept {
			k.answers = map[K]*keptAnswer[V]{}
		}
		a = &keptAnswer[V]{}
		k.answers[key] = a
	}
	k.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.at.IsZero() && time.Since(a.at) < keptFor {
		return a.value, nil
	}
	if err := ctx.Err(); err != nil {
		return a.value, err
	}
	v, err := look(ctx)
	if err == nil {
		a.at, a.value = time.Now(), v
	}
	return v, err
}
