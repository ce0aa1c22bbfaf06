package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func problems(t testing.TB, e *Engine, q HealthQuery) string {
	t.Helper()
	h, err := e.Health(t.Context(), q)
	must(t, err)
	var all []string
	for _, p := range h.Problems {
		all = append(all, string(p.Kind)+" "+p.Run+" "+p.State+": "+p.Why)
	}
	return strings.Join(all, "\n")
}

// TestHealthOfHalted: a halted run is listed with what it could not take.
func TestHealthOfHalted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, nil, On1("Found", "Done"))
		w := work(t, memstore.New(), m, func(context.Context, *Attempt) (Result, error) { return Result{}, errors.New("no luck") })
		defer w.stop()
		begin(t, w.Engine, "r")
		await(t, w.Engine, "r")
		got := problems(t, w.Engine, HealthQuery{})
		if !strings.HasPrefix(got, "halted r Working: failed(unknown) could not be taken: ") || strings.Contains(got, "\n") {
			t.Error(got)
		}
	})
}

// TestHealthOfLostWorker: a lease that has run out is a problem where no engine
// hands the attempt on.
func TestHealthOfLostWorker(t *testing.T) {
	db := memstore.New()
	m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"))
	e := knowing(t, db, m)
	begin(t, e, "r")
	past := time.Now().Add(-time.Hour)
	rows, err := db.Claim(t.Context(), store.ClaimQuery{
		Worker: "gone", Now: time.Now(), Until: past, Limit: 1, Activities: []store.Claimable{{Definition: m.Hash(), Activity: "work"}},
	})
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	want := `lease r Working: the lease of "gone" on work, attempt 1, has run out, and no engine gives the attempt to another worker`
	if got := problems(t, e, HealthQuery{}); got != want {
		t.Error(got)
	}
	if got := problems(t, e, HealthQuery{Late: 2 * time.Hour}); got != "" {
		t.Error(got)
	}
}

// torn is a store in which a hand has written over the snapshots of some runs.
type torn struct {
	store.Store
	runs string
}

func (s torn) Runs(ctx context.Context, f store.RunFilter) ([]store.RunRow, error) {
	rows, err := s.Store.Runs(ctx, f)
	for i := range rows {
		if strings.Contains(s.runs, rows[i].Run) {
			rows[i].Snapshot = []byte("{}")
		}
	}
	return rows, err
}

func (s torn) Definition(ctx context.Context, hash string) (store.DefinitionRow, error) {
	row, err := s.Store.Definition(ctx, hash)
	row.Definition = []byte("{}")
	return row, err
}

// TestHealthOfDamaged: a run that cannot be read is one that nothing moves.
func TestHealthOfDamaged(t *testing.T) {
	store := memstore.New()
	e := knowing(t, torn{store, "b d"}, door(t))
	for _, run := range []string{"a", "b", "c", "d"} {
		start(t, e, run, `{"owner":"me"}`)
	}
	got := strings.Split(problems(t, e, HealthQuery{}), "\n")
	for i, run := range []string{"b", "d"} {
		if len(got) != 2 || !strings.HasPrefix(got[i], "damaged "+run+" Shut: nothing moves it until it is repaired: ") {
			t.Fatal(got)
		}
	}
	h, err := e.Health(t.Context(), HealthQuery{Limit: 1})
	if err != nil || len(h.Problems) != 1 || fmt.Sprint(h.More) != "[damaged]" {
		t.Errorf("%+v, %v", h, err)
	}
	got = strings.Split(problems(t, NewEngine(torn{Store: store}), HealthQuery{}), "\n")
	if len(got) != 4 || !strings.HasPrefix(got[0], "damaged a Shut: its machine cannot be read: ") {
		t.Error(got)
	}
}

