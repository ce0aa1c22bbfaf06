// Package river compares durable activities on PostgreSQL with jobs of River, on one server and in turns.
package river

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const (
	atOnce = 64
	wait   = 2 * time.Minute // for all of a turn
)

// BenchmarkActivities does activities that wait, 64 at once, until all of them have ended
// durably; an iteration is 10,000 of each kind. River does them at its shortest waits, in two ways: its own
// completion, which it gathers and which keeps no result, and a result that is written in one
// transaction with the completion, which is what an activity of a run is.
func BenchmarkActivities(b *testing.B) {
	const each = 10000 // River tells of ends up to a quarter of a second late
	ours, batched, exact := newRuns(b), newJobs(b, false), newJobs(b, true)
	var rates [3][]float64
	for b.Loop() {
		for i, do := range []func(testing.TB, int) time.Duration{ours.do, batched.do, exact.do} {
			rates[i] = append(rates[i], each/do(b, each).Seconds())
		}
	}
	median := func(i int) float64 { slices.Sort(rates[i]); return rates[i][len(rates[i])/2] }
	b.ReportMetric(median(0), "activities/s")
	b.ReportMetric(median(1), "river-gathered/s")
	b.ReportMetric(median(2), "river-with-result/s")
	b.ReportMetric(median(0)/median(2), "of-river")
}

// TestActivities: both do all that there is to do, once.
func TestActivities(t *testing.T) {
	ours, batched, exact := newRuns(t), newJobs(t, false), newJobs(t, true)
	ours.do(t, 50)
	batched.do(t, 50)
	exact.do(t, 50)
	if counts := []int64{ours.done(t), exact.done(t)}; counts[0] != 50 || counts[1] != 50 {
		t.Errorf("%d results, want 50 of each", counts)
	}
}

// runs are those of a machine with one activity.
type runs struct {
	store *postgres.Store
	n     int
	ended chan struct{}
}

// OnStep sees what is durable.
func (r *runs) OnStep(i runtime.StepInfo) {
	if i.To == "Done" {
		r.ended <- struct{}{}
	}
}

func (r *runs) OnAttempt(runtime.AttemptInfo) {}

const source = `machine Work(n int) {
    context { answer int }
    event Did { answer int }
    activity work(n int) -> Did
    initial Working
    state Working {
        do work(n) timeout 30s
        on Did -> Done { answer = event.answer }
        on failed -> Broken
    }
    terminal Done
    terminal Broken failure
}
`

func newRuns(t testing.TB) *runs {
	s, err := postgres.Open(t.Context(), pgtest.URL(t))
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return &runs{store: s, ended: make(chan struct{}, atOnce)}
}

// engine has a machine, and does its activity at once.
func (r *runs) engine(t testing.TB) *runtime.Engine {
	e := runtime.NewEngine(r.store, runtime.WithConcurrency(atOnce), runtime.WithObserver(r))
	err := e.Register(tabletest.Machine(t, source), source, runtime.Handlers{Activities: map[string]runtime.ActivityFunc{
		"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{Event: "Did", Data: json.RawMessage(`{"answer":1}`)}, nil
		},
	}})
	must(t, err)
	return e
}

// do starts n runs, and says how long their activities then take.
func (r *runs) do(t testing.TB, n int) time.Duration {
	e := r.engine(t)
	for range n {
		r.n++
		if _, err := e.Start(t.Context(), "Work", fmt.Sprint("r", r.n), json.RawMessage(`{"n":1}`)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	begun, left := time.Now(), make(chan error, 1)
	go func() { left <- e.Run(ctx) }()
	for i := range n {
		select {
		case <-r.ended:
		case <-ctx.Done():
			t.Fatalf("%d of %d", i, n)
		}
	}
	took := time.Since(begun)
	cancel()
	<-left
	return took
}

// done is how many runs have ended.
func (r *runs) done(t testing.TB) (n int64) {
	counts, err := r.store.Counts(context.Background(), "Work", time.Time{})
	must(t, err)
	for _, c := range counts.Runs {
		if c.Status == machine.Finished {
			n += c.Runs
		}
	}
	return n
}

// jobs are those of River.
type jobs struct {
	pool   *pgxpool.Pool
	schema string
	exact  bool
}

// args are those of a job.
type args struct {
	N int `json:"n"`
}

func (args) Kind() string { return "work" }

// worker does a job, and where there is a table for it writes its result.
type worker struct {
	river.WorkerDefaults[args]
	jobs *jobs
}

func (w *worker) Work(ctx context.Context, job *river.Job[args]) error {
	if !w.jobs.exact {
		return nil
	}
	tx, err := w.jobs.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "INSERT INTO "+w.jobs.schema+".results (job, answer) VALUES ($1, $2)", job.ID, `{"answer":1}`); err != nil {
		return err
	}
	if _, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func newJobs(t testing.TB, exact bool) *jobs {
	url := pgtest.URL(t)
	j := &jobs{schema: pgtest.SchemaOf(t, url), exact: exact}
	config, err := pgxpool.ParseConfig(url)
	must(t, err)
	delete(config.ConnConfig.RuntimeParams, "fsmc_schema")
	config.MaxConns = atOnce
	if j.pool, err = pgxpool.NewWithConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.pool.Close)
	_, err = j.pool.Exec(t.Context(), "CREATE SCHEMA "+j.schema)
	if err == nil {
		_, err = j.pool.Exec(t.Context(), "CREATE TABLE "+j.schema+".results (job bigint PRIMARY KEY, answer text)")
	}
	must(t, err)
	migrator, err := rivermigrate.New(riverpgxv5.New(j.pool), &rivermigrate.Config{Schema: j.schema, Logger: quiet})
	if err == nil {
		_, err = migrator.Migrate(t.Context(), rivermigrate.DirectionUp, nil)
	}
	must(t, err)
	return j
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// do inserts n jobs, and says how long they then take.
func (j *jobs) do(t testing.TB, n int) time.Duration {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{jobs: j})
	client, err := river.NewClient(riverpgxv5.New(j.pool), &river.Config{
		Schema: j.schema, Workers: workers, Logger: quiet, FetchCooldown: time.Millisecond, FetchPollInterval: time.Millisecond,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: atOnce}},
	})
	must(t, err)
	all := make([]river.InsertManyParams, n)
	for i := range all {
		all[i].Args = args{N: i}
	}
	if _, err := client.InsertManyFast(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	completed, stop := client.SubscribeConfig(&river.SubscribeConfig{Kinds: []river.EventKind{river.EventKindJobCompleted}, ChanSize: 2 * n})
	defer stop()
	begun := time.Now()
	must(t, client.Start(t.Context()))
	late := time.After(wait)
	for i := range n {
		select {
		case <-completed:
		case <-late:
			t.Fatalf("%d of %d", i, n)
		}
	}
	took := time.Since(begun)
	must(t, client.Stop(context.Background()))
	return took
}

// done is how many results there are.
func (j *jobs) done(t testing.TB) (n int64) {
	must(t, j.pool.QueryRow(t.Context(), "SELECT count(*) FROM "+j.schema+".results").Scan(&n))
	return n
}
