package runtime

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// lately counts the steps of the last hour as it reads them in the feed, each once.
type lately struct {
	mu       sync.Mutex
	position int64     // behind which it has not read
	read     time.Time // when; zero before the first time
	minutes  map[store.MachineMinute]store.MinuteCount
}

const (
	latelyPage  = 1000
	latelyPages = 10 // that one call reads, so that it does not take long where an hour has millions of steps
)

// Throughput counts the steps of the last hour. It reads the steps since its last call, and no
// worker waits for it. Steps of runs that were pruned before that are left out.
func (e *Engine) Throughput(ctx context.Context) (store.Throughput, error) {
	l := &e.lately
	l.mu.Lock()
	defer l.mu.Unlock()
	now := e.now()
	from := now.UTC().Truncate(time.Minute).Add(-(store.MinutesShown - 1) * time.Minute)
	end, err := e.store.FeedEnd(ctx)
	if err != nil {
		return store.Throughput{}, err
	}
	// A position beyond the end is of what a backup has replaced.
	if l.read.Before(from) || end < l.position {
		if l.position, err = e.FeedSince(ctx, from); err != nil {
			return store.Throughput{}, err
		}
		l.minutes = map[store.MachineMinute]store.MinuteCount{}
	}
	l.read = now
	behind, err := e.readLately(ctx, l)
	if err != nil {
		return store.Throughput{}, err
	}
	maps.DeleteFunc(l.minutes, func(key store.MachineMinute, _ store.MinuteCount) bool { return key.Minute < from.Unix()/60 })
	return store.Throughput{From: from, Behind: behind, Minutes: maps.Clone(l.minutes)}, nil
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
			key := store.MachineMinute{Machine: row.Machine, Minute: row.At.Unix() / 60}
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
