//go:build unix && cgo

package reliability

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// TestRandomTrees lets trees of runs grow in virtual time, each two times under the same ids, while two workers do
// what their activities ask for and an operator does to any run whatever an operator can: tree_operators_test.go. In
// every second tree each engine dies at some commit, before or behind it. FSMC_TREES is how many trees, FSMC_SEED the
// first seed. From a seed follows what is done from outside, what each attempt does and how long each commit takes.
// What does not follow from it is when an engine looks for work by itself, and what is first at one instant: one seed
// is run again several times. What is held:
//
//   - while activities are under way, the list whileUnderWay in tree_attempts_test.go: once, oneVisit, atOnce,
//     inWindow, elements, oneKey, countsUp, newKey;
//   - when a run has been cancelled, nothing that it has left is under way: stoppedBy;
//   - an operator is answered with a refusal at most: answered; and finds nothing to repair: repair;
//   - when a tree has had twenty minutes of peace, the list whenGrown in tree_grown_test.go: still, kept, ended,
//     sound, noTasks, toldOnce, paid, healthy; and no message and no timer is left: settled;
//   - a tree can be pruned, and no goroutine is left.
func TestRandomTrees(t *testing.T) {
	trees := count(t, "FSMC_TREES", 30)
	if testing.Short() {
		trees = min(trees, 10)
	}
	first := uint64(count(t, "FSMC_SEED", 1))
	t.Logf("the first seed is %d", first)
	var sum treeTally
	for seed := first; seed < first+uint64(trees); seed++ {
		g := newGrove(seed)
		if t.Run(fmt.Sprint(seed), func(t *testing.T) { g.live(t) }) {
			sum.add(g.treeTally)
			continue
		}
		t.Logf("%s; what was done last:\n%s\nthis one alone: FSMC_TREES=1 FSMC_SEED=%d go test -count 20 -run '^TestRandomTrees$' ./runtime/reliability",
			g, strings.Join(g.inputs[max(0, len(g.inputs)-20):], "\n"), seed)
	}
	if trees >= 20 && (sum.runs < trees || sum.attempts < trees || sum.inputs < trees || sum.deaths == 0) {
		t.Errorf("the test sees too little: %+v", sum)
	}
	t.Logf("figure: random trees = %d", trees)
	t.Logf("figure: runs of random trees = %d", sum.runs)
	t.Logf("figure: steps of random trees = %d", sum.steps)
	t.Logf("figure: attempts of random trees = %d", sum.attempts)
	t.Logf("figure: acts of operators on random trees = %d", sum.inputs)
	t.Logf("figure: engines of random trees that died = %d", sum.deaths)
}

type treeTally struct{ runs, steps, attempts, inputs, deaths int }

func (a *treeTally) add(b treeTally) {
	a.runs, a.steps, a.attempts = a.runs+b.runs, a.steps+b.steps, a.attempts+b.attempts
	a.inputs, a.deaths = a.inputs+b.inputs, a.deaths+b.deaths
}

// root is the run from which each tree grows.
const root = "r"

// wood is a kind of trees.
type wood struct {
	name         string
	model, newer func() *model
	most         int // cents that a tree may use: its budget, and what may be under way when it is reached
}

var woods = []wood{
	{"tree", tree, treeNew, 160},
	{"fan", fan, fanNew, 1030},
}

// grove is where the trees of one seed grow.
type grove struct {
	*scene
	wood   *wood
	seed   uint64
	random *rand.Rand // of what is done from outside, one after the other
	deadly bool       // engines die
	onDisk bool
	slow   time.Duration // the most that a commit takes
	grace  time.Duration // of engines that are stopped
	models map[string]*model

	t       *testing.T
	db      runtime.Store
	workers []*worker
	dying   sync.WaitGroup
	moved   bool // the newer version is the one that runs are moved to
	calm    bool // no engine dies any more
	rude    int  // 0: no run is paused, cancelled or completed by hand; 1: leaves are cancelled; 2: any run is
	paused  map[string]bool
	inputs  []string
	treeTally
}

func newGrove(seed uint64) *grove {
	r := rand.New(rand.NewPCG(seed, 7))
	g := &grove{seed: seed, random: r, paused: map[string]bool{}}
	g.wood = &woods[r.IntN(len(woods))]
	g.deadly, g.onDisk = r.IntN(2) == 0, seed%25 == 0
	g.slow = []time.Duration{0, 4 * time.Millisecond, 400 * time.Millisecond}[r.IntN(3)]
	g.grace = time.Duration(r.IntN(3)) * 5 * time.Second
	g.models = g.wood.model().byName()
	g.scene = newScene(g)
	return g
}

func (g *grove) String() string {
	return fmt.Sprintf("seed %d: a %s, deadly=%t, on disk=%t, commits take up to %s, grace %s, rude %d", g.seed, g.wood.name, g.deadly, g.onDisk, g.slow, g.grace, g.rude)
}

// chance is what follows from the seed for one thing, whatever happens beside it.
func (g *grove) chance(of ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, of...)
	return rand.New(rand.NewPCG(g.seed, h.Sum64()))
}

// live lives through two trees, one after the other.
func (g *grove) live(t *testing.T) {
	dir := t.TempDir()
	cryptotest.SetGlobalRandom(t, g.seed)
	synctest.Test(t, func(t *testing.T) {
		g.t, g.db = t, memstore.New()
		if g.onDisk {
			db, err := sqlite.Open(t.Context(), filepath.Join(dir, "runs.db"), sqlite.Relaxed())
			must(t, err)
			g.db = db
		}
		defer g.db.Close()
		defer g.dying.Wait()
		for i := range 2 {
			g.workers = append(g.workers, g.launch(fmt.Sprint("first", i)))
		}
		defer func() {
			for _, w := range g.workers {
				w.stop()
			}
		}()
		for life := range 2 {
			g.begin(life)
			g.disturb()
			g.settle()
			g.look()
			if t.Failed() {
				return
			}
			must(t, errOf(g.prune()))
			if left := g.rows(); len(left) > 0 {
				t.Errorf("%d runs are left when all have been pruned", len(left))
			}
		}
	})
}

