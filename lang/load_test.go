package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir/irtest"
)

func source(name, text string) lang.Source { return lang.Source{Name: name, Src: []byte(text)} }

// findings are what is said about sources: place, machine and rule.
func findings(unit *lang.Unit) []string {
	var out []string
	for _, d := range unit.Diags {
		out = append(out, fmt.Sprintf("%s %s %s", d.Span, d.Machine, d.Rule))
	}
	return out
}

// TestLoadUnit holds that files form one unit, in which machine names are
// unique, and that findings of both stages come sorted.
func TestLoadUnit(t *testing.T) {
	unit := lang.Load([]lang.Source{
		source("b.fsm", "machine M { initial A terminal A }\nmachine N { initial A terminal A on Gone -> A }\n"),
		source("a.fsm", "machine M { initial B terminal B }\nmachine O { context { } initial }\n"),
		source("empty.fsm", ""),
	})
	want := []string{
		"a.fsm:1:9 M duplicate-name",
		"a.fsm:2:33 O syntax",
		"b.fsm:2:37 N unknown-name",
	}
	if diff := cmp.Diff(want, findings(unit)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	var names []string
	for _, m := range unit.Program.Machines {
		names = append(names, fmt.Sprintf("%s %v %v", m.Name, m.Incomplete, m.Broken))
	}
	if diff := cmp.Diff([]string{"M false false", "N false true", "O true false"}, names); diff != "" {
		t.Errorf("machines, incomplete, broken (-want +got):\n%s", diff)
	}
	if f := unit.File("a.fsm"); f == nil || f.Name != "a.fsm" || unit.File("c.fsm") != nil || len(unit.Files) != 3 {
		t.Errorf("files %v", unit.Sources)
	}
}

// TestManySyntaxErrors holds that of many syntax errors of a file only the first are listed, and that
// one is enough for a file that is plainly of another format.
func TestManySyntaxErrors(t *testing.T) {
	const machine = "machine M { initial A terminal A }\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"a picture", "<svg width=\"10\"/>\n<text>'a/b'</text>", []string{"a.fsm:1:1  syntax"}},
		{"JSON", "\ufeff {\"a\": [1, 2]}", []string{"a.fsm:1:1  syntax"}},
		{"a merge conflict", machine + "<<<<<<< HEAD\n" + machine + "=======\n" + machine + ">>>>>>> theirs\n", []string{"a.fsm:2:1  syntax"}},
		{"one more than are listed", strings.Repeat("§\n", 21), lines(1, 21)},
		{"two more than are listed", strings.Repeat("§\n", 22), lines(1, 21)},
		{"other errors behind them", strings.Repeat("§\n", 30) + machine + machine, append(lines(1, 21), "a.fsm:32:9 M duplicate-name")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, findings(lang.Load([]lang.Source{source("a.fsm", test.text)}))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
	unit := lang.Load([]lang.Source{source("a.fsm", strings.Repeat("§\n", 30)), source("b.fsm", strings.Repeat("§\n", 2))})
	if got, want := unit.Diags[20].Message, "10 more syntax errors from here to the end of the file are left out"; got != want {
		t.Errorf("the last of a file says %q, want %q", got, want)
	}
	if got := len(unit.Diags); got != 23 {
		t.Errorf("%d findings of two files, want 23", got)
	}
}

// lines are syntax errors at the first place of lines.
func lines(from, to int) (list []string) {
	for i := from; i <= to; i++ {
		list = append(list, fmt.Sprintf("a.fsm:%d:1  syntax", i))
	}
	return list
}

// TestLoadManyFiles holds that the outcome does not depend on which file is
// parsed first.
func TestLoadManyFiles(t *testing.T) {
	var sources []lang.Source
	for i := range 64 {
		sources = append(sources, source(fmt.Sprintf("%02d.fsm", i), fmt.Sprintf("machine M%d { event E initial A state A { on E -> B%d } terminal T }", i, i)))
	}
	first := lang.Load(sources)
	if len(first.Diags) != len(sources) {
		t.Fatalf("%d findings", len(first.Diags))
	}
	for range 5 {
		again := lang.Load(sources)
		if diff := cmp.Diff(findings(first), findings(again)); diff != "" {
			t.Errorf("findings differ:\n%s", diff)
		}
		if irtest.Dump(first.Program) != irtest.Dump(again.Program) {
			t.Error("programs differ")
		}
	}
}

// TestOneFaultOneFinding holds that what the parser could not read is not
// reported again as missing.
func TestOneFaultOneFinding(t *testing.T) {
	for name, text := range map[string]string{
		"a declaration":        "machine M {\n event { int }\n initial A state A { on Lost -> T } terminal T }",
		"a state":              "machine M {\n event E\n initial A state A { on E -> Cellar } state Cellar on { } terminal T }",
		"a field":              "machine M {\n event E context { count 3 }\n initial A state A { on E -> T { count = 3 } } terminal T }",
		"a guard":              "machine M {\n event E\n initial A state A { on E when && -> T else reject } terminal T }",
		"a second initial":     "machine M {\n event E\n initial A initial A state A { on E -> T } terminal T }",
		"what a child returns": "machine M {\n context { got int = 0 } initial A state A { do machine N() as n\n on n.Done -> T { got = event.found }\n on n.failed -> T } terminal T returns got }\nmachine N {\n event E context { found int? }\n initial A state A { on E -> Done } terminal Done returns found }",
		"what is expected":     "machine M { context { n int = 0 } initial A terminal A }\nscenario \"s\" of M { expect n = 1 }",
		"a misspelt target":    "machine M {\n event E\n initial A state A { on E -> Tt } terminal T }",
	} {
		unit := lang.Load([]lang.Source{source("m.fsm", text)})
		if len(unit.Diags) != 1 {
			t.Errorf("%s: %d findings", name, len(unit.Diags))
			for _, d := range unit.Diags {
				t.Logf("  %s %s: %s", d.Span, d.Rule, d.Message)
			}
		}
	}
}
