package check_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/checktest"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

var update = flag.Bool("update", false, "write docs/mutations.md again")

const mutationPage = "../docs/mutations.md"

// TestFaultsAreFound puts a fault into an example machine and asks what the
// checker says. What it must find it finds; where it says nothing the machine
// is still sound, and the table says why. docs/mutations.md is the outcome.
func TestFaultsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("checks large machines a few dozen times")
	}
	outcomes := make([]diag.List, len(mutations))
	t.Run("each", func(t *testing.T) {
		for i, m := range mutations {
			t.Run(m.machine+"/"+m.kind, func(t *testing.T) {
				t.Parallel()
				outcomes[i] = loud(checktest.Findings(m.machine+".fsm", []byte(m.apply(t))))
				m.judge(t, outcomes[i])
			})
		}
	})
	page := mutationTable(outcomes)
	if *update {
		if err := os.WriteFile(mutationPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	there, err := os.ReadFile(mutationPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(there), page); diff != "" {
		t.Errorf("docs/mutations.md is stale; go test ./check -run TestFaultsAreFound -update\n%s", diff)
	}
}

// apply is the machine with its fault.
func (m mutation) apply(t *testing.T) string {
	t.Helper()
	read, err := os.ReadFile("../examples/" + m.machine + "/" + m.machine + ".fsm")
	if m.machine == "archive" {
		read, err = os.ReadFile("testdata/archive.fsm")
	}
	if err != nil {
		t.Fatal(err)
	}
	src := string(read)
	if m.old != "" {
		src = edit(t, src, m.old, m.new)
	}
	end := strings.Index(src, "\n}\n") + 1 // of the first machine
	switch m.kind {
	case "an island":
		src = src[:end] + m.new + src[end:]
	case "a livelock":
		src = src[:end] + livelocked + src[end:]
	}
	return src
}

// judge holds what is found against what must be.
func (m mutation) judge(t *testing.T, found diag.List) {
	t.Helper()
	answers := 0
	for _, answer := range []string{m.must, m.sound, m.missed} {
		if answer != "" {
			answers++
		}
	}
	if answers != 1 {
		t.Fatal("a mutation is found by a rule, or is sound, or is missed")
	}
	if m.must == "" && len(found) > 0 {
		t.Errorf("%s: said to be found by nothing, but\n%s", m.what, lines(found))
	}
	if m.must != "" && m.finder(found) == "" {
		t.Errorf("%s: no %s, but\n%s", m.what, m.must, lines(found))
	}
}

// finder is the first rule of must that is in found.
func (m mutation) finder(found diag.List) string {
	names := rulesOf(found)
	for _, name := range strings.Fields(m.must) {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// loud are the findings that fail `fsmc check --strict`.
func loud(list diag.List) diag.List {
	var out diag.List
	for _, d := range list {
		if d.Severity != diag.Hint {
			out = append(out, d)
		}
	}
	return out
}

// rulesOf are the names of the rules in list, each once.
func rulesOf(list diag.List) []string {
	var names []string
	for _, d := range list {
		if !slices.Contains(names, d.Rule) {
			names = append(names, d.Rule)
		}
	}
	return names
}

// mutationTable is the page: one table for each machine.
func mutationTable(outcomes []diag.List) string {
	var b strings.Builder
	found, missed := 0, 0
	for i, list := range outcomes {
		if len(list) > 0 {
			found++
		} else if mutations[i].missed != "" {
			missed++
		}
	}
	fmt.Fprintf(&b, `# What the checker finds

Each row has one fault in one of the [examples](../examples), or in
[archive](../check/testdata/archive.fsm), which has children, elements of lists, budgets and records that may be absent, and what
`+"`fsmc check --strict`"+` reports then. The machines themselves have no findings. Of %d faults,
%d are found, %d leave the machine sound, and %d are not found. A test writes this page,
and fails if a fault is no longer found.
`, len(mutations), found, len(mutations)-found-missed, missed)
	for i, m := range mutations {
		if i == 0 || mutations[i-1].machine != m.machine {
			fmt.Fprintf(&b, "\n## %s\n\n| mutation | the fault | what is found |\n| --- | --- | --- |\n", m.machine)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", m.kind, m.what, m.verdict(outcomes[i]))
	}
	return b.String()
}

// verdict is the last cell of a row: the rule that must find it and what it
// says, then the other rules.
func (m mutation) verdict(list diag.List) string {
	switch {
	case len(list) == 0 && m.missed != "":
		return "**nothing**: " + m.missed
	case len(list) == 0:
		return "nothing: the machine is still sound; " + m.sound
	}
	first := m.finder(list)
	at := max(0, slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Rule == first }))
	cell := ruleLink(list[at].Rule) + ": " + strings.ReplaceAll(list[at].Message, "|", `\|`)
	for _, name := range rulesOf(list) {
		if name != list[at].Rule {
			cell += "; " + ruleLink(name)
		}
	}
	return cell
}

func ruleLink(name string) string { return "[" + name + "](../check/rule/" + name + "/page.md)" }
