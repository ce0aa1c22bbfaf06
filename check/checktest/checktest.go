// Package checktest runs the examples of a rule: the machines in its testdata,
// and the two of its page.
//
// In testdata, bad*.fsm say where which findings are expected, good*.fsm have
// none, and silent*.fsm have findings of other rules that silence this one. An
// expectation is a comment on the line of the finding:
//
//	state Stuck {} // want dead-end "nothing leads out of state \"Stuck\""
//
// with the rule and a regular expression for the message, several behind one
// another where a line has several findings. Every finding of every rule needs
// its expectation, and every expectation its finding, so that a rule is tested
// together with those that it silences or that silence it. The front end's
// findings count too.
package checktest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Run tests rule: its record is listed, its page has the usual parts, its
// examples give what they should.
func Run(t *testing.T, rule *check.Rule) {
	t.Helper()
	listed := false
	for _, r := range all.Rules {
		listed = listed || r == rule
	}
	if !listed {
		t.Fatalf("%s is not listed: run go generate ./check/all", rule.Name)
	}
	t.Run("page", func(t *testing.T) { runPage(t, rule) })
	files, err := filepath.Glob(filepath.Join("testdata", "*.fsm"))
	if err != nil {
		t.Fatal(err)
	}
	bad, good := 0, 0
	for _, f := range files {
		name := filepath.Base(f)
		t.Run(name, func(t *testing.T) { runFile(t, rule, f) })
		switch {
		case strings.HasPrefix(name, "bad"):
			bad++
		case strings.HasPrefix(name, "good"):
			good++
		case strings.HasPrefix(name, "silent"):
		default:
			t.Errorf("%s is called neither bad*.fsm, good*.fsm nor silent*.fsm", name)
		}
	}
	t.Run("others", func(t *testing.T) { runOthers(t, rule) })
	if bad == 0 || good == 0 {
		t.Errorf("testdata has %d bad and %d good machines, want one of each at least", bad, good)
	}
}

// runOthers lets rule look at the machines of all rules, in which it meets whatever
// the language has. What it says there is for their tests to judge.
func runOthers(t *testing.T, rule *check.Rule) {
	files, err := filepath.Glob(filepath.Join("..", "*", "testdata", "*.fsm"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no machines of other rules: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		unit := lang.Load([]lang.Source{{Name: file, Src: src}})
		for _, d := range check.Run(unit.Program, []*check.Rule{rule}) {
			checkForm(t, d)
		}
	}
}

// Findings are what the front end and all rules say about src.
func Findings(name string, src []byte) diag.List {
	unit := lang.Load([]lang.Source{{Name: name, Src: src}})
	list := append(diag.List(nil), unit.Diags...)
	list = append(list, check.Run(unit.Program, all.Rules)...)
	list.Sort()
	return list
}

// runFile compares the findings in one file with its expectations.
func runFile(t *testing.T, rule *check.Rule, file string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wants, err := expectations(string(src))
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for _, w := range wants {
		if w.rule == rule.Name {
			own++
		}
	}
	name := filepath.Base(file)
	switch {
	case strings.HasPrefix(name, "good") && len(wants) > 0:
		t.Error("a good machine expects findings")
	case strings.HasPrefix(name, "bad") && own == 0:
		t.Errorf("a bad machine expects no finding of %s", rule.Name)
	case strings.HasPrefix(name, "silent") && (own > 0 || len(wants) == 0):
		t.Errorf("a silent machine expects findings of other rules than %s alone", rule.Name)
	}
	for _, d := range Findings(file, src) {
		if !claim(wants, d) {
			t.Errorf("%s: unexpected %s: %s", d.Span, d.Rule, d.Message)
		}
		checkForm(t, d)
	}
	for _, w := range wants {
		if !w.met {
			t.Errorf("%s:%d: no %s that matches %q", file, w.line, w.rule, w.message)
		}
	}
}

// checkForm holds a finding to the form of all messages.
func checkForm(t *testing.T, d diag.Diagnostic) {
	t.Helper()
	if d.Message == "" || strings.HasSuffix(d.Message, ".") {
		t.Errorf("%s: message %q is empty or ends in a full stop", d.Span, d.Message)
	}
	if d.Help != "" && !strings.HasSuffix(d.Help, ".") && !strings.HasSuffix(d.Help, "?") {
		t.Errorf("%s: help %q is no whole sentence", d.Span, d.Help)
	}
	if d.Machine == "" && d.Rule != "syntax" && d.Rule != "duplicate-name" {
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
