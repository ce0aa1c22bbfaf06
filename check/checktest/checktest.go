// Package checktest runs the examples of rules: the machines in the testdata of
// each, and the two of its page.
//
// In testdata, bad*.fsm say where the rule is expected to report, good*.fsm have
// no finding of it, and silent*.fsm have findings of other rules that silence it. An
// expectation is a comment on the line of the finding:
//
//	state Stuck {} // want dead-end "nothing leads out of state \"Stuck\""
//
// with the rule and a regular expression for the message, several behind one
// another where a line has several findings. All rules run, so that a rule is tested
// beside those that it silences or that silence it, but a folder is asked about the
// findings of its own rule alone: a new rule turns no other one's examples red.
// Together is the one test that lists what all rules say of all examples.
package checktest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Run tests rule, whose folder lies in the working directory: its page has the usual
// parts, and its examples give what they should.
func Run(t *testing.T, rule *check.Rule) {
	t.Run("page", func(t *testing.T) { runPage(t, rule) })
	kinds := map[string]int{}
	for _, file := range machines(t, rule.Name) {
		name := filepath.Base(file)
		kind, _, _ := strings.Cut(strings.TrimSuffix(name, ".fsm"), "_")
		kinds[kind]++
		t.Run(name, func(t *testing.T) { runFile(t, rule, file, kind) })
	}
	if kinds["bad"] == 0 || kinds["good"] == 0 {
		t.Errorf("testdata has %d bad and %d good machines, want one of each at least", kinds["bad"], kinds["good"])
	}
}

// machines are the files in the testdata of the rules that pattern fits.
func machines(t *testing.T, pattern string) []string {
	files, err := filepath.Glob(filepath.Join(pattern, "testdata", "*.fsm"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no machines: %v", pattern, err)
	}
	return files
}

// known has what findingsIn found, by file: two tests ask for it.
var known sync.Map

// findingsIn are what the front end and all rules say about a file.
func findingsIn(t *testing.T, file string) diag.List {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := known.LoadOrStore(file, sync.OnceValue(func() diag.List { return Findings(file, src) }))
	return list.(func() diag.List)()
}

// Findings are what the front end and all rules say about src.
func Findings(name string, src []byte) diag.List {
	unit := lang.Load([]lang.Source{{Name: name, Src: src}})
	list := append(diag.List(nil), unit.Diags...)
	list = append(list, check.Run(unit.Program, all.Rules)...)
	list.Sort()
	return list
}

// runFile compares the findings of rule in one file of its folder, which is of the
// kind given, with the expectations.
func runFile(t *testing.T, rule *check.Rule, file, kind string) {
	wants := wantsIn(t, file)
	own := slices.DeleteFunc(slices.Clone(wants), func(w *want) bool { return w.rule != rule.Name })
	switch kind {
	case "good":
		if len(wants) > 0 {
			t.Error("a good machine expects findings")
		}
	case "bad":
		if len(own) == 0 {
			t.Errorf("a bad machine expects no finding of %s", rule.Name)
		}
	case "silent":
		if len(own) > 0 || len(wants) == 0 {
			t.Errorf("a silent machine expects findings of other rules than %s alone", rule.Name)
		}
	default:
		t.Errorf("%s is called neither bad*.fsm, good*.fsm nor silent*.fsm", file)
	}
	for _, d := range findingsIn(t, file) {
		if d.Rule == rule.Name && !claim(own, d) {
			t.Errorf("%s: unexpected %s: %s", d.Span, d.Rule, d.Message)
		}
		checkForm(t, d)
	}
	unmet(t, file, own)
}

// Together runs all rules over all machines in the working directory, where every
// expectation is met, and gives their findings, a line each.
func Together(t *testing.T) string {
	var lines strings.Builder
	for _, file := range machines(t, "*") {
		wants := wantsIn(t, file)
		for _, d := range findingsIn(t, file) {
			claim(wants, d)
			checkForm(t, d)
			fmt.Fprintf(&lines, "%s %s %s\n", filepath.ToSlash(strings.Replace(d.Span.String(), "testdata/", "", 1)), d.Severity, d.Rule)
		}
		unmet(t, file, wants)
	}
	return lines.String()
}

// outside are the rules that speak of what stands outside machines, too.
var outside = []string{"syntax", "duplicate-name", "unknown-name", "bad-literal", "unused", "bad-suppression"}

// checkForm holds a finding to the form of all messages.
func checkForm(t *testing.T, d diag.Diagnostic) {
	t.Helper()
	if d.Message == "" || strings.HasSuffix(d.Message, ".") {
		t.Errorf("%s: message %q is empty or ends in a full stop", d.Span, d.Message)
	}
	if d.Help != "" && !strings.HasSuffix(d.Help, ".") && !strings.HasSuffix(d.Help, "?") {
		t.Errorf("%s: help %q is no whole sentence", d.Span, d.Help)
	}
	if d.Machine == "" && !slices.Contains(outside, d.Rule) {
		t.Errorf("%s: %s names no machine", d.Span, d.Rule)
	}
	if d.Witness == nil {
		return
	}
	for i, row := range d.Witness.Path {
		if last := i == len(d.Witness.Path)-1; (row.Input == "") != last {
			t.Errorf("%s: row %d of %d of the witness has the input %q", d.Span, i, len(d.Witness.Path), row.Input)
		}
	}
}