// begin starts the tree, under an engine that may die of it.
func (g *grove) begin(life int) {
	g.forget()
	g.calm, g.rude = false, g.random.IntN(3)
	xs := make([]string, g.random.IntN(5))
	for i := range xs {
		xs[i] = fmt.Sprint(7 * i)
	}
	for {
		g.bury(fmt.Sprint("next", life))
		w := g.workers[0]
		_, err := w.Start(g.t.Context(), "Top", root, fmt.Appendf(nil, `{"xs": [%s]}`, strings.Join(xs, ", ")))
		g.note("start", root, err)
		if err == nil || errors.Is(err, runtime.ErrExists) && g.deadly {
			return
		}
		if !w.store.died() {
			g.t.Fatal(err)
		}
	}
}

// disturb does one thing after the other from outside, for a while.
func (g *grove) disturb() {
	limit := time.Now().Add(time.Duration(g.random.IntN(200)) * time.Second)
	for !g.over() && time.Now().Before(limit) {
		pause := 4 * time.Second
		if g.random.IntN(2) == 0 {
			pause = g.slow
		}
		time.Sleep(time.Duration(g.random.Int64N(int64(pause) + 1)))
		g.bury(fmt.Sprint("after", len(g.inputs)))
		g.act(g.workers[g.random.IntN(len(g.workers))], g.any())
	}
}

// any is a run of the tree: of every second time one that an engine is just about to write, if there is any.
func (g *grove) any() *runtime.RunRow {
	rows := g.rows()
	if g.random.IntN(2) == 0 {
		written := slices.DeleteFunc(slices.Clone(rows), func(row runtime.RunRow) bool { return !g.isWritten(row.Run) })
		if len(written) > 0 {
			rows = written
		}
	}
	return &rows[g.random.IntN(len(rows))]
}

// settle lets all go on undisturbed until nothing is left to be done.
func (g *grove) settle() {
	g.calm = true
	for _, w := range g.workers {
		w.store.live()
	}
	g.bury("calm")
	for _, row := range g.rows() {
		if w := g.workers[g.random.IntN(len(g.workers))]; row.Paused {
			_, err := w.Resume(g.t.Context(), row.Run, ada)
			g.answered(w, "resume", row.Run, err)
		}
	}
	clear(g.paused)
	for limit := time.Now().Add(20 * time.Minute); !g.over() && time.Now().Before(limit); {
		time.Sleep(time.Second)
	}
}

func (g *grove) over() bool {
	row, err := g.db.Load(g.t.Context(), root)
	must(g.t, err)
	return row.Status == runtime.Finished
}

// rows are the runs of the tree, in the order of their ids.
func (g *grove) rows() []runtime.RunRow {
	rows, err := g.db.Runs(g.t.Context(), runtime.RunFilter{Root: root, Limit: 10_000})
	must(g.t, err)
	slices.SortFunc(rows, func(a, b runtime.RunRow) int { return strings.Compare(a.Run, b.Run) })
	return rows
}

func (g *grove) prune() (runtime.Pruned, error) {
	return g.workers[0].Prune(g.t.Context(), runtime.PruneQuery{Before: time.Now().Add(time.Hour), Actor: ada.Actor, Reason: ada.Reason})
}

// note notes what was done from outside.
func (g *grove) note(what, run string, err error) {
	g.treeTally.inputs++
	g.inputs = append(g.inputs, fmt.Sprintf("%s %s %s: %v", time.Now().Format("04:05.000000"), what, run, err))
}

// worker is an engine at the store of a grove, which may die.
type worker struct {
	*runtime.Engine
	store *mortal
	stop  func()
}

func (g *grove) launch(name string) *worker {
	w := &worker{store: &mortal{unreliable: &unreliable{Store: g.db, random: g.chance(name)}, grove: g, worker: name}}
	if g.deadly && !g.calm {
		w.store.left, w.store.behind = 1+g.random.IntN(80), g.random.IntN(2) == 0
	}
	w.Engine = runtime.NewEngine(w.store, runtime.WithWorker(name), runtime.WithPatience(5*time.Second),
		runtime.WithGrace(g.grace), runtime.WithConcurrency(8))
	versions := []*model{g.wood.newer(), g.wood.model()}
	if g.moved {
		slices.Reverse(versions)
	}
	for _, m := range versions {
		g.register(w, m)
	}
	ctx, cancel := context.WithCancel(g.t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	w.stop = func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, errFault) {
			g.t.Error(err)
		}
	}
	return w
}

// register registers a machine behind those that it calls.
func (g *grove) register(w *worker, m *model) {
	if m.callee != nil {
		g.register(w, m.callee)
	}
	h := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{}}
	for _, a := range m.Definition().Activities {
		if a.Callee == "" {
			h.Activities[a.Name] = func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
				return g.perform(ctx, w, a)
			}
		}
	}
	must(g.t, w.Register(m.Machine, m.source, h))
}

// replace has another engine in the place of a worker, which is stopped meanwhile.
func (g *grove) replace(i int, name string) {
	g.dying.Go(g.workers[i].stop)
	g.workers[i] = g.launch(name)
}

// bury replaces who has died.
func (g *grove) bury(name string) {
	for i, w := range g.workers {
		if w.store.died() {
			g.deaths++
			g.replace(i, fmt.Sprint(name, "-", i))
		}
	}
}
