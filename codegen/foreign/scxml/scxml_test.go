package scxml

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/lang"
)

func resolves(t *testing.T, text []byte) {
	t.Helper()
	for _, d := range lang.Load([]lang.Source{{Name: "x.fsm", Src: text}}).Diags {
		t.Errorf("%s\n%s", d.Message, text)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for text, want := range refused {
		_, err := Source.Read("x", []byte(text))
		if _, ok := err.(*foreign.Error); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// TestMeaning imports a text and looks for lines of the machine and of the report.
func TestMeaning(t *testing.T) {
	for _, tt := range meanings {
		result, err := Source.Read("x", []byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		resolves(t, result.Text)
		for _, line := range tt.want {
			if !strings.Contains(string(result.Text), line) {
				t.Errorf("%s: the machine does not have %q\n%s", tt.text, line, result.Text)
			}
		}
		if got := result.Report.Grade(); got != tt.grade {
			t.Errorf("%s: it came over %s, want %s", tt.text, got, tt.grade)
		}
	}
}

// FuzzRead checks that every text is refused with an *foreign.Error, or gives a machine
// with no errors of names and types.
func FuzzRead(f *testing.F) {
	paths, _ := filepath.Glob("../nodetest/testdata/*.scxml*")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, tt := range meanings {
		f.Add([]byte(tt.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		result, err := Source.Read("fuzz", text)
		if err == nil {
			resolves(t, result.Text)
		} else if _, ok := err.(*foreign.Error); !ok {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

var refused = map[string]string{
	"":                             "there is no element in it",
	"<scxml>":                      "line 1",
	"<scxml>\n<state></scxml>":     "line 2",
	"<html/>":                      "the root element is html",
	"<scxml/><scxml/>":             "two root elements",
	strings.Repeat("<state>", 200): "more than 100 levels",
}

type meaning struct {
	text  string
	want  []string
	grade foreign.Grade
}

var meanings = []meaning{
	{`<scxml initial="a"><state id="a"><onentry><send event="late" delay="1.5s"/></onentry><transition event="late" target="b"/></state><final id="b"/></scxml>`,
		[]string{"after 1.5s -> B", "terminal B success"}, foreign.Whole},
	{`<scxml><datamodel><data id="n" expr="3"/></datamodel><state id="a"><transition event="e.f" cond="n &lt; 5" target="a"><assign location="n" expr="n + 1"/></transition></state></scxml>`,
		[]string{"n int = 3", "event EF", "on EF when n < 5 -> A { n = n + 1 }"}, foreign.Whole},
	{`<scxml><state id="a"><transition event="e" cond="f(1) > 2"/></state></scxml>`,
		[]string{"guard f_1_2()", "on E when f_1_2() {}"}, foreign.Part},
	{`<scxml><state id="a"><onentry><raise event="x"/><script>y()</script></onentry></state></scxml>`,
		[]string{"Lost: the event x, which it raises", "Lost: a script of the program"}, foreign.Lost},
	{`<scxml><state id="a"><transition event="*" target="b"/></state><state id="b"/></scxml>`,
		[]string{`Lost: what "*" takes: no event that it means is named`}, foreign.Lost},
	{`<scxml><state id="a"><transition event="e" cond="In('c')" target="b"/></state><state id="b"/></scxml>`,
		[]string{"Lost: a condition that asks where another region is"}, foreign.Lost},
	{`<scxml><datamodel><data id="n" expr="1"/></datamodel><parallel id="p"><state id="q"><invoke src="work"/></state><state id="r"><transition event="e" cond="n == 1"><assign location="n" expr="n + 1"/></transition></state></parallel></scxml>`,
		[]string{"state Only {", "do invoke_work()", "Lost: the condition n == 1: it reads data of the machine around", "Lost: n = n + 1: the data are those of the machine around"}, foreign.Lost},
	{`<scxml><parallel id="p"><state id="q"/><state id="r"><transition event="e" target="out"/></state></parallel><final id="out"/></scxml>`,
		[]string{"do machine XQ() as q_1", "Lost: a step out of its region"}, foreign.Lost},
}
