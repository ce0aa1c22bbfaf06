package fsmc_test

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/langtest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestMachinesMeanWhatTheyMeant compares what every machine of the repository means
// with a golden file: its definition by hash, its figures, and how often which rule
// finds something. A change of the language must not change a line of a machine that
// it does not touch: runs are stored with the hash of their definition.
func TestMachinesMeanWhatTheyMeant(t *testing.T) {
	const golden = "testdata/machines.golden"
	sources := langtest.Repository(t, ".", ".txtar")
	if len(sources) < 200 {
		t.Fatalf("there are %d files with machines: the test sees nothing", len(sources))
	}
	var got strings.Builder
	among := lang.Among(sources)
	for _, src := range sources {
		got.WriteString(meaning(t, src, among))
	}
	if *update {
		must(t, os.WriteFile(golden, []byte(got.String()), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("machines mean something else than %s says (-want +got); where their text was changed, run go test . -run TestMachinesMean -update:\n%s", golden, diff)
	}
}

// TestOldMachinesHaveTheirHashes: machines from before there were lists, children and imports have the hashes that
// they had then, by which runs that began then are found. The file is not written again: a line counts as long
// as some file of the repository has the text that it is about.
func TestOldMachinesHaveTheirHashes(t *testing.T) {
	text, err := os.ReadFile("testdata/hashes.txt")
	must(t, err)
	had := map[string]string{} // by sha256 of the text, and name
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		had[f[0]+" "+f[1]] = f[2]
	}
	sources, held := langtest.Repository(t, ".", ".txtar"), 0
	among := lang.Among(sources)
	for _, src := range sources {
		sum := fmt.Sprintf("%x", sha256.Sum256(src.Src))
		for _, m := range lang.LoadFrom([]lang.Source{src}, among).Program.Machines {
			want, old := had[sum[:16]+" "+m.Name]
			if !old {
				continue
			}
			held++
			compiled, err := machine.Compile(table.Compile(m))
			must(t, err)
			if got := compiled.Hash()[:16]; got != want {
				t.Errorf("%s: %s has the hash %s, and had %s", src.Name, m.Name, got, want)
			}
		}
	}
	if held < 100 {
		t.Errorf("%d machines were held against their hashes", held)
	}
}

// machinesLimit is the most configurations that are told apart of a machine: the few that
// have more are compared by their upper bounds, so that the test is quick.
const machinesLimit = 20_000

// meaning is what src means: a line for each machine, and one for its findings.
func meaning(t *testing.T, src lang.Source, imports lang.Importer) string {
	t.Helper()
	unit := lang.LoadFrom([]lang.Source{src}, imports)
	list, worst := check.Analyze(unit.Program, all.Rules, machinesLimit, false)
	list = append(slices.Clone(unit.Diags), list...)
	var text strings.Builder
	for i, m := range unit.Program.Machines {
		fmt.Fprintf(&text, "%s %s", src.Name, m.Name)
		if !m.Broken && !m.Incomplete {
			compiled, err := machine.Compile(table.Compile(m))
			if err == nil {
				fmt.Fprintf(&text, " %.16s", compiled.Hash())
			}
		}
		if w := worst[i]; w != nil {
			for _, figure := range slices.Concat([]check.Figure{w.Steps, w.Time}, w.Costs, w.Activities) {
				fmt.Fprintf(&text, " %s=%s", figure.Name, amount(figure))
			}
		}
		text.WriteString("\n")
	}
	fmt.Fprintf(&text, "%s:%s\n", src.Name, counted(list))
	return text.String()
}

// amount is a figure in a word: "none" without a bound, and marked where a run reaches it.
func amount(f check.Figure) string {
	switch {
	case f.Amount == nil:
		return "none"
	case f.Exact:
		return decimal(f.Amount) + "!"
	}
	return decimal(f.Amount)
}

func decimal(r *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(6), "0"), ".")
}

// counted is how often each rule finds something: " dead-arm 2 unused 1".
func counted(list diag.List) string {
	count := map[string]int{}
	var rules []string
	for _, d := range list {
		if count[d.Rule]++; count[d.Rule] == 1 {
			rules = append(rules, d.Rule)
		}
	}
	slices.Sort(rules)
	text := ""
	for _, rule := range rules {
		text += fmt.Sprintf(" %s %d", rule, count[rule])
	}
	return text
}
