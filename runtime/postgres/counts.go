package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Counts are kept by the steps themselves, so that stats need not read what a million runs
// have left. A step writes what it changes about them as a row of its own to count_log, since
// a row of a sum would have all steps wait for each other; what many have left there is added
// up in the table from time to time. What is read is the table and the log, of one moment.
const (
	insertCounts = `INSERT INTO @count_log (counts) VALUES ($1)`

	// entries are what is in the rows of the log, as the table has it.
	entries = `json_to_recordset(counts :: json) AS e (w text, m text, x json, k bigint, n numeric)`

	selectCounts = `
	SELECT what, machine, texts, number, trim_scale(sum(amount)) :: text
	FROM (SELECT what, machine, texts, number, amount FROM @counts UNION ALL
		SELECT w, m, x :: text, k, n FROM @count_log, ` + entries + `) AS c
	WHERE $1 = '' OR machine = $1
	GROUP BY what, machine, texts, number HAVING sum(amount) <> 0`

	// Whoever has the lock adds up the oldest rows of the log, and no one waits for that.
	lockCounts = `SELECT pg_try_advisory_xact_lock(1718840676, hashtext($1))`
	foldCounts = `
	WITH gone AS (
		DELETE FROM @count_log WHERE id IN (
			SELECT id FROM @count_log ORDER BY id LIMIT 4096 FOR UPDATE SKIP LOCKED)
		RETURNING counts),
	texts AS (SELECT counts, count(*) AS times FROM gone GROUP BY counts), -- few, each many times
	sums AS (SELECT w, m, x :: text, k, sum(n * times) FROM texts, ` + entries + ` GROUP BY 1, 2, 3, 4)
	INSERT INTO @counts (what, machine, texts, number, amount) SELECT * FROM sums
	ON CONFLICT (what, machine, texts, number) DO UPDATE SET amount = @counts.amount + excluded.amount`
)

// foldEach is after how many commits of a process it looks whether it can add up.
const foldEach = 1024

// What is counted, as it stands in the tables.
const (
	runCount  = "run"  // state, status, outcome; 1 if paused
	stepCount = "step" // kind, input, source, target, effect; the day
	stayCount = "stay" // state; the bucket
	costCount = "cost" // name; the day
)

// count is by how much something changes.
type count struct {
	What    string   `json:"w"`
	Machine string   `json:"m"`
	Texts   []string `json:"x"`
	Number  int64    `json:"k"`
	Amount  string   `json:"n"`
}

// tally is what a commit counts.
type tally []count

// counter gathers what is counted.
type counter struct {
	tally tally
	texts []string // of all of it
}

func (y *counter) add(what, machine string, number int64, amount string, texts ...string) {
	from := len(y.texts)
	y.texts = append(y.texts, texts...)
	y.tally = append(y.tally, count{what, machine, slices.Clip(y.texts[from:]), number, amount})
}

// run counts that one run more ("1"), or one less ("-1"), stands so.
func (y *counter) run(s *standing, amount string) {
	paused := int64(0)
	if s.paused {
		paused = 1
	}
	y.add(runCount, s.machine, paused, amount, s.state, string(s.status), string(s.outcome))
}

// log queues what is counted.
func (t *tx) log(y tally) error {
	row, err := json.Marshal(y)
	if err == nil {
		t.queue(nil, insertCounts, string(row))
	}
	return err
}

// fold adds up the log now and then, after a commit that has succeeded. That it fails is
// nothing to the commit: another one does it.
func (s *Store) fold(ctx context.Context) {
	if s.within != nil || s.commits.Add(1)%foldEach != 0 {
		return
	}
	_ = s.transact(ctx, func(ctx context.Context, t *tx) error {
		mine, _, err := sqlrow.First(ctx, t, sqlrow.One[bool], lockCounts, s.schema)
		if err == nil && mine {
			_, err = t.exec(ctx, foldCounts)
		}
		return err
	})
}

// counted is a row of the counts as it is read.
type counted struct {
	count
	texts string
}

func (s *Store) Counts(ctx context.Context, name string, since time.Time) (c store.Counts, err error) {
	rows, err := readAll(ctx, s, func(found sqlrow.Row, r *counted) error {
		return found.Scan(&r.What, &r.Machine, &r.texts, &r.Number, &r.Amount)
	}, selectCounts, name)
	for i := range rows {
		if err == nil {
			err = rows[i].into(&c, store.DayOf(since))
		}
	}
	return c, err
}

// into adds a row to the counts, unless it is of a day before the one given.
func (r *counted) into(c *store.Counts, day int64) error {
	if err := json.Unmarshal([]byte(r.texts), &r.Texts); err != nil {
		return err
	}
	x := append(r.Texts, make([]string, 5)...)
	if r.What == costCount {
		if r.Number >= day {
			c.Costs = append(c.Costs, store.CostCount{Machine: r.Machine, Day: r.Number, Name: x[0], Amount: r.Amount})
		}
		return nil
	}
	var n int64
	if err := json.Unmarshal([]byte(r.Amount), &n); err != nil {
		return err
	}
	switch {
	case r.What == runCount:
		c.Runs = append(c.Runs, store.RunCount{Machine: r.Machine, State: x[0], Status: machine.Status(x[1]),
			Outcome: machine.Outcome(x[2]), Paused: r.Number == 1, Runs: n})
	case r.What == stepCount && r.Number >= day:
		s := store.StepCount{Machine: r.Machine, Day: r.Number, Kind: machine.InputKind(x[0]),
			From: x[2], To: x[3], Effect: machine.Effect(x[4]), Steps: n}
		s.Recount(x[1])
		c.Steps = append(c.Steps, s)
	case r.What == stayCount:
		c.Stays = append(c.Stays, store.StayCount{Machine: r.Machine, State: x[0], Bucket: r.Number, Visits: n})
	}
	return nil
}
