package scenarios_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/scenarios"
	"github.com/fsmc-dev/fsmc/codegen/table"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// limit is of configurations: what has more is left out, as it takes long.
const limit = 20_000

// Why no scenario takes an arm that the explorer takes.
const (
	runID       = "a guard asks for the id of the run"
	noLabels    = "an activity runs twice in a state without labels"
	byArguments = "a host guard answers otherwise for other arguments in one step"
	jitter      = "a wait has to be another one than without jitter"
	halts       = "the run halts before: more than 1000 steps follow at once"
	idle        = "an idle timer fires first, where no checkpoint comes in between"
)

// unsaid are the arms of the machines of the repository that the explorer takes and no scenario does, each with
// the reason. Those that lie on the way to such an arm alone are lost with it.
var unsaid = map[string]string{
	"check/rule/ambiguous-label/testdata/bad.fsm: Sides: Twice on Found, failed(lost) else 1": noLabels,
	"check/rule/ambiguous-label/testdata/bad.fsm: Sides: Twice on Found, failed(lost)":        noLabels,
	"check/rule/ambiguous-label/testdata/bad.fsm: Sides: on failed(unknown) else 1":           noLabels,
	"check/rule/ambiguous-label/testdata/bad.fsm: Sides: on failed(unknown)":                  noLabels,
	"check/rule/dead-arm/testdata/bad.fsm: Own: Waiting on Go else 3":                         runID,
	"check/rule/dead-arm/testdata/bad.fsm: Own: Waiting on Go":                                runID,
	"check/rule/guard-gap/testdata/bad.fsm: Own: Waiting on Go":                               runID,
	"check/rule/long-retry/testdata/good.fsm: Patient: Fourth on failed else 1":               jitter,
	"check/rule/long-retry/testdata/good.fsm: Patient: after 720h":                            jitter,
	"check/rule/no-way-to-finish/testdata/bad_taken_here.fsm: M: Fetching on Fetched":         runID,
	"check/rule/no-way-to-finish/testdata/bad_taken_here.fsm: M: Fetching on failed else 1":   runID,
	"check/rule/overlapping-guards/testdata/bad.fsm: Overlaps: Guards on Go#2":                byArguments,
	"check/rule/read-before-set/testdata/bad_optional.fsm: Pages: Open on Both else 1":        byArguments,
	"check/rule/read-before-set/testdata/bad_whole.fsm: Shop: Open on Moved else 1":           byArguments,
	"check/rule/spinning-loop/testdata/bad_long.fsm: Counting: Next on done else 1":           halts,
	"check/rule/unbounded-loop/testdata/bad.fsm: Own: Waiting on Go":                          runID,
	"check/rule/unbounded-loop/testdata/bad_jitter.fsm: Around: Pause after 1s":               jitter,
	"check/rule/unbounded-loop/testdata/bad_jitter.fsm: Around: Work after 2s jitter 0.3":     jitter,
	"check/rule/unbounded-loop/testdata/bad_jitter.fsm: Outer: Work after 2s jitter 0.3":      jitter,
	"check/rule/unhandled-case/testdata/bad.fsm: Cases: Labelled on Found":                    noLabels,
	"check/rule/unhandled-case/testdata/bad.fsm: Cases: Paying on done":                       noLabels,
	"check/rule/unhandled-case/testdata/bad_timed.fsm: Strict: Round after 1s":                idle,
	"check/rule/unhandled-failure/testdata/good.fsm: Caught: Rest on failed":                  noLabels,
	"check/rule/unhandled-result/testdata/good.fsm: Handled: Labels on Found":                 noLabels,
	"codegen/golang/testdata/edges.fsm: Own: Resting on At else 3":                            runID,
	"codegen/golang/testdata/edges.fsm: Own: Resting on Is else 1":                            runID,
	"codegen/golang/testdata/edges.fsm: Own: Resting on Is":                                   runID,
	"lang/resolve/testdata/dump/optional.fsm: Pages: A on Page else 1":                        byArguments,
}

// TestMachines generates scenarios for the machines of the repository: they take every arm that the explorer can
// take, but for those of unsaid.
func TestMachines(t *testing.T) {
	sources := slices.DeleteFunc(langtest.Repository(t, "../.."), func(s lang.Source) bool { return !lang.InFolder(s.Name) })
	g := generator{t: t, among: lang.Among(sources), missed: map[string]string{}}
	for _, src := range sources {
		g.generates(src)
	}
	t.Logf("%d machines", g.machines)
	if g.machines < 350 {
		t.Errorf("there are only %d machines", g.machines)
	}
	for arm, why := range g.missed {
		if unsaid[arm] == "" {
			t.Errorf("the explorer takes %q, and no scenario does: %s", arm, why)
		}
	}
	for arm := range unsaid {
		if _, missed := g.missed[arm]; !missed {
			t.Errorf("%q is said to be missed, since %s; a scenario takes it", arm, unsaid[arm])
		}
	}
}

// TestRandom generates scenarios for random machines: they take every arm that brute force takes.
// FSMC_SCENARIO_MACHINES is how many machines of each kind.
func TestRandom(t *testing.T) {
	count := uint64(50)
	if text := os.Getenv("FSMC_SCENARIO_MACHINES"); text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	for name, generate := range map[string]func(*rand.Rand) string{
		"plain": oracletest.Generate, "flat": oracletest.GenerateFlat, "fans": oracletest.GenerateFans,
		"lists": oracletest.GenerateLists, "optional": oracletest.GenerateOptional, "calls": oracletest.GenerateTree,
	} {
		t.Run(name, func(t *testing.T) {
			g := generator{t: t, brute: true, missed: map[string]string{}}
			for seed := range count {
				g.generates(lang.Source{Name: "random.fsm", Src: []byte(generate(rand.New(rand.NewPCG(seed, 18))))})
			}
			if g.machines < int(count)/2 {
				t.Errorf("only %d of %d machines are sound", g.machines, count)
			}
		})
	}
}

