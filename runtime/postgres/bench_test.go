package postgres_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// BenchmarkCommit takes steps of runs, by one caller and by 64 with a run each, in turns with
// bare INSERTs of a row of 300 bytes, each in a transaction and from a connection of its own:
// the least that a durable write on the same server can cost. An iteration is one such turn.
// Of-insert is the median of the ratios of their rates, and cpu-of-insert the ratio of the server's
// CPU time, where it runs on this machine.
func BenchmarkCommit(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			url := pgtest.URL(b)
			s := open(b, url) // it makes the schema
			inTurns(b, url, callers, "insert", inserts(b, url, callers), steps(b, s, callers))
		})
	}
}

// steps makes a run for each of the callers of a store, and gives what takes its next step.
func steps(b *testing.B, s store.Store, callers int) func(caller int) error {
	rows := make([]store.RunRow, callers)
	for i := range rows {
		run := fmt.Sprintf("live%d-%d", i, time.Now().UnixNano())
		begin(b, s, run)
		rows[i] = next(b, s, run).Run
		rows[i].Seq--
	}
	return func(caller int) error {
		c := step(rows[caller])
		rows[caller] = c.Run
		return s.Commit(context.Background(), c)
	}
}

// inTurns measures calls against those of a peer, which has a name.
func inTurns(b *testing.B, url string, callers int, name string, peer, call func(caller int) error) {
	each := 100 * (callers + 1)
	server := newServer(b, url)
	var rates, steps []float64
	var cpus, own [2]time.Duration
	turn := func(call func(int) error, n int) time.Duration {
		begun, used, mine := time.Now(), server.cpu(), ownCPU()
		spread(b, callers, each, call)
		took := time.Since(begun)
		cpus[n] += server.cpu() - used
		own[n] += ownCPU() - mine
		return took
	}
	b.ResetTimer()
	for range b.N {
		theirs := turn(peer, 0)
		took := turn(call, 1)
		rates = append(rates, float64(theirs)/float64(took))
		steps = append(steps, float64(each)/took.Seconds())
	}
	b.ReportMetric(median(rates), "of-"+name)
	b.ReportMetric(median(steps), "steps/s")
	if cpus[0] > 0 {
		b.ReportMetric(float64(cpus[1])/float64(cpus[0]), "cpu-of-"+name)
		b.ReportMetric(float64(cpus[1].Microseconds())/float64(each*b.N), "server-µs/step")
		b.ReportMetric(float64(own[1].Microseconds())/float64(each*b.N), "own-µs/step")
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// inserts gives what inserts a row from a caller's own connection.
func inserts(b *testing.B, url string, callers int) func(caller int) error {
	table := pgtest.SchemaOf(b, url) + ".bare"
	if err := pgtest.Exec(b.Context(), url, "CREATE TABLE "+table+
		" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data text)"); err != nil {
		b.Fatal(err)
	}
	conns := make([]*pgx.Conn, callers)
	for i := range conns {
		conns[i] = connect(b, url)
	}
	data := strings.Repeat("x", 300)
	return func(caller int) error {
		_, err := conns[caller].Exec(context.Background(), "INSERT INTO "+table+" (data) VALUES ($1)", data)
		return err
	}
}

// connect gives a connection past any store.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	must(t, err)
	delete(config.RuntimeParams, "fsmc_schema")
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// spread has callers do n calls together.
func spread(b *testing.B, callers, n int, call func(caller int) error) {
	var left atomic.Int64
	left.Store(int64(n))
	var wait sync.WaitGroup
	for caller := range callers {
		wait.Go(func() {
			for left.Add(-1) >= 0 {
				if err := call(caller); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// server is the processes of a server on this machine.
type server struct{ postmaster string }

// newServer finds a server by the parent of one of its processes.
func newServer(b *testing.B, url string) server {
	var pid int
	must(b, connect(b, url).QueryRow(b.Context(), "SELECT pg_backend_pid()").Scan(&pid))
	if stat := readStat(fmt.Sprintf("/proc/%d/stat", pid)); len(stat) > 0 && stat[0] == "postgres" {
		return server{stat[2]}
	}
	return server{}
}

// cpu is the CPU time of its processes, 0 where they are elsewhere or the system does not say.
func (s server) cpu() (all time.Duration) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		if stat := readStat(file); s.postmaster != "" && len(stat) > 2 && stat[2] == s.postmaster {
			ran, _ := os.ReadFile(file[:len(file)-len("stat")] + "schedstat")
			ns, _, _ := strings.Cut(string(ran), " ")
			n, _ := strconv.ParseInt(ns, 10, 64)
			all += time.Duration(n)
		}
	}
	return all
}

// ownCPU is the CPU time of this process, 0 where the system does not say. It is counted in hundredths of
// a second.
func ownCPU() time.Duration {
	stat := readStat("/proc/self/stat")
	if len(stat) < 14 {
		return 0
	}
	user, _ := strconv.ParseInt(stat[12], 10, 64)
	system, _ := strconv.ParseInt(stat[13], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// readStat gives the fields of /proc/PID/stat from the second on: a name without brackets, a
// state, the parent.
func readStat(file string) []string {
	data, _ := os.ReadFile(file)
	_, rest, _ := strings.Cut(string(data), "(")
	name, rest, _ := strings.Cut(rest, ") ")
	return append([]string{name}, strings.Fields(rest)...)
}
