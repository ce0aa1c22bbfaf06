package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/fsmc-dev/fsmc/runtime/storetest"
)

// TestStore runs the suite.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, pgtest.URL(t, "synchronous_commit=off"), postgres.Relaxed()) // none of it is about durability
	})
}

// sent are the statements of stores that read or write tables.
func sent(stores []*postgres.Store) (all []string) {
	for _, s := range stores {
		for _, text := range postgres.Statements(s) {
			if verb := strings.Fields(text)[0]; strings.Contains(text, "@") &&
				slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, verb) {
				all = append(all, inMonth.ReplaceAllString(text, "@archived_${1}_2026_03")) // which fill makes
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Tables that are never read from one end to the other, but by what is there for that.
var large = []string{"runs", "history", "tasks", "timers"}

// ofMonth is a table of the archive.
var ofMonth = regexp.MustCompile(`^archived_(\w+)_\d{4}_\d\d$`)

// inMonth is such a table in a statement.
var inMonth = regexp.MustCompile(`@archived_(\w+)_\d{4}_\d\d\b`)

// What is asked now and then by an operator, and may read all there is.
var readsAll = regexp.MustCompile(`SELECT h\.run, h\.records` + // Strays looks through all of history
	`|SELECT run, machine, .* FROM @(all_)?runs WHERE .*(entered|updated|state|starts_with)` + // a list that no index can shorten
	`|FROM @all_runs WHERE status = \$1 ORDER` + // which is finished, as all of the archive are
	`|queued < \$1` + // Waiting, for health
	`|SELECT d\.hash, coalesce\(live` + // VersionCounts, which reads the runs that have not ended
	`|^WITH old AS` + // what prune would do
	`|FROM @archived_runs_2026_03( |$)` + // a month that is dropped as a whole is counted, and listed, first
	`|^SELECT EXISTS \(SELECT 1 FROM @runs\) OR`) // Import, which stops at the first row that there is

// testPlans: no statement reads a large table from one end to the other, neither with a plan for
// given values nor with one for any.
func testPlans(t *testing.T, statements []string) {
	url := pgtest.URL(t, "synchronous_commit=off")
	open(t, url, postgres.Relaxed())
	fill(t, url)
	conn := connect(t, url)
	for n, text := range statements {
		if readsAll.MatchString(strings.Join(strings.Fields(text), " ")) {
			continue
		}
		name := fmt.Sprintf("s%d", n)
		full := strings.ReplaceAll(text, "@", pgtest.SchemaOf(t, url)+".")
		if _, err := conn.Prepare(t.Context(), name, full); err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			scanned, plan := scans(t, conn, name, mode)
			if slices.ContainsFunc(scanned, func(table string) bool { return slices.Contains(large, ofMonth.ReplaceAllString(table, "$1")) }) {
				t.Errorf("%s scans %v:\n%s\n%s", mode, scanned, text, plan)
			}
			if strings.Contains(text, " paused ORDER") && !strings.Contains(plan, "runs_paused") {
				t.Errorf("%s does not know who is paused:\n%s\n%s", mode, text, plan)
			}
		}
	}
}

// values stand for parameters of a type.
var values = map[string]string{
	"text": "'r5'", "text[]": "'{r5,r6}'", "bigint": "5", "bigint[]": "'{5,6}'", "integer": "5", "boolean": "true",
	"boolean[]": "'{t,f}'", "timestamp with time zone": "'2026-03-01'", "timestamp with time zone[]": "'{2026-03-01,2026-03-02}'",
	"numeric": "5", "double precision": "5", "name": "'r5'",
}

// scans gives the tables that a prepared statement reads as a whole, and its plan.
func scans(t *testing.T, conn *pgx.Conn, name, mode string) (tables []string, plan string) {
	t.Helper()
	var types []string
	err := conn.QueryRow(t.Context(), "SELECT parameter_types :: text[] FROM pg_prepared_statements WHERE name = $1", name).Scan(&types)
	must(t, err)
	var args []string
	for _, of := range types {
		value, ok := values[strings.ReplaceAll(of, `"`, "")]
		if !ok {
			t.Fatalf("a parameter of type %s", of)
		}
		args = append(args, value)
	}
	list := ""
	if len(args) > 0 {
		list = "(" + strings.Join(args, ", ") + ")"
	}
	tx, err := conn.Begin(t.Context())
	if err == nil {
		defer func() { _ = tx.Rollback(context.Background()) }()
		_, err = tx.Exec(t.Context(), "SELECT set_config('fsmc.refused', '{}', true), set_config('plan_cache_mode', $1, true)", mode)
	}
	if err == nil {
		err = tx.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE "+name+list, pgx.QueryExecModeSimpleProtocol).Scan(&plan)
	}
	if err != nil {
		t.Fatalf("%s%s: %v", name, list, err)
	}
	var parsed any
	must(t, json.Unmarshal([]byte(plan), &parsed))
	walk(parsed, func(node map[string]any) {
		if node["Node Type"] == "Seq Scan" {
			tables = append(tables, node["Relation Name"].(string))
		}
	})
	return tables, plan
}

// walk visits the objects of a JSON value.
func walk(value any, visit func(map[string]any)) {
	switch v := value.(type) {
	case []any:
		for _, each := range v {
			walk(each, visit)
		}
	case map[string]any:
		visit(v)
		for _, each := range v {
			walk(each, visit)
		}
	}
}

// fill makes many runs, as many as FSMC_PLANS says, and analyzes the tables. Half of them are at
// work, with a task and a timer each; the others have ended, and half of them are in the archive.
func fill(t *testing.T, url string) {
	t.Helper()
	n := 100_000
	if testing.Short() {
		n = 20_000
	}
	if given, err := strconv.Atoi(os.Getenv("FSMC_PLANS")); err == nil {
		n = given
	}
	script := strings.NewReplacer("@", pgtest.SchemaOf(t, url)+".", "$n", strconv.Itoa(n)).Replace(fillScript)
	must(t, pgtest.Exec(t.Context(), url, script))
}

const fillScript = `
	INSERT INTO @definitions SELECT 'h' || i, 'M' || i % 3, '', '{}' FROM generate_series(1, 10) AS i;
	INSERT INTO @runs (run, machine, definition, state, status, outcome, paused, seq, started, entered, updated, ended, final, snapshot)
	SELECT 'r' || i, 'M' || i % 3, 'h' || i % 10, 'S' || i % 7, CASE WHEN i % 2 = 0 THEN 'running' ELSE 'finished' END,
		CASE WHEN i % 2 > 0 THEN CASE WHEN i % 10 > 2 THEN 'success' ELSE 'failed' END END, false, 3, at, at, at,
		CASE WHEN i % 2 > 0 THEN at END, CASE WHEN i % 2 > 0 THEN 'S' || i % 7 END, '{}'
	FROM (SELECT i, timestamptz '2026-03-01' + i * interval '1 second' AS at FROM generate_series(1, $n) AS i) AS rows;
	INSERT INTO @history SELECT run, n, started, 'event', 'Go', 'A', 'B', 'moved', 1, '{}' FROM @runs, generate_series(1, 3) AS n;
	INSERT INTO @tasks (run, "do", seq, machine, definition, activity, key, attempt, visit, awake, queued, not_before, worker, lease_until,
		timeout_ns, heartbeat_ns, progress_ns)
	SELECT run, 'd', 1, machine, definition, 'a', run, 1, 1, true, started, CASE WHEN hash % 3 = 0 THEN started END,
		CASE WHEN hash % 50 = 0 THEN 'w' END, CASE WHEN hash % 50 = 0 THEN started END, 0, 0, 0
	FROM (SELECT *, abs(hashtext(run)) AS hash FROM @runs WHERE ended IS NULL) AS r;
	INSERT INTO @timers SELECT run, 'after 1h', started, true FROM @runs WHERE ended IS NULL;
	INSERT INTO @inbox SELECT run, 'e', 1, 1, '{}' FROM @runs WHERE ended IS NULL;
	INSERT INTO @outbox SELECT run, run, 1, 1, machine, 'E', '{}', started, true, started FROM @runs WHERE ended IS NULL;
	INSERT INTO @settings VALUES ('archive', 'month');
	ANALYZE @definitions, @runs, @history, @tasks, @timers, @inbox, @outbox;
	SELECT @archive_runs(now(), $n / 5);
	ANALYZE @archived_runs, @archived_history;`

// TestHot: steps change a run where it stands, without a word to its indexes: else each would cost several
// times as much, and leave as many dead entries.
func TestHot(t *testing.T) {
	url := pgtest.URL(t, "synchronous_commit=off")
	s := open(t, url, postgres.Relaxed())
	for i := range 20 {
		begin(t, s, fmt.Sprintf("r%d", i))
		c := next(t, s, fmt.Sprintf("r%d", i))
		for n := range 50 {
			c.Run.State, c.Run.Entered = fmt.Sprintf("S%d", n%7), c.Run.Updated
			c.Run.Snapshot = fmt.Appendf(nil, `{"seq":%d,"data":"%s"}`, n, strings.Repeat("x", 10*(n%40)))
			must(t, s.Commit(t.Context(), c))
			c = step(c.Run)
		}
	}
	if err := s.Close(); err != nil { // its connections then say what they have counted
		t.Fatal(err)
	}
	conn := connect(t, url)
	var all, hot int
	for begun := time.Now(); all < 1000 && time.Since(begun) < time.Minute; time.Sleep(20 * time.Millisecond) {
		err := conn.QueryRow(t.Context(), "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'runs'",
			pgtest.SchemaOf(t, url)).Scan(&all, &hot)
		must(t, err)
	}
	if all < 1000 || hot*100 < all*95 {
		t.Errorf("%d of %d", hot, all)
	}
}
