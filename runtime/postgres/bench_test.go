package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// BenchmarkCommit takes steps of runs, by one caller and by 64 with a run each; beside it
// BenchmarkInsert, which is the least that a durable write on the same server can cost.
func BenchmarkCommit(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			s := open(b, pgtest.URL(b)+"&pool_max_conns="+fmt.Sprint(callers))
			rows := make([]store.RunRow, callers)
			for i := range rows {
				begin(b, s, fmt.Sprintf("r%d", i))
				rows[i] = next(b, s, fmt.Sprintf("r%d", i)).Run
				rows[i].Seq--
			}
			spread(b, callers, func(caller int) error {
				c := step(rows[caller])
				rows[caller] = c.Run
				return s.Commit(context.Background(), c)
			})
		})
	}
}

// BenchmarkInsert inserts a row of 300 bytes in a transaction of its own, by one connection
// and by 64.
func BenchmarkInsert(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			url := pgtest.URL(b)
			table := pgtest.SchemaOf(b, url) + ".bare"
			if err := pgtest.Exec(b.Context(), url, "CREATE SCHEMA "+pgtest.SchemaOf(b, url)+"; CREATE TABLE "+table+
				" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data text)"); err != nil {
				b.Fatal(err)
			}
			conns := make([]*pgx.Conn, callers)
			for i := range conns {
				config, err := pgx.ParseConfig(url)
				if err != nil {
					b.Fatal(err)
				}
				delete(config.RuntimeParams, "fsmc_schema")
				if conns[i], err = pgx.ConnectConfig(b.Context(), config); err != nil {
					b.Fatal(err)
				}
				defer conns[i].Close(context.Background())
			}
			data := strings.Repeat("x", 300)
			spread(b, callers, func(caller int) error {
				_, err := conns[caller].Exec(context.Background(), "INSERT INTO "+table+" (data) VALUES ($1)", data)
				return err
			})
		})
	}
}

// spread has callers do b.N calls together.
func spread(b *testing.B, callers int, call func(caller int) error) {
	b.ResetTimer()
	var left atomic.Int64
	left.Store(int64(b.N))
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
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
