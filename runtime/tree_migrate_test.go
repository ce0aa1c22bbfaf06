//go:build cgo

package runtime_test

import (
	"strings"
	"testing"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// stoppedTree is a store in which a run waits for its child, and no worker works any more.
func stoppedTree(t *testing.T, options ...string) (*memstore.Store, *working) {
	db, child := memstore.New(), review(t)
	w := tree(t, db, parent(t, child, options...), child, findsN(0))
	callChild(t, w.Engine, 0)
	await(t, w.Engine, "r")
	w.stop()
	return db, w
}

// TestMigrateChild: a child goes to no version that can end in a way of which its parent does not know.
func TestMigrateChild(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, _ := stoppedTree(t)
		states := func(terminal string) []Part {
			return []Part{Named("Review"), WithParams("file string"), WithFields("n int = 0"), WithState("Waiting", After("1m", GoTo(terminal))),
				WithTerminal("Completed", machine.Success), Returning("Completed", "n", "file"), WithTerminal("Failed", machine.Failed)}
		}
		for _, c := range []struct {
			terminal, why string
			more          []Part
		}{
			{"Gone", `it can end in Gone, which its parent "r" does not know`, []Part{WithTerminal("Gone", machine.Failed)}},
			{"Completed", "", nil},
		} {
			e := knowing(t, db, Build(t, append(states(c.terminal), c.more...)...))
			if err := e.Migrate(t.Context(), "Review", MigrateOptions{Operator: ada}, func(r MigratedRun) error {
				if r.Why != c.why || (r.To == "") != (c.why != "") {
					t.Errorf("%s: %+v", c.terminal, r)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestMigrateParent: its children go on with it, unless they can end in a way that is new to it.
func TestMigrateParent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, _ := stoppedTree(t, "timeout 2h")
		migrate := func(child *machine.Machine, options ...string) MigratedRun {
			t.Helper()
			e := NewEngine(db)
			registerBoth(t, e, child, parent(t, child, options...), nil)
			var got []MigratedRun
			err := e.Migrate(t.Context(), "M", MigrateOptions{Apply: true, Operator: ada}, func(r MigratedRun) error {
				got = append(got, r)
				return nil
			})
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			return got[0]
		}
		other := Build(t, Named("Review"), WithParams("file string"), WithFields("n int 0..9 = 0"), WithState("Working", On("done", GoTo("Completed"))),
			WithTerminal("Completed", machine.Success), Returning("Completed", "n"), WithTerminal("Failed", machine.Failed))
		if got := migrate(other); !strings.Contains(got.Why, `its child "r/One.one.2.1" can end in Completed with (n int)(file string), and the new definition expects (n int 0..9)`) || got.To != "" {
			t.Errorf("%+v", got)
		}
		alone := NewEngine(db) // a version that calls none
		register(t, alone, Build(t, WithParams("parts [0..1000]string"), WithFields("total int = 0, failed int = 0, why string = \"\""), WithEvent("Go", ""),
			WithState("One", On("Go", GoTo("Done"))), WithTerminal("Done", machine.Success)), Handlers{})
		if err := alone.Migrate(t.Context(), "M", MigrateOptions{}, func(r MigratedRun) error {
			if r.Why != `its child "r/One.one.2.1" has yet to end, and the new definition calls no machine` {
				t.Errorf("%+v", r)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		longer := Build(t, Named("Review"), WithParams("file string"), WithFields("n int = 0"), WithState("Working", After("1m", GoTo("Completed"))),
			WithTerminal("Completed", machine.Success), Returning("Completed", "n", "file"), WithTerminal("Failed", machine.Failed))
		if got := migrate(longer); got.Why != "" || got.To != "One" {
			t.Errorf("%+v", got)
		}
		tasks, err := db.Tasks(t.Context(), "r")
		if err != nil || len(tasks) != 1 || tasks[0].Child != "r/One.one.2.1" || tasks[0].Cancelled {
			t.Fatalf("%+v, %v", tasks, err)
		}
		e := knowing(t, db, longer)
		register(t, e, parent(t, longer), Handlers{})
		w := run(t, e)
		defer w.stop()
		send(t, e, "r/One.one.2.1", "Say", `{"n":6}`)
		returns(t, await(t, e, "r"), "Done", `{"total":6}`)
		whole(t, e, db, "r")
	})
}

// TestMigrateParentOfEnded: of a child that has ended, it matters how it has, and not how it could have.
func TestMigrateParentOfEnded(t *testing.T) {
	for by, why := range map[string]string{"Say": "", "": `its child "r/One.one.2.1" can end in Failed with nothing, and the new definition expects (n int)`} {
		t.Run("sent "+by, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				db, w := stoppedTree(t)
				if by != "" {
					send(t, w.Engine, "r/One.one.2.1", "Say", `{"n":6}`)
				}
				other := Build(t, Named("Review"), WithParams("file string"), WithFields("n int = 0"), WithState("Working", On("done", GoTo("Completed"))),
					WithTerminal("Completed", machine.Success), Returning("Completed", "n", "file"), WithTerminal("Failed", machine.Failed), Returning("Failed", "n"))
				e := NewEngine(db)
				registerBoth(t, e, other, parent(t, other), nil)
				must(t, e.Migrate(t.Context(), "M", MigrateOptions{Apply: true, Operator: ada}, func(r MigratedRun) error {
					if r.Why != why {
						t.Errorf("%+v", r)
					}
					return nil
				}))
				if why != "" {
					return
				}
				register(t, e, review(t), Handlers{})
				w = run(t, e)
				defer w.stop()
				returns(t, await(t, e, "r"), "Done", `{"total":6}`)
				whole(t, e, db, "r")
			})
		})
	}
}
