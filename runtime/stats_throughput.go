package runtime

import (
	"context"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// MinuteStats is what the runs of a machine did in a minute.
type MinuteStats struct {
	Minute  time.Time `json:"minute"` // its begin, in UTC
	Started int64     `json:"started"`
	Ended   int64     `json:"ended"` // as in EndedStats
	Steps   int64     `json:"steps"`
}

// Throughput is what the runs of each machine did in the last hour, minute by minute.
type Throughput struct {
	From time.Time // the first of MinutesShown minutes; the present one is the last
	// Behind says that there are steps that have not been counted yet: each call of
	// Engine.Throughput counts some.
	Behind bool

	minutes map[machineMinute]MinuteStats
}

type machineMinute struct {
	machine string
	minute  int64 // since 1970
}

// MinutesShown is how many minutes a Throughput has.
const MinutesShown = 60

// Of gives the minutes of a machine, the oldest first.
func (t *Throughput) Of(name string) []MinuteStats {
	out := make([]MinuteStats, MinutesShown)
	for i := range out {
		minute := t.From.Add(time.Duration(i) * time.Minute)
		out[i] = t.minutes[machineMinute{name, minute.Unix() / 60}]
		out[i].Minute = minute
	}
	return out
}

// lately counts the steps of the last hour as it reads them in the feed, each once.
type lately struct {
	mu       sync.Mutex
	position int64     // behind which it has not read
	read     time.Time // when; zero before the first time
	minutes  map[machineMinute]MinuteStats
}

const (
	latelyPage  = 1000
	latelyPages = 10 // that one call reads, so that it does not take long where an hour has millions of steps
)

// Throughput counts the last hour's steps. It reads what has come since it was asked before, and keeps no
// worker waiting. Steps of runs that were pruned before they were read are left out.
func (e *Engine) Throughput(ctx context.Context) (Throughput, error) {
	l := &e.lately
	l.mu.Lock()
	defer l.mu.Unlock()
	now := e.now()
	from := now.UTC().Truncate(time.Minute).Add(-(MinutesShown - 1) * time.Minute)
	end, err := e.store.FeedEnd(ctx)
	if err != nil {
		return Throughput{}, err
	}
	// A position beyond the end is of what a backup has replaced.
	if l.read.Before(from) || end < l.position {
		if l.position, err = e.FeedSince(ctx, from); err != nil {
			return Throughput{}, err
		}
		l.minutes = map[machineMinute]MinuteStats{}
	}
	l.read = now
	behind, err := e.readLately(ctx, l)
	if err != nil {
		return Throughput{}, err
	}
	t := Throughput{From: from, Behind: behind, minutes: map[machineMinute]MinuteStats{}}
	for key, n := range l.minutes {
		switch {
		case key.minute < from.Unix()/60:
			delete(l.minutes, key)
		default:
			t.minutes[key] = n
		}
	}
	return t, nil
}

// readLately reads on in the feed, and reports whether there is more.
func (e *Engine) readLately(ctx context.Context, l *lately) (behind bool, err error) {
	var terminals map[stateKey]Outcome
	for range latelyPages {
		rows, err := e.store.Feed(ctx, l.position, latelyPage)
		if err != nil {
			return false, err
		}
		if terminals == nil && len(rows) > 0 {
			if terminals, err = e.terminals(ctx); err != nil {
				return false, err
			}
		}
		for i := range rows {
			row := &rows[i]
			key := machineMinute{row.Machine, row.At.Unix() / 60}
			n := l.minutes[key]
			n.Steps++
			if row.Kind == machine.StartInput {
				n.Started++
			}
			if endedWith(terminals, row.Machine, row.Kind, row.From, row.To, row.Effect) != "" {
				n.Ended++
			}
			l.minutes[key], l.position = n, row.ID
		}
		if len(rows) < latelyPage {
			return false, nil
		}
	}
	return true, nil
}
