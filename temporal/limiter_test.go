package temporal_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// holder is an attempt that wants a place, as a test knows it.
type holder struct {
	id      string
	since   time.Time
	granted bool
	began   time.Time // zero where it has not
	told    bool      // the limiter knows that
}

// TestLimiter: whatever runs do and however late the limiter hears of it, no more have a place than may at once, and
// no more begin in any window; who waits longest is next, and all get their turn.
func TestLimiter(t *testing.T) {
	waited := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		limit := machine.Limit{}
		if seed%3 != 0 {
			limit.AtOnce = 1 + r.Int64N(4)
		}
		if seed%3 != 1 {
			limit.Rate, limit.Window = 1+r.Int64N(5), int64(time.Second)
		}
		l, now := &temporal.Limiter{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var all []*holder
		var begun []time.Time
		begin := func(h *holder) {
			if h.began.IsZero() {
				h.began = now
				begun = append(begun, now)
			}
		}
		leave := func(h *holder) {
			l.Take(temporal.Request{Kind: temporal.LeftPlace, Run: "r", Place: h.id, Used: !h.began.IsZero()}, now)
			all = slices.DeleteFunc(all, func(other *holder) bool { return other == h })
		}
		for step := range 600 {
			now = now.Add(time.Duration(r.IntN(100)) * time.Millisecond)
			if step < 400 && r.IntN(2) == 0 {
				h := &holder{id: fmt.Sprint(step), since: now.Add(-time.Duration(r.IntN(3)) * time.Second)}
				all = append(all, h)
				l.Take(temporal.Request{Kind: temporal.AsksPlace, Run: "r", Place: h.id, Since: h.since, Limit: limit, Hash: "1"}, now)
			}
			for _, h := range slices.Clone(all) {
				switch {
				case !h.granted:
					if r.IntN(40) == 0 {
						leave(h)
					} else if r.IntN(20) == 0 { // it asks again
						l.Take(temporal.Request{Kind: temporal.AsksPlace, Run: "r", Place: h.id, Since: h.since, Limit: limit, Hash: "1"}, now)
					}
				case h.began.IsZero() && r.IntN(3) == 0: // it begins a while after it has its place
					begin(h)
				case !h.began.IsZero() && !h.told && r.IntN(3) == 0: // and the limiter hears of it later, or not at all
					h.told = true
					l.Take(temporal.Request{Kind: temporal.BeganPlace, Run: "r", Place: h.id}, now)
				case r.IntN(6) == 0:
					leave(h)
				}
			}
			if r.IntN(20) == 0 { // it goes on in a new execution
				encoded, err := json.Marshal(l)
				next := &temporal.Limiter{}
				if err == nil {
					err = json.Unmarshal(encoded, next)
				}
				if err != nil {
					t.Fatal(err)
				}
				l = next
			}
			for _, p := range l.Grant(now) {
				i := slices.IndexFunc(all, func(h *holder) bool { return h.id == p.ID })
				if i < 0 {
					t.Fatalf("seed %d: a place for %q, which has left", seed, p.ID)
				}
				for _, h := range all {
					if !h.granted && h.since.Before(all[i].since) {
						t.Errorf("seed %d: %q of %s is before %q of %s", seed, p.ID, all[i].since, h.id, h.since)
					}
				}
				all[i].granted = true
			}
			held := int64(0)
			for _, h := range all {
				if h.granted {
					held++
				}
			}
			if limit.AtOnce > 0 && held > limit.AtOnce {
				t.Fatalf("seed %d: %d have a place of %d", seed, held, limit.AtOnce)
			}
			if v := l.Holds(); v != nil && int(held) < len(all) {
				waited++
			}
		}
		for range 10_000 {
			if len(all) == 0 {
				break
			}
			now = now.Add(50 * time.Millisecond)
			for _, h := range slices.Clone(all) {
				if h.granted {
					begin(h)
					leave(h)
				}
			}
			for _, p := range l.Grant(now) {
				all[slices.IndexFunc(all, func(h *holder) bool { return h.id == p.ID })].granted = true
			}
		}
		if len(all) > 0 {
			t.Errorf("seed %d: %d never get their turn", seed, len(all))
		}
		for i := range begun {
			if k := i + int(limit.Rate); limit.Rate > 0 && k < len(begun) && begun[k].Sub(begun[i]) < time.Second {
				t.Errorf("seed %d: %d begin within %s", seed, limit.Rate+1, begun[k].Sub(begun[i]))
			}
		}
	}
	if waited < 1000 {
		t.Errorf("somebody waited %d times: the test sees little", waited)
	}
}

