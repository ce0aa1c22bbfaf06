package temporal_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/runtime/enginetest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/fsmc-dev/fsmc/temporal"
)

var (
	count = flag.Int("machines", 100, "how many random machines are played")
	first = flag.Uint64("seed", 1, "the first seed")
)

var startOptions = client.StartWorkflowOptions{ID: enginetest.Run, TaskQueue: "fsmc"}

// took is how long an attempt lasted, by its worker's own clock, which is not virtual here.
var took = regexp.MustCompile(`"took":"[^"]*",?`)

func untimed(text string) string {
	return strings.ReplaceAll(took.ReplaceAllString(text, ""), ",}", "}")
}

// compiled is the one machine of a source; nil where there are several, or errors.
func compiled(source string) *machine.Machine {
	if machines, _ := tabletest.Compile(source); len(machines) == 1 {
		return machines[0]
	}
	return nil
}

// continuations counts those of all tapes, and renewed the tapes that had one.
var continuations, renewed int

// retries counts those of runs that had ended, in all tapes.
var retries int

// children counts those of all tapes, skipped the tapes that were left out, and again those that were played again.
var children, skipped, again int

// few fails where more than one tape of twenty was played again: the clock on the wall does not change that many.
func few(t *testing.T, tapes int) {
	t.Logf("%d of %d tapes were played again", again, tapes)
	if again > 1+tapes/20 {
		t.Errorf("%d of %d tapes were played again: a difference that shows only sometimes is one", again, tapes)
	}
}

// playBoth compares what the engine in memory and Temporal make of a tape, and gives how many records and
// attempts there were.
func playBoth(t *testing.T, seed uint64, machines ...*machine.Machine) (records, attempts int) {
	tape := enginetest.Random(machines, seed)
	tape.Instant = true
	if len(machines) > 1 {
		// While a child starts, the environment goes by the clock on the wall: it needs a moment on a busy host.
		for i := range tape.Acts {
			tape.Acts[i].At += time.Duration(1+i) * 2 * time.Second
		}
		tape.Lasts += time.Duration(len(tape.Acts)) * 2 * time.Second
	}
	want := enginetest.OnStore(func(*testing.T) store.Store { return memstore.New() })(t, tape)
	if want == nil || t.Failed() || besides(want, machines) {
		skipped++
		return 0, 0
	}
	got, renewals := play(t, tape, seed%2 == 0)
	differences := compare(want, got)
	// While an activity is under way, too. What the clock on the wall has changed is another thing each time.
	if len(differences) > 0 {
		again++
	}
	for more := 0; more < 4 && len(differences) > 0; more++ {
		t.Logf("played again, since %s", differences[0])
		got, renewals = play(t, tape, seed%2 == 0)
		differences = compare(want, got)
	}
	if continuations += renewals; renewals > 0 {
		renewed++
	}
	children += len(want.Runs) - 1
	for _, difference := range differences {
		t.Error(difference)
	}
	return len(got.Runs[enginetest.Run].History), len(got.Attempts)
}

// compare gives the differences of two traces, but for what this environment does not have.
func compare(want, got *enginetest.Trace) []string {
	here := *want
	here.Runs, here.Answers, want = maps.Clone(want.Runs), slices.Clone(want.Answers), &here
	for _, trace := range []*enginetest.Trace{want, got} {
		for id, run := range trace.Runs {
			for i := range run.History {
				run.History[i] = untimed(run.History[i])
			}
			run.Snapshot = untimed(run.Snapshot) // of a run that is halted by an attempt
			run.Row, run.View = "", ""           // which the store and the engine add to
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
	// An attempt that is cancelled in the instant in which it starts is called or not, since its activity
	// begins beside the workflow. Of one that was to be called and was not the history says it: it has no
	// result. So what is compared is that none is called twice.
	want.Attempts, got.Attempts = inBoth(want.Attempts, got.Attempts), inBoth(got.Attempts, want.Attempts)
	return enginetest.Differences(want, got)
}

// elements finds a do for the elements of a list: those that end at one instant would do so in any order.
var elements = regexp.MustCompile(`( for (?:\w+, )?\w+ in \w+)( limit \d+)?`)

// activities finds those of a machine.
var activities = regexp.MustCompile(`(?m)^(    activity .*)$`)

// generate makes up the source of a machine.
func generate(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 0))
	switch seed % 6 {
	case 1:
		return oracletest.GenerateEnforced(r)
	case 2:
		return elements.ReplaceAllString(oracletest.GenerateEnforcedFans(r), "$1 limit 1")
	case 3: // beside another run, as it were: no attempt begins within seventeen seconds of the one before it
		return activities.ReplaceAllString(oracletest.Generate(r), "$1 limit 1 per 17370ms limit 1 at once")
	case 4:
		return elements.ReplaceAllString(oracletest.GenerateFans(r), "$1 limit 1")
	}
	return oracletest.Generate(r)
}

