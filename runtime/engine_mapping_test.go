//go:build cgo

package runtime_test

import (
	"strings"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// migrateAll moves runs of M, and gives why those that do not fit stay.
func migrateAll(t *testing.T, e *Engine, p machine.Mapping) (moved int, why []string, err error) {
	t.Helper()
	err = e.Migrate(t.Context(), "M", MigrateOptions{Mapping: p, Apply: true, Operator: ada}, func(r MigratedRun) error {
		if r.Why != "" {
			why = append(why, r.Why)
		} else {
			moved++
		}
		return nil
	})
	return moved, why, err
}

// TestMappingOntoAFieldThatStays: of two fields that would become one, one must be
// given up by name, whatever the values of a run.
func TestMappingOntoAFieldThatStays(t *testing.T) {
	fields := func(list string) *machine.Machine {
		return Build(t, WithFields(list), WithEvent("End", ""), WithState("Idle", On("End", GoTo("Done"))), WithTerminal("Done", machine.Success))
	}
	two, third := fields("n int = 1, limit int = 5, tag string = \"t\""), fields("a int = 1, b int, c int = 3, limit int = 5, tag string = \"t\"")
	next := fields("limit int = 9, tag string = \"\"")
	for _, test := range []struct {
		name   string
		old    *machine.Machine
		fields map[string]string
		want   string // the data then, or the error
	}{
		{"one stays", two, map[string]string{"n": "limit"},
			`the mapping gives "limit" two origins, "n" and "limit": give one up with ""`},
		{"both are renamed", third, map[string]string{"a": "limit", "c": "limit", "limit": ""},
			`the mapping gives "limit" two origins, "a" and "c": give one up with ""`},
		{"one is not set", third, map[string]string{"b": "limit", "a": "", "c": ""},
			`the mapping gives "limit" two origins, "b" and "limit": give one up with ""`},
		{"the other is given up", two, map[string]string{"n": "limit", "limit": ""}, `{"limit":1,"tag":"t"}`},
		{"it is given up itself", two, map[string]string{"n": ""}, `{"limit":5,"tag":"t"}`},
		{"one that is not set gets its default", third, map[string]string{"b": "limit", "a": "", "c": "", "limit": ""}, `{"limit":9,"tag":"t"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
				register(t, e, test.old, Handlers{})
				start(t, e, "r", "")
				register(t, e, next, Handlers{})
				moved, why, err := migrateAll(t, e, machine.Mapping{Fields: test.fields})
				if !strings.HasPrefix(test.want, "{") {
					if err == nil || err.Error() != test.want || moved+len(why) != 0 {
						t.Errorf("%d moved, %q stay, error %v, want %s", moved, why, err, test.want)
					}
					return
				}
				if v := get(t, e, "r"); err != nil || moved != 1 || string(v.Data) != test.want {
					t.Errorf("%d moved, %q stay, error %v: %s, want %s", moved, why, err, v.Data, test.want)
				}
				lines(t, e, "r")
			})
		})
	}
}

// TestMappingOfSeveralVersions: a version counts whose runs the mapping moves, not
// one whose runs have ended, and each by its own fields.
func TestMappingOfSeveralVersions(t *testing.T) {
	fields := func(list string) *machine.Machine {
		return Build(t, WithFields(list), WithEvent("End", ""), WithState("Idle", On("End", GoTo("Done"))), WithTerminal("Done", machine.Success))
	}
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		for run, list := range []string{"n int = 1", "limit int", "n int = 1, limit int = 5"} {
			register(t, e, fields(list), Handlers{})
			start(t, e, string(rune('a'+run)), "")
		}
		register(t, e, fields("limit int = 9"), Handlers{})
		p := machine.Mapping{Fields: map[string]string{"n": "limit"}}
		if moved, why, err := migrateAll(t, e, p); err == nil || moved+len(why) != 0 {
			t.Errorf("%d moved, %q stay, error %v", moved, why, err)
		}
		send(t, e, "c", "End", "")
		if moved, why, err := migrateAll(t, e, p); err != nil || moved != 2 {
			t.Errorf("%d moved, %q stay, error %v", moved, why, err)
		}
		if a, b := get(t, e, "a"), get(t, e, "b"); string(a.Data) != `{"limit":1}` || string(b.Data) != `{"limit":9}` {
			t.Errorf("%s, %s", a.Data, b.Data)
		}
	})
}

// TestTimersOfMergedStates: a timer of a state in which the run was not has not
// fired, and starts.
func TestTimersOfMergedStates(t *testing.T) {
	before := Build(t, WithEvent("Go", ""), WithEvent("Ping", ""),
		WithState("Calm", On("Go", GoTo("Hasty"))),
		WithState("Hasty", After("1h", Stay()), On("Ping", Stay())), WithTerminal("Done", machine.Success))
	after := Build(t, WithEvent("Ping", ""), WithState("Both", After("1h", GoTo("Done")), On("Ping", Stay())), WithTerminal("Done", machine.Success))
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		register(t, e, before, Handlers{})
		for _, run := range []string{"calm", "runs", "fired"} {
			start(t, e, run, "")
		}
		send(t, e, "fired", "Go", "")
		clock.Advance(2 * time.Hour)
		send(t, e, "fired", "Ping", "")
		send(t, e, "runs", "Go", "")
		clock.Advance(20 * time.Minute)
		register(t, e, after, Handlers{})
		if moved, why, err := migrateAll(t, e, machine.Mapping{States: map[string]string{"Calm": "Both", "Hasty": "Both"}}); err != nil || moved != 3 {
			t.Fatalf("%d moved, %q stay, error %v", moved, why, err)
		}
		for run, want := range map[string]string{"calm": "1h0m0s", "runs": "40m0s", "fired": ""} {
			got := ""
			for _, timer := range get(t, e, run).Timers {
				got += timer.Due.Sub(clock.Now()).String()
			}
			if got != want {
				t.Errorf("%s is due in %q, want %q", run, got, want)
			}
			lines(t, e, run)
		}
	})
}

// TestHistoryOfMigration: what a migration has made of parameters and data stands
// with its line, and with no other.
func TestHistoryOfMigration(t *testing.T) {
	version := func(params, fields string) *machine.Machine {
		return Build(t, WithParams(params), WithFields(fields), WithEvent("End", ""), WithState("Idle", On("End", GoTo("Done"))), WithTerminal("Done", machine.Success))
	}
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		register(t, e, version("pr string", "n int = 1"), Handlers{})
		start(t, e, "r", `{"pr":"17"}`)
		register(t, e, version("pr string, repo string", "n int = 1, note string"), Handlers{})
		p, err := machine.DecodeMapping([]byte(`{"set":{"repo":"fsmc","n":2,"note":"x"}}`))
		must(t, err)
		if moved, why, err := migrateAll(t, e, p); err != nil || moved != 1 {
			t.Fatalf("%d moved, %q stay, error %v", moved, why, err)
		}
		register(t, e, version("", "note string"), Handlers{})
		if moved, why, err := migrateAll(t, e, machine.Mapping{Fields: map[string]string{"n": ""}}); err != nil || moved != 1 {
			t.Fatalf("%d moved, %q stay, error %v", moved, why, err)
		}
		send(t, e, "r", "End", "")
		steps, err := e.History(t.Context(), "r", 0, 0)
		must(t, err)
		for i, want := range []string{"", `{"pr":"17","repo":"fsmc"} {"n":2,"note":"x"}`, `{} {"note":"x"}`, ""} {
			got := ""
			if after := steps[i].After; after != nil {
				got = string(after.Params) + " " + string(after.Data)
			}
			if got != want {
				t.Errorf("step %d: %s, want %s", i+1, got, want)
			}
		}
	})
}

func TestDecodeMapping(t *testing.T) {
	for text, want := range map[string]string{
		`{"states":{"A":"B"},"fields":{"n":""},"set":{"n":[1, "x"]}}`: "",
		` {} `:                         "",
		`{"states":null}`:              "",
		``:                             "it is empty",
		"\n":                           "it is empty",
		`[]`:                           `expected an object like {"states": {"Old": "New"}}, found a list`,
		`null`:                         `expected an object like {"states": {"Old": "New"}}, found null`,
		`{"state":{}}`:                 `"state" is none of "states", "fields" and "set"`,
		`{"Fields":{}}`:                `"Fields" is none of "states", "fields" and "set"`,
		`{"set":{},"set":{}}`:          `"set" is given twice`,
		`{"fields":[]}`:                `"fields": expected an object, found a list`,
		`{"states":{"A":1}}`:           `"states": expected a string, found a number, at byte 15`,
		`{"fields":{"n":null}}`:        `"fields": expected a string, found null, at byte 15`,
		`{"fields":{"n":"a","n":"b"}}`: `"fields": "n" is given twice`,
		`{"set":{"n":1,"n":2}}`:        `"set": "n" is given twice`,
		`{"set":{"n":"?"}}`:            `"set": "n" is still "?": fill in its value`,
		`{"set":{"n":}}`:               `"set": expected a JSON value, found "}", at byte 12`,
		`{"set":{"n":1}`:               `it is not valid JSON: expected "," or "}", found nothing, at byte 14`,
		`{} {}`:                        "it is not valid JSON: there is more behind the JSON value, at byte 3",
	} {
		p, err := machine.DecodeMapping([]byte(text))
		switch {
		case want == "" && err != nil, want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v, want %q", text, err, want)
		case strings.Contains(text, "A") && err == nil && (p.States["A"] != "B" || p.Fields["n"] != "" || string(p.Set["n"]) != `[1,"x"]`):
			t.Errorf("%s: %+v", text, p)
		}
	}
}
