package scenarios_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/scenarios"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// limit is of configurations: what has more is left out, as it takes long.
const limit = 20_000

// TestMachines generates scenarios for the machines of the repository but those that show what is wrong:
// they take every arm that the explorer can take and a scenario can say.
func TestMachines(t *testing.T) {
	root := filepath.Join("..", "..")
	machines := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".fsm") || strings.HasPrefix(d.Name(), "bad") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		machines += generates(t, filepath.ToSlash(path), src, nil)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d machines", machines)
	if machines < 150 {
		t.Errorf("only %d machines are sound", machines)
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
			machines := 0
			for seed := range count {
				src := []byte(generate(rand.New(rand.NewPCG(seed, 18))))
				machines += generates(t, "random.fsm", src, func(m *ir.Machine) []bool {
					space := oracletest.Explore(m, 3000)
					if space == nil || space.Cut {
						return nil
					}
					return space.Taken()
				})
			}
			if machines < int(count)/2 {
				t.Errorf("only %d of %d machines are sound", machines, count)
			}
		})
	}
}

// generates holds what is generated for the machines of src against what it promises, and gives
// how many machines that were. brute says which arms can be taken; nil where it does not know.
func generates(t *testing.T, name string, src []byte, brute func(*ir.Machine) []bool) (machines int) {
	t.Helper()
	unit := lang.Load([]lang.Source{{Name: name, Src: src}})
	if unit.Diags.HasErrors() {
		return 0
	}
	sound := brute != nil && !check.Run(unit.Program, all.Rules).HasErrors()
	for _, m := range unit.Program.Machines {
		cover := check.Cover(m, limit)
		if cover == nil {
			continue
		}
		machines++
		g, err := scenarios.Generate(m, cover, "")
		if err != nil {
			if sound {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		text := string(src) + "\n" + g.Text(m.Name)
		again, err := scenarios.Generate(m, cover, "")
		if err != nil || again.Text(m.Name) != g.Text(m.Name) {
			t.Errorf("%s: %s is generated otherwise the second time: %v", name, m.Name, err)
		}
		taken := plays(t, name, text)
		if needed := greedy(cover); len(g.Scenarios) > 2*needed {
			t.Errorf("%s: %d scenarios for %s, where %d are enough", name, len(g.Scenarios), m.Name, needed)
		}
		explored := takenBy(cover)
		for _, missed := range g.Missed {
			if taken[missed.Arm.ID] {
				t.Errorf("%s: %s is said to be missed, and is taken", name, missed.Name)
			}
			if explored[missed.Arm.ID] && !unsayable(missed, string(src)) && !slices.ContainsFunc(g.Missed, beyondWords) {
				t.Errorf("%s: the explorer takes %q of %s, and no scenario does: %s", name, missed.Name, m.Name, missed.Why)
			}
		}
		if !sound {
			continue
		}
		if can := brute(m); can != nil {
			for _, missed := range g.Missed {
				if can[missed.Arm.ID] && !unsayable(missed, string(src)) {
					t.Errorf("some run takes %q, and no scenario does (%s):\n%s", missed.Name, missed.Why, text)
				}
			}
		}
	}
	return machines
}

// beyondWords reports whether a scenario has no words for a run that the explorer has found. What lies
// on the way to such an arm alone is lost with it.
func beyondWords(m scenarios.Missed) bool {
	return slices.ContainsFunc([]string{
		"the run halts there", "cannot tell apart the executions", "hangs on the id of the run", "yes and no at once",
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
func plays(t *testing.T, name, text string) map[int]bool {
	t.Helper()
	unit := lang.Load([]lang.Source{{Name: name, Src: []byte(text)}})
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
