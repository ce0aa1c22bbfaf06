//go:build cgo

package sqlite

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// frozen are the checksums of the migrations as they were committed first: one that is
// changed later refuses the databases that were made before. A new one is added here.
var frozen = []string{
	"7d36f6ad5e0d4bd4f21380e7e8df213baa7b5609c1489985cc90d384777db280",
	"33dfe02b3e3dd1f2eb0cb42e4d123727e62be4ec61d972bc5bc522fe8add500f",
	"94612f5894161cacafd9a3672ea40b7d77f5574f483b97592b0718a88a51e5d6",
	"7c7bee8bfcf17593a1a43a80b6b4a20645d4c4b6c0aaa4fca1ce5e9a6b032e5c",
	"24344429d7f7047f8e7f5c2e85d980a47d9db350486f7c9b69fd2f491cdd7f62",
	"de2f6b045d9c02233822ba7f890292be01e4bfd9a971efee36fa8077fff0c1c0",
	"eafcc985fdfa9c91ef10928f517b6d98259e89e6f83e2b1aa9f7e5b9415c6c0f",
	"cc896278f7d6fdde796da6d80140ce758695c6b62a11c5fcbda94bb79f274887",
	"5ab0eec2cbac534f8d5cfeb95171dd2d0772ed4ff9ddf94e38fac7d61e45e801",
	"4da1503bf22e39b6001da8be09e5b4663b34644379b22d1ad5c1d58ae3a46ba5",
}

// frozenEarly are those of earlyForms, by the history of this repository.
var frozenEarly = []string{
	"a01ce984f1c265c0bb22af77536244ba922bb51f1c2077801cd64d76fd8db778",
	"c6a03c7aa88c56f0059e48c10a83f97028b4ac0ae14dba7b0d2225d9aae07f79",
	"17988acce755ed6e0007298216c69b3d01822b982f5db47c72df6091721011f5",
	"7f334019fc2085c25bf1edf98eb223baf54b2281f717215c97ad8b89ab50a73e",
	"8f2b30de856c75be082faab21ecf3ce06d45d9bab38178b45b80872e7ac773fc",
	"7242c8e12aa1b42793b815f2cd8188b013ca6532c5e07adff62faa971b96ca99",
}

func TestMigrationsAreFrozen(t *testing.T) {
	if len(frozen) != len(migrations()) {
		t.Fatalf("%d migrations, of which %d are frozen", len(migrations()), len(frozen))
	}
	for i, text := range migrations() {
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); sum != frozen[i] {
			t.Errorf("migration %d has changed: %s", i+1, sum)
		}
	}
	for i, f := range earlyForms() {
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(f.text))); sum != frozenEarly[i] {
			t.Errorf("the early form %d, of format %d, is not what it was: %s", i, f.version, sum)
		}
	}
}

// TestMigrate opens a database of each format, and of each early form of one, with a
// run of two steps, a message and what is counted of them.
func TestMigrate(t *testing.T) {
	type origin struct {
		name  string
		texts []string
	}
	var origins []origin
	for i := range migrations() {
		origins = append(origins, origin{fmt.Sprintf("format %d", i+1), migrations()[:i+1]})
	}
	for i, f := range earlyForms() {
		texts := append(append([]string{}, migrations()[:f.version-1]...), f.text)
		origins = append(origins, origin{fmt.Sprintf("format %d, early form %d", f.version, i), texts})
	}
	for _, o := range origins {
		t.Run(o.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "runs.db")
			fill(t, path, o.texts)
			if _, err := Open(t.Context(), path, ReadOnly()); len(o.texts) < len(migrations()) != (err != nil) {
				t.Errorf("read-only: %v", err)
			}
			s := openAt(t, path)
			rows, err := s.History(t.Context(), "r", 0, 0)
			if err != nil || len(rows) != 2 || rows[1].Input != "Go" || string(rows[1].Record) != `{"seq":2}` {
				t.Errorf("the history is %+v, %v", rows, err)
			}
			if row := load(t, s, "r"); row.Seq != 2 || row.State != "Idle" {
				t.Errorf("the run is %+v", row)
			}
			if out, err := s.Outbox(t.Context(), "r", 0); err != nil || len(out) != 1 || out[0].Event != "Gone" {
				t.Errorf("the outbox is %+v, %v", out, err)
			}
			if n := query[int](t, s, `SELECT sum(runs) FROM run_counts`); n != 1 {
				t.Errorf("%d runs are counted", n)
			}
			commit(t, s, nextStep(load(t, s, "r")))
			if found := query[string](t, s, `PRAGMA integrity_check`); found != "ok" {
				t.Error(found)
			}
			must(t, s.Close())
			load(t, openAt(t, path, ReadOnly()), "r")
		})
	}
}

// fill makes a database of some migrations.
func fill(t *testing.T, path string, texts []string) {
	t.Helper()
	raw(t, path, texts...)
	raw(t, path, fmt.Sprintf(`PRAGMA application_id = %d`, applicationID), fmt.Sprintf(`PRAGMA user_version = %d`, len(texts)),
		`INSERT INTO definitions VALUES ('h', 'Order', '', '{}')`)
	all := strings.Join(texts, "")
	run, history := `run, machine, definition, state, status, paused, seq, started, entered, updated, snapshot`, `run, seq`
	values, first, second := `'r', 'Order', 'h', 'Idle', 'running', 0, 2, 5, 5, 6, '{}'`, `'r', 1`, `'r', 2`
	if len(texts) >= 6 {
		run, history = run+`, last`, history+`, back`
		values, first, second = values+`, 2`, first+`, 0`, second+`, 1`
	}
	const columns, row = `, at, kind, input, source, target, effect, record)`, `, 5, 'event', 'Go', 'Idle', 'Idle', 'moved', `
	raw(t, path,
		`INSERT INTO runs (`+run+`) VALUES (`+values+`)`,
		`INSERT INTO history (`+history+columns+` VALUES (`+first+row+`'{"seq":1}')`,
		`INSERT INTO history (`+history+columns+` VALUES (`+second+row+`'{"seq":2}')`)
	if strings.Contains(all, "  ready ") {
		raw(t, path, `INSERT INTO outbox (id, run, seq, n, machine, event, at, next, ready) VALUES ('m', 'r', 2, 1, 'Order', 'Gone', 6, 1, 6)`)
	} else {
		raw(t, path, `INSERT INTO outbox (id, run, seq, n, machine, event, at, next) VALUES ('m', 'r', 2, 1, 'Order', 'Gone', 6, 1)`)
	}
	switch counted := `INSERT INTO run_counts VALUES ('Order', 'Idle', 'running', '', 0, 1)`; {
	case len(texts) == 1: // counted by the next migration
	case strings.Contains(all, "CREATE TABLE count_log") && !strings.Contains(all, "DROP TABLE count_log"):
		raw(t, path, `INSERT INTO count_log (counts) VALUES ('[{"t":"run_counts","m":"Order","x":["Idle","running",""],"k":0,"n":1}]')`)
	default:
		raw(t, path, counted)
	}
}
