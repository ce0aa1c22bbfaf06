package temporal_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/runtime/enginetest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/fsmc-dev/fsmc/temporal"
)

var count = flag.Int("machines", 100, "how many random machines are played")

var startOptions = client.StartWorkflowOptions{ID: enginetest.Run, TaskQueue: "fsmc"}

// took is how long an attempt lasted, by its worker's own clock, which is not virtual here.
var took = regexp.MustCompile(`"took":"[^"]*",?`)

// compiled is the one machine of a source; nil where there are several, or errors.
func compiled(source string) *machine.Machine {
	unit := lang.Load([]lang.Source{{Name: "machine.fsm", Src: []byte(source)}})
	if unit.Diags.HasErrors() || len(unit.Program.Machines) != 1 {
		return nil
	}
	m, err := machine.Compile(table.Compile(unit.Program.Machines[0]))
	if err != nil {
		return nil
	}
	return m
}

// together reports whether attempts of the machine may end at the same instant, in any order.
func together(d *machine.Definition) bool {
	states := map[int]bool{}
	for i := range d.Dos {
		if states[d.Dos[i].State] {
			return true
		}
		states[d.Dos[i].State] = true
	}
	return false
}

// playBoth compares what the engine in memory and Temporal make of a tape, and reports whether there was one.
func playBoth(t *testing.T, m *machine.Machine, seed uint64) bool {
	tape := enginetest.Random([]*machine.Machine{m}, seed)
	tape.Instant = true
	// A run that has failed is over for Temporal: nobody retries it there yet.
	tape.Acts = slices.DeleteFunc(tape.Acts, func(a enginetest.Act) bool { return a.Kind == machine.RetryInput })
	want := enginetest.OnStore(func(*testing.T) store.Store { return memstore.New() })(t, tape)
	if want == nil || t.Failed() {
		return false
	}
	got := play(t, tape)
	for _, trace := range []*enginetest.Trace{want, got} {
		for id, run := range trace.Runs {
			for i := range run.History {
				run.History[i] = strings.ReplaceAll(took.ReplaceAllString(run.History[i], ""), ",}", "}")
			}
			run.Row, run.View = "", "" // which the store and the engine add to
			trace.Runs[id] = run
		}
	}
	if len(got.Runs) > 0 { // an answer is empty where the workflow was over
		for i := range got.Answers {
			if got.Answers[i] == "" || i == 0 {
				want.Answers[i], got.Answers[i] = "", ""
			}
		}
	} else {
		want.Answers, got.Answers = want.Answers[:1], got.Answers[:1]
	}
	for _, difference := range enginetest.Differences(want, got) {
		t.Error(difference)
	}
	return true
}

func TestExamples(t *testing.T) {
	played := 0
	files, err := filepath.Glob(filepath.Join("..", "examples", "*", "*.fsm"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := compiled(string(source))
		if m == nil || temporal.Supported(m.Definition()) != nil || together(m.Definition()) {
			continue
		}
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(filepath.Base(file), seed), func(t *testing.T) {
				if playBoth(t, m, seed) {
					played++
				}
			})
		}
	}
	if played < 3 {
		t.Errorf("%d tapes were played: the test sees nothing", played)
	}
}

func TestRandomMachines(t *testing.T) {
	n := *count
	if testing.Short() {
		n = 20
	}
	for seed, played := uint64(1), 0; played < n; seed++ {
		source := oracletest.Generate(rand.New(rand.NewPCG(seed, 0)))
		m := compiled(source)
		if m == nil || temporal.Supported(m.Definition()) != nil || together(m.Definition()) {
			continue
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { playBoth(t, m, seed) }) {
			t.Logf("the machine of seed %d:\n%s", seed, source)
		}
		played++
	}
}