// inBoth are the attempts of a that are among b, too, and those that were called again.
func inBoth(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(call string) bool {
		return strings.Contains(call, " call 0 ") && !slices.Contains(b, call)
	})
}

// besides finds in records of a tape that a run was in a state with several attempts, which end at the same instant here.
func besides(trace *enginetest.Trace, machines []*machine.Machine) bool {
	for _, m := range machines {
		d := m.Definition()
		for i := range d.Dos {
			if !slices.ContainsFunc(d.Dos[:i], func(other machine.Do) bool { return other.State == d.Dos[i].State }) {
				continue
			}
			in := regexp.MustCompile(`"to":"` + regexp.QuoteMeta(d.States[d.Dos[i].State].Path) + `["\.]`)
			for _, run := range trace.Runs {
				if slices.ContainsFunc(run.History, in.MatchString) {
					return true
				}
			}
		}
	}
	return false
}

// TestExamples plays all examples, but for tapes in which two attempts of a state end at the same instant.
func TestExamples(t *testing.T) {
	const enough = 200 // records of each
	files, err := filepath.Glob(filepath.Join("..", "examples", "*", "*.fsm"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.fsm") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// What is due within milliseconds the clock on the wall outruns: see playBoth.
		source = bytes.ReplaceAll(source, []byte("backoff 50ms..1s"), []byte("backoff 10s..1m"))
		machines := tabletest.Machines(t, oneByOne.ReplaceAllString(elements.ReplaceAllString(string(source), "$1 limit 1"), "$1 limit 1"))
		played := 0 // records
		for seed := uint64(0); seed < 1000 && played < enough; seed++ {
			t.Run(fmt.Sprint(filepath.Base(file), seed), func(t *testing.T) {
				records, _ := playBoth(t, seed, machines...)
				played += records
			})
		}
		if played < enough {
			t.Errorf("%d records of %s were compared: the test sees little", played, file)
		}
	}
}

func TestRandomMachines(t *testing.T) {
	n := *count
	if testing.Short() {
		n = 20
	}
	records, attempts := 0, 0
	continuations, renewed, retries, skipped, again = 0, 0, 0, 0, 0
	for seed, played := *first, 0; played < n+skipped; seed++ {
		source := generate(seed)
		m := compiled(source)
		if m == nil {
			continue
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r, a := playBoth(t, seed, m)
			records, attempts = records+r, attempts+a
		}) {
			t.Logf("the machine of seed %d:\n%s", seed, source)
		}
		played++
	}
	if records < 3*n || attempts == 0 {
		t.Errorf("%d records and %d attempts were compared: the test sees little", records, attempts)
	}
	if renewed < n/4 { // every second one goes on in a new execution where it can
		t.Errorf("%d of %d runs went on in a new execution, %d times: the test sees little", renewed, n, continuations)
	}
	few(t, n)
	if retries == 0 {
		t.Error("no run that had ended was retried: the test sees little")
	}
	t.Logf("%d tapes left out, %d records, %d attempts, %d retries of runs that had ended; %d of %d runs went on in a new execution, %d times",
		skipped, records, attempts, retries, renewed, n, continuations)
}

// TestRefused: what is not there is refused, by the worker and by the workflow.
func TestRefused(t *testing.T) {
	for want, generate := range map[string]func(*rand.Rand) string{
		"it calls the machine":              oracletest.GenerateTree,
		"and no function for it is brought": func(*rand.Rand) string { return plain },
	} {
		if !slices.ContainsFunc(refusals(t, generate), func(text string) bool { return strings.Contains(text, want) }) {
			t.Errorf("nothing is refused because %s", want)
		}
	}
	d := &machine.Definition{Format: machine.Format, Name: "M", Activities: []machine.Activity{{Name: "N", Callee: "hash"}}}
	env := quiet()
	env.ExecuteWorkflow(temporal.RunWorkflow, temporal.Input{Definition: d.Encode()})
	if err := env.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), `it calls the machine "N"`) {
		t.Errorf("the workflow ends with %v", err)
	}
}

const plain = `machine M {
	event Worked { n int }
	activity work() -> Worked
	initial Working
	on failed -> Failed
	state Working {
		do work()
		on Worked -> Done
	}
	terminal Done success
	terminal Failed failure
}
`

// refusals are the errors of registering thirty machines that a generator makes up, without functions.
func refusals(t *testing.T, generate func(*rand.Rand) string) (texts []string) {
	for seed := range uint64(30) {
		unit := lang.Load([]lang.Source{{Name: "machine.fsm", Src: []byte(generate(rand.New(rand.NewPCG(seed, 0))))}})
		for _, of := range unit.Program.Machines {
			m, err := machine.Compile(table.Compile(of))
			if err != nil {
				continue
			}
			if err := temporal.Register(quiet(), temporal.Worker{Machine: m}); err != nil {
				texts = append(texts, err.Error())
			}
		}
	}
	return texts
}
