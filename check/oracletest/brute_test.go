package oracletest_test

import (
	"cmp"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

var (
	oracleSeed  = flag.Uint64("oracle-seed", firstSeed, "the first seed of the machines that are held against brute force")
	oracleCount = flag.Int("oracle-count", usualCount, "how many machines are held against brute force")
)

// bruteLimit is the most nodes that brute force walks for one machine.
const bruteLimit = 3000

// brute is the space of the machine in src; nil where it has errors in names
// and types, or is too large.
func brute(src string) (s *oracletest.Space, broken string) {
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	for _, d := range unit.Diags {
		if d.Severity == diag.Error {
			return nil, d.Rule + ": " + d.Message
		}
	}
	if len(unit.Program.Machines) == 0 {
		return nil, "no machine"
	}
	return bruteSpace(src, unit.Program.Machines[0]), ""
}

// machines are random machines that are held against brute force.
type machines struct {
	generate func(*rand.Rand) string
	count    int
	larger   int // how many more than a tenth may be too large
	part     int // at most one of so many may be left out; 10 where it is 0

	seen          map[string]int // verdicts of each kind
	broken, large int
}

// TestBruteForce holds the checker's verdicts and figures on random machines
// against those of brute force.
func TestBruteForce(t *testing.T) {
	t.Parallel()
	all := &machines{generate: oracletest.Generate, count: *oracleCount * 3 / 2}
	all.compare(t)
	kinds := []string{"time", "time without end", "worst-case", "worst-case without end", "attempts", "attempts without end", "cost", "cost without end"}
	for _, c := range comparisons {
		if c.rule != "unhandled-budget" { // see TestBruteForceEnforced
			kinds = append(kinds, c.rule, "no "+c.rule)
		}
		if open := all.seen["undecided "+c.rule]; open > all.count/40 {
			t.Errorf("%s is undecided for %d machines", c.rule, open)
		}
	}
	all.want(t, kinds...)
}

// TestBruteForceFlat is TestBruteForce for machines on which everything can be
// decided.
func TestBruteForceFlat(t *testing.T) {
	t.Parallel()
	flat := &machines{generate: oracletest.GenerateFlat, count: *oracleCount}
	flat.compare(t)
	flat.want(t, "no-way-to-finish", "no no-way-to-finish", "unbounded-loop", "bound-without-else", "unreachable-state")
}

// TestBruteForceEnforced is TestBruteForce for machines whose runs are held to the costs of
// a budget.
func TestBruteForceEnforced(t *testing.T) {
	t.Parallel()
	enforced := &machines{generate: oracletest.GenerateEnforced, count: *oracleCount / 4, larger: *oracleCount / 12}
	enforced.compare(t)
	enforced.want(t, "no-way-to-finish", "dead-arm", "unreachable-state", "assertion-violated", "cost held", "unhandled-budget", "no unhandled-budget")
}

// TestBruteForceTimed is TestBruteForce for machines whose runs are held to the time of a budget.
func TestBruteForceTimed(t *testing.T) {
	t.Parallel()
	timed := &machines{generate: oracletest.GenerateTimed, count: *oracleCount / 6, larger: *oracleCount / 12}
	timed.compare(t)
	timed.want(t, "no-way-to-finish", "dead-arm", "unreachable-state", "assertion-violated", "time", "unhandled-budget", "no unhandled-budget")
}

// TestBruteForceEnforcedFans is TestBruteForceEnforced for activities that run for the
// elements of lists.
func TestBruteForceEnforcedFans(t *testing.T) {
	t.Parallel()
	enforced := &machines{generate: oracletest.GenerateEnforcedFans, count: *oracleCount / 6, part: 4}
	enforced.compare(t)
	enforced.want(t, "no-way-to-finish", "dead-arm", "unreachable-state", "cost held", "unhandled-budget", "no unhandled-budget")
}

// TestBruteForceEnforcedTrees is TestBruteForceEnforced for machines that call another one.
func TestBruteForceEnforcedTrees(t *testing.T) {
	t.Parallel()
	enforced := &machines{generate: oracletest.GenerateEnforcedTree, count: *oracleCount / 5, part: 3}
	enforced.compare(t)
	enforced.want(t, "no-way-to-finish", "dead-arm", "unreachable-state", "cost held", "unhandled-budget", "no unhandled-budget", "tree")
}

// TestBruteForceLists is TestBruteForce for machines whose paths depend on the lengths of
// lists.
func TestBruteForceLists(t *testing.T) {
	t.Parallel()
	lists := &machines{generate: oracletest.GenerateLists, count: *oracleCount / 2}
	lists.compare(t)
	lists.decides(t)
	lists.want(t, "out-of-range", "no out-of-range", "no-way-to-finish", "unbounded-loop", "no unbounded-loop", "require-violated", "dead-arm")
}

// TestBruteForceOptional is TestBruteForce for machines in which much may be absent.
func TestBruteForceOptional(t *testing.T) {
	t.Parallel()
	optional := &machines{generate: oracletest.GenerateOptional, count: *oracleCount / 2}
	optional.compare(t)
	optional.decides(t)
	optional.want(t,
		"read-before-set", "no read-before-set", "out-of-range", "no-way-to-finish", "unbounded-loop", "dead-arm", "no dead-arm",
		"guard-gap", "unreachable-state",
	)
}

// TestBruteForceOptionalPlaces is TestBruteForce for machines in which places in records may be
// absent.
func TestBruteForceOptionalPlaces(t *testing.T) {
	t.Parallel()
	places := &machines{generate: oracletest.GenerateOptionalPlaces, count: *oracleCount / 4}
	places.compare(t)
	places.decides(t)
	places.want(t, "read-before-set", "no read-before-set", "out-of-range", "no-way-to-finish", "dead-arm")
}

// TestBruteForceOptionalRecords is TestBruteForce for machines in which whole records may be absent.
func TestBruteForceOptionalRecords(t *testing.T) {
	t.Parallel()
	records := &machines{generate: oracletest.GenerateOptionalRecords, count: *oracleCount / 6}
	records.compare(t)
	records.decides(t)
	records.want(t, "read-before-set", "no read-before-set", "no-way-to-finish", "dead-arm", "no dead-arm")
}

// TestBruteForceFans is TestBruteForce for machines whose activities run for the elements
// of lists.
func TestBruteForceFans(t *testing.T) {
	t.Parallel()
	fans := &machines{generate: oracletest.GenerateFans, count: *oracleCount / 4, part: 4}
	fans.compare(t)
	fans.want(t,
		"no-way-to-finish", "unbounded-loop", "bound-without-else", "unreachable-state", "unhandled-done", "spinning-loop", "dead-arm",
		"worst-case", "attempts", "cost", "time",
	)
}

// TestBruteForceTrees is TestBruteForce for machines that call another one.
func TestBruteForceTrees(t *testing.T) {
	t.Parallel()
	trees := &machines{generate: oracletest.GenerateTree, count: *oracleCount / 5, part: 3}
	trees.compare(t)
	trees.want(t,
		"no-way-to-finish", "unbounded-loop", "bound-without-else", "unreachable-state", "unhandled-result", "unhandled-failure", "dead-arm",
		"worst-case", "attempts", "cost", "tree", "tree at most", "tree without end",
	)
}

// firstSeed is that of the machines which everybody has, usualCount of each kind or a part of it: they have all
// kinds of verdicts.
const (
	firstSeed  = 1
	usualCount = 200
)

// want reports each kind of verdict that no machine had. Machines of other seeds need not.
func (g *machines) want(t *testing.T, kinds ...string) {
	t.Helper()
	if *oracleSeed != firstSeed {
		return
	}
	for _, kind := range kinds {
		if g.seen[kind] == 0 {
			t.Errorf("no machine has the verdict %q", kind)
		}
	}
}

// decides reports each question that the checker leaves open for many machines.
func (g *machines) decides(t *testing.T) {
	t.Helper()
	for _, c := range comparisons {
		if open := g.seen["undecided "+c.rule]; open > g.count/40 {
			t.Errorf("%s is undecided for %d machines", c.rule, open)
		}
	}
}

func (g *machines) compare(t *testing.T) {
	if g.count == 0 {
		t.Fatal("no machine is compared: give a larger -oracle-count")
	}
	g.seen = map[string]int{}
	told := map[string]bool{}
	for i := range g.count {
		seed := *oracleSeed + uint64(i)
		src := g.generate(rand.New(rand.NewPCG(seed, 0)))
		s, why := brute(src)
		switch {
		case why != "":
			g.broken++
			if testing.Verbose() {
				t.Logf("seed %d is broken: %s", seed, why)
			}
			continue
		case s == nil:
			g.large++
			continue
		}
		for _, d := range differences(s, g.seen) {
			question, _, _ := strings.Cut(d.question, " of ")
			if told[question] {
				continue
			}
			told[question] = true
			small := oracletest.Shrink(src, func(src string) bool { return disagrees(src, question) })
			t.Errorf("seed %d: %s\n%s", seed, again(small, question), small)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(g.seen)) {
		t.Logf("%6d %s", g.seen[kind], kind)
	}
	t.Logf("%d machines from seed %d: %d broken, %d too large", g.count, *oracleSeed, g.broken, g.large)
	if most := g.count / cmp.Or(g.part, 10); g.broken > most || g.large > most+g.larger {
		t.Errorf("%d machines are broken and %d too large; more than %d are left out", g.broken, g.large, most)
	}
}

// differences are those of compare, if shorter ticks do not answer as the checker does.
func differences(s *oracletest.Space, seen map[string]int) []disagreement {
	list := compare(s, seen)
	if len(list) > 0 && s.Timed() {
		if finer := oracletest.ExploreBy(s.Machine, 4*bruteLimit, oracletest.Tick/4); finer != nil {
			return compare(finer, map[string]int{})
		}
	}
	return list
}

// disagrees reports whether checker and brute force answer question in two ways.
func disagrees(src, question string) bool { return again(src, question) != "" }

func again(src, question string) string {
	s, _ := brute(src)
	if s == nil {
		return ""
	}
	for _, d := range differences(s, map[string]int{}) {
		if strings.HasPrefix(d.question, question) {
			return d.String()
		}
	}
	return ""
}

// TestOracleFile compares one machine, named by the environment, for whoever
// looks into a disagreement.
func TestOracleFile(t *testing.T) {
	name := os.Getenv("ORACLE_FILE")
	if name == "" {
		t.Skip("ORACLE_FILE names no machine")
	}
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s, why := brute(string(src))
	if s == nil {
		t.Fatalf("not explored: %s", why)
	}
	for _, d := range differences(s, map[string]int{}) {
		t.Error(d)
	}
	t.Logf("%d nodes", len(s.Nodes))
}
