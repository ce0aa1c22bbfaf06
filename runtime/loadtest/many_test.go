//go:build linux && cgo

package loadtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// finished is how many runs have ended in BenchmarkMillion.
const finished = 1_000_000

// copyFinished copies the run "done" and its history into the 30 days before it, the oldest first, and counts
// the copies.
const copyFinished = `
	BEGIN;
	WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d)
	INSERT INTO runs (run, machine, definition, state, status, outcome, paused, seq, started, entered, updated, snapshot, last)
	SELECT printf('run-%%07d', i), machine, definition, state, status, outcome, paused, seq,
		started - (%[1]d - i) * 2600000, entered - (%[1]d - i) * 2600000, updated - (%[1]d - i) * 2600000,
		replace(snapshot, '"run":"done"', printf('"run":"run-%%07d"', i)), last + i * seq
	FROM n CROSS JOIN runs WHERE run = 'done';
	WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d)
	INSERT INTO history (run, seq, back, at, kind, input, source, target, effect, record)
	SELECT printf('run-%%07d', i), seq, back, at - (%[1]d - i) * 2600000, kind, input, source, target, effect, record
	FROM n CROSS JOIN history WHERE run = 'done';
	INSERT INTO run_counts (machine, state, status, outcome, paused, runs)
	VALUES ('Ticket', 'Done', 'finished', 'success', 0, %[1]d)
	ON CONFLICT DO UPDATE SET runs = runs + excluded.runs;
	COMMIT;
	PRAGMA wal_checkpoint(TRUNCATE);`

// BenchmarkMillion: sends to live runs, list and stats with a million finished
// runs in the database. Sends are compared with those to an empty database, in
// turns.
func BenchmarkMillion(b *testing.B) {
	if testing.Short() {
		b.Skip("it writes two gigabytes")
	}
	_, full := million(b)
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("send/callers=%d", callers), func(b *testing.B) { sendToBoth(b, full, callers) })
	}
	for name, filter := range map[string]runtime.RunFilter{
		"all": {}, "state": {State: "Done"}, "running": {Status: runtime.Running}, "outcome": {Machine: "Ticket", Outcome: runtime.Success},
	} {
		filter.Limit = 100
		b.Run("list/"+name, func(b *testing.B) {
			for b.Loop() {
				if rows, err := full.List(b.Context(), filter); err != nil || len(rows) == 0 {
					b.Fatal(len(rows), err)
				}
			}
		})
	}
	b.Run("stats", func(b *testing.B) {
		for b.Loop() {
			s, err := full.Stats(b.Context(), runtime.StatsQuery{})
			if err != nil || len(s.Outcomes) != 1 || s.Outcomes[0].Runs != finished+1 {
				b.Fatal(s.Outcomes, err)
			}
		}
	})
}

// million makes a database with a million finished runs, and gives its path and an engine on it.
func million(b *testing.B) (path string, full *runtime.Engine) {
	path = filepath.Join(b.TempDir(), "full.db")
	full = engine(b, path)
	start(b, full, "done")
	for _, event := range []string{"Take", "Return", "Finish"} {
		e := runtime.ExternalEvent{Name: event}
		if event == "Take" {
			e.Data = []byte(`{"by":1}`)
		}
		if _, err := full.Send(b.Context(), "done", e); err != nil {
			b.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite3", path+"?_synchronous=OFF&_busy_timeout=60000")
	must(b, err)
	began := time.Now()
	if _, err := db.Exec(fmt.Sprintf(copyFinished, finished)); err != nil {
		b.Fatal(err)
	}
	must(b, errors.Join(db.Close(), syncFile(path)))
	b.Logf("made %d runs in %s", finished, time.Since(began))

	return path, full
}

// syncFile waits until the disk has a file, so that what is measured does not
// pay for what was written before.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// sendToBoth sends to runs of the full database and to those of a new one, in
// turns. Turns are shares of the callers' work: all stop before the next begins.
func sendToBoth(b *testing.B, full *runtime.Engine, callers int) {
	empty := engine(b, filepath.Join(b.TempDir(), "empty.db"))
	var senders [2][]*sender
	for i, e := range []*runtime.Engine{full, empty} {
		for k := range callers {
			s := &sender{engine: e, run: fmt.Sprintf("live-%d-%d-%d", callers, k, time.Now().UnixNano())}
			start(b, e, s.run)
			senders[i] = append(senders[i], s)
		}
	}
	var took [2]time.Duration
	n := 0
	for b.Loop() {
		for i := range senders {
			began := time.Now()
			var group sync.WaitGroup
			for _, s := range senders[i] {
				group.Go(func() {
					for range turns {
						s.send(context.Background(), b)
					}
				})
			}
			group.Wait()
			took[i] += time.Since(began)
		}
		n += callers * turns
	}
	b.ReportMetric(float64(n)/took[0].Seconds(), "steps/s")
	b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "of-empty")
}

// BenchmarkTimers: how much CPU time a working engine takes while 10,000 runs
// wait for timers.
func BenchmarkTimers(b *testing.B) {
	e := engine(b, filepath.Join(b.TempDir(), "runs.db"))
	liveRuns(b, e, 10_000, "Sleep")
	stop := work(b, e)
	time.Sleep(100 * time.Millisecond)
	const wait = 2 * time.Second
	used := 0.0
	for b.Loop() {
		before := cpuTime(b)
		time.Sleep(wait)
		used = (cpuTime(b) - before).Seconds() / wait.Seconds()
	}
	b.ReportMetric(used*100, "%cpu")
	stop()
}

// BenchmarkLiveRuns: the resident memory of a process that has started 100,000
// runs and sent two events to each, while it works on them.
func BenchmarkLiveRuns(b *testing.B) {
	for b.Loop() {
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
			b.Fatal(err) // the peak is counted from here
		}
		e := engine(b, filepath.Join(b.TempDir(), "runs.db"))
		stop := work(b, e)
		liveRuns(b, e, 100_000, "Take", "Return")
		b.ReportMetric(memory(b, "VmHWM"), "peak-MB")
		b.ReportMetric(memory(b, "VmRSS"), "rss-MB")
		stop()
	}
}

// liveRuns starts runs, and sends them events.
func liveRuns(b *testing.B, e *runtime.Engine, n int, events ...string) {
	const callers = 64
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			for k := i; k < n; k += callers {
				run := fmt.Sprint("r", k)
				start(b, e, run)
				for _, name := range events {
					event := runtime.ExternalEvent{Name: name}
					if name == "Take" {
						event.Data = []byte(`{"by":3}`)
					}
					if _, err := e.Send(b.Context(), run, event); err != nil {
						b.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
}

func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// memory is a figure of /proc/self/status in megabytes.
func memory(b *testing.B, name string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	must(b, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			var kilobytes float64
			if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
				b.Fatal(err)
			}
			return kilobytes / 1024
		}
	}
	b.Fatalf("no %s in /proc/self/status", name)
	return 0
}