// ask is a request for a place of a run.
func ask(run string, since time.Time, hash string, limit machine.Limit) temporal.Request {
	return temporal.Request{Kind: temporal.AsksPlace, Run: run, Place: "1", Since: since, Hash: hash, Limit: limit}
}

// TestNewestLimit: the limit of the definition that has come last holds for all, and one that was there before
// changes nothing.
func TestNewestLimit(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := &temporal.Limiter{}
	for i, q := range []temporal.Request{
		ask("a", now, "old", machine.Limit{AtOnce: 1}), ask("b", now, "old", machine.Limit{AtOnce: 1}),
		ask("c", now, "new", machine.Limit{AtOnce: 3}), ask("d", now, "old", machine.Limit{AtOnce: 1}),
	} {
		l.Take(q, now)
		given, want := len(l.Grant(now)), []int{1, 0, 2, 0}[i]
		if given != want {
			t.Errorf("request %d gives %d places", i, given)
		}
	}
	if v := l.Holds(); v == nil || v.Text != "3 at once" {
		t.Errorf("what holds back is %+v", v)
	}
}

// TestClockBack: what has begun at a time that is yet to come counts from now on, and not for longer.
func TestClockBack(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l, limit := &temporal.Limiter{}, machine.Limit{Rate: 1, Window: int64(time.Minute)}
	l.Take(ask("a", now, "1", limit), now)
	l.Grant(now)
	l.Take(temporal.Request{Kind: temporal.BeganPlace, Run: "a", Place: "1"}, now)
	l.Take(ask("b", now, "1", limit), now)
	back := now.Add(-time.Hour)
	if given := l.Grant(back); len(given) > 0 {
		t.Errorf("%d places at once", len(given))
	}
	if v := l.Holds(); v == nil || v.Text != "1 per 1m" || v.Opens == nil || !v.Opens.Equal(back.Add(time.Minute)) {
		t.Errorf("what holds back is %+v", v)
	}
	if given := l.Grant(back.Add(time.Minute)); len(given) != 1 {
		t.Errorf("%d places a window later", len(given))
	}
}

// TestLimiterSize: what an execution starts with has bounds, whatever the rate and however many wait.
func TestLimiterSize(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l, limit := &temporal.Limiter{}, machine.Limit{Rate: 1_000_000, Window: int64(24 * time.Hour)}
	for i := range 20_000 {
		now = now.Add(2 * time.Second)
		run := fmt.Sprint(i)
		l.Take(ask(run, now, "1", limit), now)
		if len(l.Grant(now)) != 1 {
			t.Fatal("no place")
		}
		l.Take(temporal.Request{Kind: temporal.LeftPlace, Run: run, Place: "1", Used: true}, now)
	}
	l.Take(ask("other", now, "2", machine.Limit{Rate: 1, Window: int64(24 * time.Hour)}), now)
	for i := range 10_000 { // the oldest last
		l.Take(ask(fmt.Sprint(i), now.Add(-time.Duration(i)*time.Second), "2", limit), now)
	}
	encoded, err := json.Marshal(l)
	if err != nil || len(encoded) > 1_500_000 {
		t.Errorf("it has %d bytes, %v", len(encoded), err)
	}
	if n := len(l.Places); n < 3000 || l.Places[0].Run != "9999" {
		t.Errorf("%d wait, the first is %s", n, l.Places[0].Run)
	}
}
