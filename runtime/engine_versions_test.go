//go:build cgo

package runtime_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// threeVersions are one machine whose only state is renamed twice.
func threeVersions(t *testing.T) (versions []*machine.Machine) {
	for _, state := range []string{"Idle", "Waiting", "Resting"} {
		versions = append(versions, Build(t, WithFields("n int 0..9 = 1"), WithEvent("Count", ""), WithEvent("End", ""),
			WithState(state, On("Count", Stay(Set("n", "n + 1"))), On("End", GoTo("Done"))), WithTerminal("Done", machine.Success)))
	}
	return versions
}

// TestMigratedRunWithoutSnapshot damages the snapshot of a run that was migrated
// twice: which definition a record is of must then come from the history.
func TestMigratedRunWithoutSnapshot(t *testing.T) {
	versions := threeVersions(t)
	rewrite := func(pattern, by string) func(json.RawMessage) json.RawMessage {
		return func(s json.RawMessage) json.RawMessage {
			changed := regexp.MustCompile(pattern).ReplaceAll(s, []byte(by))
			if string(changed) == string(s) {
				t.Fatalf("the snapshot has no %s: %s", pattern, s)
			}
			return changed
		}
	}
	for _, test := range []struct {
		name   string
		change func(json.RawMessage) json.RawMessage
		tells  string // of replay, and of the repair
	}{
		{"empty", rewrite(`.+`, `{}`), "the snapshot is damaged"},
		{"cut off", rewrite(`.{9}$`, ``), "the snapshot is damaged"},
		{"before the start", rewrite(`.+`, `{"status":"running"}`), "snapshot."},
		{"no versions", rewrite(`"versions":\[.*?\],?`, ``), "snapshot.versions"},
		{"one version", rewrite(`"versions":\[\{.*?\},`, `"versions":[`), "snapshot.versions"},
		{"another end", rewrite(`"until":2`, `"until":1`), "snapshot.versions"},
		{"a version that no one has", rewrite(versions[0].Hash(), "no such hash"), "snapshot.versions"},
		{"data", rewrite(`"n":4`, `"n":5`), "snapshot.data.n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, db store.Store, e *Engine, clock *ManualClock) {
				migrateTwice(t, e, versions)
				seen := NewEngine(&tamper{db, func(r *store.RunRow) { r.Snapshot = test.change(r.Snapshot) }}, WithClock(clock))
				var differs *machine.Difference
				if err := seen.Replay(t.Context(), "r"); !errors.As(err, &differs) || differs.Seq != 6 || !strings.Contains(err.Error(), test.tells) {
					t.Errorf("replay says %v, not that %s of record 6", err, test.tells)
				}
				steps, err := seen.History(t.Context(), "r", 0, 0)
				if damaged := strings.HasSuffix(test.tells, "damaged"); damaged && (err != nil || len(steps) != 6 || steps[1].To != "Idle") {
					t.Errorf("history %+v, %v", steps, err)
				}
				for _, apply := range []bool{false, true} {
					got := repairRun(t, seen, apply)
					if len(got.Faults) != 1 || !strings.Contains(got.Faults[0], test.tells) || got.To != "Resting" || got.Applied != apply {
						t.Errorf("apply %v: %+v, which should tell of %s", apply, got, test.tells)
					}
				}
				want := "start>Idle Count>Idle migrate>Waiting Count>Waiting migrate>Resting Count>Resting repair>Resting"
				wantLines(t, e, "r", want)
				if v := get(t, e, "r"); string(v.Data) != `{"n":4}` || v.Definition != versions[2].Hash() {
					t.Errorf("%+v", v)
				}
			})
		})
	}
}

// migrateTwice gives a run two records by each version.
func migrateTwice(t *testing.T, e *Engine, versions []*machine.Machine) {
	t.Helper()
	for i, m := range versions {
		register(t, e, m, Handlers{})
		if i == 0 {
			start(t, e, "r", "")
		} else {
			from, to := []string{"", "Idle", "Waiting"}[i], []string{"", "Waiting", "Resting"}[i]
			o := MigrateOptions{Mapping: machine.Mapping{States: map[string]string{from: to}}, Apply: true, Operator: ada}
			err := e.Migrate(t.Context(), "M", o, func(r MigratedRun) error {
				if r.Why != "" {
					return errors.New(r.Why)
				}
				return nil
			})
			must(t, err)
		}
		send(t, e, "r", "Count", "")
	}
}

// TestDamageInHistory is told at its own record, whatever the snapshot says of
// versions.
func TestDamageInHistory(t *testing.T) {
	versions := threeVersions(t)
	for _, test := range []struct {
		name     string
		snapshot bool // damaged as well
		seq      int64
		change   func(*store.HistoryRow)
	}{
		{"a record", false, 4, func(r *store.HistoryRow) { r.Record = replaced(r.Record, `"stayed"`, `"moved"`) }},
		{"a record, and the snapshot", true, 4, func(r *store.HistoryRow) { r.Record = replaced(r.Record, `"stayed"`, `"moved"`) }},
		{"the kind of a migration", false, 5, func(r *store.HistoryRow) { r.Kind = machine.EventInput }},
		{"the last migration, and the snapshot", true, 5, func(r *store.HistoryRow) { r.Record = r.Record[:9] }},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, db store.Store, e *Engine, clock *ManualClock) {
				migrateTwice(t, e, versions)
				forged := &forging{Store: db, history: func(rows []store.HistoryRow) []store.HistoryRow {
					for i := range rows {
						if rows[i].Seq == test.seq {
							test.change(&rows[i])
						}
					}
					return rows
				}}
				if test.snapshot {
					forged.run = func(r *store.RunRow) { r.Snapshot = json.RawMessage(`{}`) }
				}
				_, err := NewEngine(forged, WithClock(clock)).Repair(t.Context(), "r", RepairOptions{})
				if differs := (*machine.Difference)(nil); !errors.As(err, &differs) || differs.Seq != test.seq {
					t.Errorf("repair says %v, not that record %d differs", err, test.seq)
				}
			})
		})
	}
}