// TestHealthOfSteps: moves and retries count against the budget, the start and
// what leaves a run where it is do not.
func TestHealthOfSteps(t *testing.T) {
	d := *door(t).Definition()
	d.Budget = &machine.Budget{Steps: new(int64(2))}
	m, err := machine.Compile(&d)
	must(t, err)
	e := knowing(t, memstore.New(), m)
	start(t, e, "r", `{"owner":"me"}`)
	send(t, e, "r", "Open", `{"by":1}`)
	send(t, e, "r", "Close", "")
	if got := problems(t, e, HealthQuery{}); got != "" {
		t.Error(got)
	}
	send(t, e, "r", "Open", `{"by":1}`)
	if got := problems(t, e, HealthQuery{}); got != "over-budget r Ajar: it has taken 3 steps of its budget of 2" {
		t.Error(got)
	}
}

// boundedOutbox fails a look at all messages there are.
type boundedOutbox struct{ store.Store }

func (s boundedOutbox) Outbox(ctx context.Context, run string, limit int) ([]store.MessageRow, error) {
	if run == "" && limit <= 0 {
		return nil, errors.New("a look without a limit")
	}
	return s.Store.Outbox(ctx, run, limit)
}

// TestHealthOfManyMessages reads no more messages than it needs: where no engine
// delivers there is one for each run that has published.
func TestHealthOfManyMessages(t *testing.T) {
	if got := problems(t, NewEngine(boundedOutbox{memstore.New()}), HealthQuery{}); got != "" {
		t.Error(got)
	}
}

// countedRuns counts the runs of one machine that are read in lists.
type countedRuns struct {
	store.Store
	read *int
}

func (s countedRuns) Runs(ctx context.Context, f store.RunFilter) ([]store.RunRow, error) {
	rows, err := s.Store.Runs(ctx, f)
	if f.Definition != "" {
		*s.read += len(rows)
	}
	return rows, err
}

// TestHealthOfManyBudgets reads no more runs than it needs: none that the store
// can say is within its time, and no more than some thousands otherwise.
func TestHealthOfManyBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		budget machine.Budget
		runs   int
		most   int
		more   bool
	}{
		"empty": {machine.Budget{}, 10, 0, false},
		"time":  {machine.Budget{Time: new(int64(time.Hour))}, 1000, 0, false},
		"steps": {machine.Budget{Steps: new(int64(5))}, 10_600, 10_500, true},
		"over":  {machine.Budget{Steps: new(int64(0))}, 1000, 500, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := *door(t).Definition()
			d.Budget = &c.budget
			m, err := machine.Compile(&d)
			must(t, err)
			read := 0
			e := knowing(t, countedRuns{memstore.New(), &read}, m)
			for i := range c.runs {
				run := fmt.Sprint("r", i)
				start(t, e, run, `{"owner":"me"}`)
				if name == "over" {
					send(t, e, run, "Open", `{"by":1}`)
				}
			}
			read = 0
			h, err := e.Health(t.Context(), HealthQuery{})
			must(t, err)
			if read > c.most {
				t.Errorf("%d runs are read, more than %d", read, c.most)
			}
			if more := len(h.More) > 0; more != c.more {
				t.Errorf("more: %v", h.More)
			}
		})
	}
}

// TestWaitingForWhatIsLeft: what waits for a child that has been left behind does not lack a worker.
func TestWaitingForWhatIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := calling(t, findsN(0), 0, "timeout 1m")
		defer w.stop()
		time.Sleep(2 * time.Minute) // the child waits for someone to say something, also when it has been cancelled
		if found := problems(t, w.Engine, HealthQuery{}); found != "" {
			t.Error(found)
		}
		send(t, w.Engine, "r", "Go", "")
		time.Sleep(2 * time.Minute)
		if found := problems(t, w.Engine, HealthQuery{}); !strings.Contains(found, "Review, attempt 1, waits until what the run has left has stopped") || strings.Contains(found, "no worker") {
			t.Error(found)
		}
		send(t, w.Engine, "r/One.one.2.1", "Say", `{"n":1}`)
		synctest.Wait()
		if found := problems(t, w.Engine, HealthQuery{}); found != "" {
			t.Error(found)
		}
	})
}