// generator holds what is generated against what it promises.
type generator struct {
	t        *testing.T
	among    lang.Importer
	brute    bool              // whether brute force is asked which arms can be taken
	machines int               // how many it has seen
	missed   map[string]string // arms that the explorer takes and no scenario does, and why
}

// generates generates scenarios for the machines of a file.
func (g *generator) generates(src lang.Source) {
	t := g.t
	t.Helper()
	unit := lang.LoadFrom([]lang.Source{src}, g.among)
	if unit.Diags.HasErrors() {
		return
	}
	sound := g.brute && !check.Run(unit.Program, all.Rules).HasErrors()
	for _, m := range unit.Program.Machines {
		cover := check.Cover(m, limit)
		if cover == nil {
			continue
		}
		g.machines++
		made, err := scenarios.Generate(m, cover, "")
		if err != nil {
			if sound {
				t.Errorf("%s: %v", src.Name, err)
			}
			continue
		}
		text := string(src.Src) + "\n" + made.Text(m.Name)
		again, err := scenarios.Generate(m, cover, "")
		if err != nil || again.Text(m.Name) != made.Text(m.Name) {
			t.Errorf("%s: %s is generated otherwise the second time: %v", src.Name, m.Name, err)
		}
		taken := g.plays(src.Name, text)
		if needed := greedy(cover); len(made.Scenarios) > 2*needed {
			t.Errorf("%s: %d scenarios for %s, where %d are enough", src.Name, len(made.Scenarios), m.Name, needed)
		}
		explored := takenBy(cover)
		var can []bool
		if sound {
			if space := oracletest.Explore(m, 3000); space != nil && !space.Cut {
				can = space.Taken()
			}
		}
		for _, missed := range made.Missed {
			id := missed.Arm.ID
			if taken[id] {
				t.Errorf("%s: %s is said to be missed, and is taken", src.Name, missed.Name)
			}
			if explored[id] {
				g.missed[src.Name+": "+m.Name+": "+missed.Name] = missed.Why
			}
			said := !unsayable(missed, string(src.Src)) && !slices.ContainsFunc(made.Missed, beyondWords)
			if g.brute && explored[id] && said || can != nil && can[id] && !unsayable(missed, string(src.Src)) {
				t.Errorf("some run takes %q, and no scenario does (%s):\n%s", missed.Name, missed.Why, text)
			}
		}
	}
}

// beyondWords reports whether a scenario has no words for a run that the explorer has found. What lies
// on the way to such an arm alone is lost with it.
func beyondWords(m scenarios.Missed) bool {
	return slices.ContainsFunc([]string{
		"cannot tell apart the executions", "hangs on the id of the run", "yes and no at once",
	}, func(why string) bool { return strings.Contains(m.Why, why) })
}

// takenBy are the arms that the runs of a cover take.
func takenBy(cover *ir.Cover) map[int]bool {
	taken := map[int]bool{}
	for i := range cover.Runs {
		for _, s := range cover.Runs[i].Steps {
			if s.Arm != nil {
				taken[s.Arm.ID] = true
			}
		}
	}
	return taken
}

// unsayable reports whether a scenario has no words for a run to an arm: one that hangs on the
// run's id, or on a guard that says yes and no at once. What lies on the way to
// such an arm alone is lost with it.
func unsayable(m scenarios.Missed, src string) bool {
	return strings.Contains(src, "run.id") || strings.Contains(m.Why, "at once") ||
		strings.Contains(m.Why, "on the way") && strings.Contains(src, "host(1)")
}

// plays plays the scenarios of a text: each passes. It gives the arms that they take.
func (g *generator) plays(name, text string) map[int]bool {
	t := g.t
	t.Helper()
	unit := lang.LoadFrom([]lang.Source{{Name: name, Src: []byte(text)}}, g.among)
	if unit.Diags.HasErrors() {
		t.Errorf("%s: %v:\n%s", name, unit.Diags, text)
		return nil
	}
	list, err := table.Tests(unit.Program.Scenarios, func(*ir.Scenario) bool { return true }, func(at token.Span) string {
		line, _, _ := strings.Cut(text[at.Start.Offset:], "\n")
		return line
	})
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	taken := map[int]bool{}
	for _, test := range list {
		out := test.Play()
		if f := out.Failure; f != nil {
			t.Errorf("%s: %q fails at %s: %s\nexpected: %s\nis:       %s\n%s", name, test.Plan.Title, f.Place, f.Line, f.Expected, f.Is, text)
		}
		for _, r := range out.Records {
			taken[r.Arm] = true
		}
	}
	return taken
}

// greedy is how many runs of a cover a greedy choice needs.
func greedy(cover *ir.Cover) int {
	var sets []map[int]bool
	for i := range cover.Runs {
		set := map[int]bool{}
		for _, s := range cover.Runs[i].Steps {
			if s.Arm != nil {
				set[s.Arm.ID] = true
			}
		}
		sets = append(sets, set)
	}
	covered, n := map[int]bool{}, 0
	for {
		best, most := -1, 0
		for i, set := range sets {
			fresh := 0
			for arm := range set {
				if !covered[arm] {
					fresh++
				}
			}
			if fresh > most {
				best, most = i, fresh
			}
		}
		if best < 0 {
			return n
		}
		for arm := range sets[best] {
			covered[arm] = true
		}
		n++
	}
}
