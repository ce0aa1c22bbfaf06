package xstate

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
	paths, _ := filepath.Glob("../nodetest/testdata/*.xstate*")
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
	"":                                  "the text is empty",
	`{"initial": "a"}`:                  "an object with states",
	"{\"states\":{\n\"a\":1}}":          `line 2, column`,
	`{"states":{"a":{}},}`:              "this is not JSON",
	`{"initial":"b","states":{"a":{}}}`: `begins in "b", which is not there`,
}

type meaning struct {
	text  string
	want  []string
	grade foreign.Grade
}

var meanings = []meaning{
	{`{"id":"m","initial":"a","states":{"a":{"on":{"user.go":"b"}},"b":{"type":"final"}}}`,
		[]string{"machine M {", "// \"user.go\"", "event UserGo", "on UserGo -> B", "terminal B success"}, foreign.Whole},
	{`{"initial":"a","states":{"a":{"invoke":{"src":"load","onDone":"b","onError":"c"},"after":{"SLOW":"c"}},"b":{"type":"final"},"c":{"type":"final"}}}`,
		[]string{"do load()", "on LoadDone -> B", "on failed -> C", "wait_slow duration = 1m", "after wait_slow -> C"}, foreign.Part},
	{`{"initial":"p","states":{"p":{"type":"parallel","onDone":"z","states":{"x":{"initial":"1","states":{"1":{"on":{"E":"2"}},"2":{"type":"final"}}},"y":{"initial":"q","states":{"q":{"type":"final"}}}}},"z":{"type":"final"}}}`,
		[]string{"do machine XX() as x_1", "do machine XY() as y_2", "on x_1.N2 {}", "on done -> Z"}, foreign.Part},
	{`{"initial":"a","states":{"a":{"initial":"h","states":{"h":{"type":"history"},"i":{"on":{"E":"#x.a.h"}}}}}}`,
		[]string{"Lost: the history of \"a\"", "on E -> A"}, foreign.Lost},
	{`{"initial":"a","states":{"a":{"entry":["log",{"type":"xstate.assign"}],"on":{"*":"b","E":{"actions":"beep"}}},"b":{"on":{"E":["a"]}}}}`,
		[]string{"Lost: an action that stands in the program: xstate.assign", "entry { publish Log }", "on E { publish Beep }"}, foreign.Lost},
	{`{"id":"m","initial":"a","states":{"a":{"on":{"*":"b"}},"b":{}}}`,
		[]string{`Lost: what "*" takes: no event that it means is named`}, foreign.Lost},
	{`{"initial":"a","states":{"a":{"on":{"E":"b","mouse.*":"b","mouse.up":"a"}},"b":{}}}`,
		[]string{`Guessed: "mouse.*" takes the events that are named somewhere, and no others`}, foreign.Part},
	{`{"initial":"a","states":{"a":{"after":{"1e99":"b"}},"b":{"after":{"-5":"a"}}}}`,
		[]string{"Guessed: a wait of more than a year: it is 8784h", "after 8784h -> B", "after 1ms -> A"}, foreign.Part},
	{`{"initial":"a","states":{"a":{"on":{"E":{"target":"b","guard":{"type":"xstate.stateIn","params":{"stateValue":"c"}}}}},"b":{}}}`,
		[]string{"Lost: a condition that asks where another region is"}, foreign.Lost},
	{`{"id":"printed","initial":{"target":["#printed.a"],"source":"#printed","actions":[],"eventType":null},"states":{"a":{"id":"printed.a","on":{"xstate.after.250.printed.a":[{"target":["#printed.b"],"source":"#printed.a","actions":[],"reenter":false,"eventType":"xstate.after.250.printed.a"}]}},"b":{"id":"printed.b","type":"final"}}}`,
		[]string{"initial A", "after 250ms -> B"}, foreign.Whole},
}
