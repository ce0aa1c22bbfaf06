package enginetest_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// kinds are the generators of the repository, each with its share of twenty. Not among them is that of
// trees which are held to a budget: an attempt of a child may begin before its parent, that is told of
// the one before it at the same instant, leaves it.
var kinds = []struct {
	generate func(*rand.Rand) string
	share    int
}{
	{oracletest.Generate, 8}, {oracletest.GenerateOptional, 2}, {oracletest.GenerateFans, 3}, {oracletest.GenerateTree, 4},
	{oracletest.GenerateEnforced, 2}, {oracletest.GenerateEnforcedFans, 1},
}

// oneByOne finds where a machine runs for the elements of a list: children that end at once would
// be told in any order.
var oneByOne = regexp.MustCompile(`(do machine .* for \w+ in \w+)( limit \d+)?`)

// generate makes up the source of machines that compile.
func generate(seed uint64) (string, []*machine.Machine) {
	for r := rand.New(rand.NewPCG(seed, 0)); ; {
		n := r.IntN(20)
		for i := range kinds {
			if n -= kinds[i].share; n >= 0 {
				continue
			}
			source := oneByOne.ReplaceAllString(kinds[i].generate(r), "$1 limit 1")
			if machines, _ := tabletest.Compile(source); machines != nil && !slices.ContainsFunc(machines, callsAtOnce) {
				return source, machines
			}
			break
		}
	}
}

// callsAtOnce reports whether a child of a run may begin or end at the instant at which something
// else in its state does.
func callsAtOnce(m *machine.Machine) bool {
	d := m.Definition()
	return slices.ContainsFunc(d.Dos, func(do machine.Do) bool {
		return d.Calls(&do) && slices.ContainsFunc(d.Dos, func(other machine.Do) bool { return other.State == do.State && other.Name != do.Name })
	})
}

// examples are the machines of the five examples.
func examples(t *testing.T) map[string][]*machine.Machine {
	t.Helper()
	all := map[string][]*machine.Machine{}
	for _, name := range []string{"codereview", "documentagent", "orderfulfillment", "researchpipeline", "tasklifecycle"} {
		source, err := os.ReadFile(filepath.Join("..", "..", "examples", name, name+".fsm"))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = tabletest.Machines(t, string(source))
	}
	return all
}
