package check_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

var (
	oracleSeed  = flag.Uint64("oracle-seed", 1, "the first seed of the machines that are held against brute force")
	oracleCount = flag.Int("oracle-count", 600, "how many machines are held against brute force")
)

// bruteLimit is the most nodes that brute force walks for one machine.
const bruteLimit = 1500

// brute is the space of the machine in src; nil where it has errors in names
// and types, or is too large.
func brute(src string) (s *oracletest.Space, broken string) {
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	for _, d := range unit.Diags {
		if d.Severity == diag.Error {
			return nil, d.Rule + ": " + d.Message
		}
	}
	if len(unit.Program.Machines) != 1 {
		return nil, "no machine"
	}
	return oracletest.Explore(unit.Program.Machines[0], bruteLimit), ""
}

// TestBruteForce holds the checker's verdicts and figures on random machines
// against those of brute force.
func TestBruteForce(t *testing.T) {
	seen := map[string]int{}
	told := map[string]bool{}
	broken, large, clean := 0, 0, 0
	for i := range *oracleCount {
		seed := *oracleSeed + uint64(i)
		src := oracletest.Generate(rand.New(rand.NewPCG(seed, 0)))
		s, why := brute(src)
		switch {
		case why != "":
			broken++
			if testing.Verbose() {
				t.Logf("seed %d is broken: %s", seed, why)
			}
			continue
		case s == nil:
			large++
			continue
		}
		if !findings(s).HasErrors() {
			clean++
		}
		for _, d := range compare(s, seen) {
			question, _, _ := strings.Cut(d.question, " of ")
			if told[question] {
				continue
			}
			told[question] = true
			small := oracletest.Shrink(src, func(src string) bool { return disagrees(src, question) })
			t.Errorf("seed %d: %s\n%s", seed, again(small, question), small)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d %s", seen[kind], kind)
	}
	t.Logf("%d machines from seed %d: %d broken, %d too large, %d without an error", *oracleCount, *oracleSeed, broken, large, clean)
	kinds := []string{"time", "time without end", "worst-case", "worst-case without end", "attempts", "attempts without end", "cost", "cost without end"}
	for _, c := range comparisons {
		kinds = append(kinds, c.rule, "no "+c.rule)
		if open := seen["undecided "+c.rule]; open > *oracleCount/40 {
			t.Errorf("%s is undecided for %d machines", c.rule, open)
		}
	}
	for _, kind := range kinds {
		if seen[kind] == 0 {
			t.Errorf("no machine has the verdict %q", kind)
		}
	}
	if most := *oracleCount / 10; broken > most || large > most {
		t.Errorf("%d machines are broken and %d too large; more than a tenth is left out", broken, large)
	}
}

// disagrees reports whether checker and brute force answer question in two ways.
func disagrees(src, question string) bool { return again(src, question) != "" }

func again(src, question string) string {
	s, _ := brute(src)
	if s == nil {
		return ""
	}
	for _, d := range compare(s, map[string]int{}) {
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
	for _, d := range compare(s, map[string]int{}) {
		t.Error(d)
	}
	t.Logf("%d nodes", len(s.Nodes))
}
