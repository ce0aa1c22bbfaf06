package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// register makes the machines of a source known to an engine, with activities by name.
func register(t testing.TB, e *runtime.Engine, source string, activities map[string]runtime.ActivityFunc) {
	t.Helper()
	for _, m := range tabletest.Machines(t, source) {
		h := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{}}
		for _, a := range m.Definition().Activities {
			if a.Callee == "" && activities[a.Name] != nil {
				h.Activities[a.Name] = activities[a.Name]
			}
		}
		must(t, e.Register(m, source, h))
	}
}

const order = `
machine Order(sku string) {
    event Approve
    event Paid
    activity pay(sku string) -> Paid
    initial Review
    state Review { on Approve -> Paying }
    state Paying {
        do pay(sku) timeout 1m
        on Paid -> Done
        on failed -> Failed
    }
    terminal Done
    terminal Failed failure
}`

// program is one that keeps orders in a table of its own, beside the runs.
type program struct {
	*testing.T
	conn   *pgx.Conn
	store  *postgres.Store
	engine *runtime.Engine
	table  string
}

func newProgram(t *testing.T) *program {
	url := pgtest.URL(t)
	p := &program{T: t, store: open(t, url), table: pgtest.SchemaOf(t, url) + ".orders"}
	config, err := pgx.ParseConfig(url)
	must(t, err)
	delete(config.RuntimeParams, "fsmc_schema")
	if p.conn, err = pgx.ConnectConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.conn.Close(context.Background()) })
	p.exec(p.conn, "CREATE TABLE "+p.table+" (id text PRIMARY KEY)")
	p.engine = runtime.NewEngine(p.store)
	register(t, p.engine, order, map[string]runtime.ActivityFunc{
		"pay": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{Event: "Paid"}, nil
		},
	})
	return p
}

func (p *program) exec(on interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}, statement string) {
	p.Helper()
	rows, err := on.Query(p.Context(), statement)
	if err == nil {
		rows.Close()
		err = rows.Err()
	}
	if err != nil {
		p.Fatal(err)
	}
}

// begin begins a transaction, with an engine in it.
func (p *program) begin() (pgx.Tx, *runtime.Engine) {
	p.Helper()
	tx, err := p.conn.Begin(p.Context())
	must(p, err)
	return tx, p.engine.Over(p.store.In(tx))
}

// orders is how many rows the program's own table has.
func (p *program) orders() (n int) {
	p.Helper()
	must(p, p.conn.QueryRow(p.Context(), "SELECT count(*) FROM "+p.table).Scan(&n))
	return n
}

// TestIn: a run that a program starts, and an event that it sends, in a transaction with a row of
// its own are there with that row, or not at all.
func TestIn(t *testing.T) {
	p := newProgram(t)
	for _, commit := range []bool{false, true} {
		tx, engine := p.begin()
		p.exec(tx, "INSERT INTO "+p.table+" VALUES ('o1')")
		must(t, errOf(engine.Start(t.Context(), "Order", "o1", json.RawMessage(`{"sku":"lamp"}`))))
		v, err := engine.Send(t.Context(), "o1", runtime.NewEvent("Approve", nil, runtime.WithEventID("a")))
		if err != nil || v.State != "Paying" {
			t.Fatalf("%+v, %v", v, err)
		}
		if _, err := p.engine.Get(t.Context(), "o1"); !errors.Is(err, runtime.ErrNotFound) {
			t.Fatalf("others see it before the commit: %v", err)
		}
		end, want := tx.Rollback, 0
		if commit {
			end, want = tx.Commit, 1
		}
		must(t, end(t.Context()))
		runs, err := p.store.Runs(t.Context(), runtime.RunFilter{})
		if err != nil || len(runs) != want || p.orders() != want {
			t.Fatalf("commit %v: %d runs, %d orders, %v", commit, len(runs), p.orders(), err)
		}
		definitions, err := p.store.Definitions(t.Context())
		if err != nil || len(definitions) != want {
			t.Errorf("commit %v: %d definitions, %v", commit, len(definitions), err)
		}
		counts, err := p.store.Counts(t.Context(), "", noon)
		if err != nil || len(counts.Runs) != want {
			t.Errorf("commit %v: it counts %+v, %v", commit, counts, err)
		}
	}
	v, err := p.engine.RunUntilDone(t.Context(), "o1")
	if err != nil || v.State != "Done" {
		t.Errorf("%+v, %v", v, err)
	}
	if err := p.engine.ReplayTree(t.Context(), "o1", func(_ *runtime.RunRow, err error) error { return err }); err != nil {
		t.Error(err)
	}
}

// TestInRefused: what a run refuses leaves the transaction as it was, and so does a statement of
// the store that fails.
func TestInRefused(t *testing.T) {
	p := newProgram(t)
	tx, engine := p.begin()
	must(t, errOf(engine.Start(t.Context(), "Order", "o1", json.RawMessage(`{"sku":"lamp"}`))))
	var refused *runtime.Rejected
	if _, err := engine.Send(t.Context(), "o1", runtime.NewEvent("Paid", nil)); !errors.As(err, &refused) {
		t.Errorf("an event that nothing handles: %v", err)
	}
	if _, err := engine.Start(t.Context(), "Order", "o1", json.RawMessage(`{"sku":"lamp"}`)); !errors.Is(err, runtime.ErrExists) {
		t.Errorf("a second start: %v", err)
	}
	in := p.store.In(tx)
	c := next(t, in, "o1")
	c.EventID, c.Publish = "", []store.MessageRow{{ID: "m", Run: "o1", Seq: c.Run.Seq, N: 1}, {ID: "m", Run: "o1", Seq: c.Run.Seq, N: 2}}
	if err := in.Commit(t.Context(), c); err == nil {
		t.Error("a message twice")
	}
	p.exec(tx, "INSERT INTO "+p.table+" VALUES ('o1')")
	must(t, tx.Commit(t.Context()))
	if err := in.PutDefinition(t.Context(), store.DefinitionRow{Hash: "h", Machine: "M", Definition: []byte("{}")}); err == nil {
		t.Error("it writes after the transaction has ended")
	}
	if row, err := p.store.Load(t.Context(), "o1"); err != nil || row.Seq != 1 || p.orders() != 1 {
		t.Errorf("%+v, %v, %d orders", row, err, p.orders())
	}
	if err := p.store.In(tx).Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.engine.Get(t.Context(), "o1"); err != nil {
		t.Errorf("the store outside: %v", err)
	}
}

// query gives the rows of two columns.
func query(t testing.TB, url, text string) (all [][2]string, err error) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	delete(config.RuntimeParams, "fsmc_schema")
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var row [2]string
		if err := rows.Scan(&row[0], &row[1]); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
