//go:build cgo

package runtime_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestLimitsOfWorkers: several workers with a store each on the same file keep a limit
// together.
func TestLimitsOfWorkers(t *testing.T) {
	for name, l := range map[string]machine.Limit{
		"at once": {AtOnce: 2},
		"rate":    {Rate: 5, Window: int64(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "runs.db")
			m := limitedJob(t, l)
			const runs = 15
			var mu sync.Mutex
			began, busy, most := 0, 0, 0
			ended := make(chan struct{}, runs)
			attempt := func(context.Context, *Attempt) (Result, error) {
				mu.Lock()
				began, busy = began+1, busy+1
				most = max(most, busy)
				mu.Unlock()
				time.Sleep(time.Millisecond)
				mu.Lock()
				busy--
				mu.Unlock()
				ended <- struct{}{}
				return found, nil
			}
			var workers []*working
			for range 3 {
				workers = append(workers, work(t, openSQLite(t, path), m, attempt, WithPoll(5*time.Millisecond)))
				defer workers[len(workers)-1].stop()
			}
			for i := range runs {
				begin(t, workers[i%3].Engine, fmt.Sprint("r", i))
			}
			want := runs
			if l.Rate > 0 {
				want = int(l.Rate)
			}
			for range want {
				<-ended
			}
			if l.Rate == 0 {
				for i := range runs {
					await(t, workers[0].Engine, fmt.Sprint("r", i))
				}
			}
			for _, w := range workers {
				w.stop()
			}
			if began != want || l.AtOnce > 0 && most > int(l.AtOnce) {
				t.Errorf("%d attempts began, %d at once", began, most)
			}
		})
	}
}
