package xstate

import (
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/foreigntest"
)

const published = "../nodetest/testdata/*.xstate*"

func TestGolden(t *testing.T) { foreigntest.Golden(t, Source, published) }

func TestErrorsSayWhere(t *testing.T) { foreigntest.Refused(t, Source, refused) }

func TestMeaning(t *testing.T) { foreigntest.Means(t, Source, meanings) }

func FuzzRead(f *testing.F) { foreigntest.Fuzz(f, Source, published, meanings) }

var refused = map[string]string{
	"":                                  "the text is empty",
	`{"initial": "a"}`:                  "an object with states",
	"{\"states\":{\n\"a\":1}}":          `line 2, column`,
	`{"states":{"a":{}},}`:              "this is not JSON",
	`{"initial":"b","states":{"a":{}}}`: `begins in "b", which is not there`,
}

var meanings = []foreigntest.Meaning{
	{Text: `{"id":"m","initial":"a","states":{"a":{"on":{"user.go":"b"}},"b":{"type":"final"}}}`,
		Want: []string{"machine M {", "// \"user.go\"", "event UserGo", "on UserGo -> B", "terminal B success"}, Grade: foreign.Whole},
	{Text: `{"initial":"a","states":{"a":{"invoke":{"src":"load","onDone":"b","onError":"c"},"after":{"SLOW":"c"}},"b":{"type":"final"},"c":{"type":"final"}}}`,
		Want: []string{"do load()", "on LoadDone -> B", "on failed -> C", "wait_slow duration = 1m", "after wait_slow -> C"}, Grade: foreign.Part},
	{Text: `{"initial":"p","states":{"p":{"type":"parallel","onDone":"z","states":{"x":{"initial":"1","states":{"1":{"on":{"E":"2"}},"2":{"type":"final"}}},"y":{"initial":"q","states":{"q":{"type":"final"}}}}},"z":{"type":"final"}}}`,
		Want: []string{"do machine XX() as x_1", "do machine XY() as y_2", "on x_1.N2 {}", "on done -> Z"}, Grade: foreign.Part},
	{Text: `{"initial":"a","states":{"a":{"initial":"h","states":{"h":{"type":"history"},"i":{"on":{"E":"#x.a.h"}}}}}}`,
		Want: []string{"Lost: the history of \"a\"", "on E -> A"}, Grade: foreign.Lost},
	{Text: `{"initial":"a","states":{"a":{"entry":["log",{"type":"xstate.assign"}],"on":{"*":"b","E":{"actions":"beep"}}},"b":{"on":{"E":["a"]}}}}`,
		Want: []string{"Lost: an action that stands in the program: xstate.assign", "entry { publish Log }", "on E { publish Beep }"}, Grade: foreign.Lost},
	{Text: `{"id":"m","initial":"a","states":{"a":{"on":{"*":"b"}},"b":{}}}`,
		Want: []string{`Lost: what "*" takes: no event that it means is named`}, Grade: foreign.Lost},
	{Text: `{"initial":"a","states":{"a":{"on":{"E":"b","mouse.*":"b","mouse.up":"a"}},"b":{}}}`,
		Want: []string{`Guessed: "mouse.*" takes the events that are named somewhere, and no others`}, Grade: foreign.Part},
	{Text: `{"initial":"a","states":{"a":{"after":{"1e99":"b"}},"b":{"after":{"-5":"a"}}}}`,
		Want: []string{"Guessed: a wait of more than a year: it is 8784h", "after 8784h -> B", "after 1ms -> A"}, Grade: foreign.Part},
	{Text: `{"initial":"a","states":{"a":{"on":{"E":{"target":"b","guard":{"type":"xstate.stateIn","params":{"stateValue":"c"}}}}},"b":{}}}`,
		Want: []string{"Lost: a condition that asks where another region is"}, Grade: foreign.Lost},
	{Text: `{"id":"printed","initial":{"target":["#printed.a"],"source":"#printed","actions":[],"eventType":null},"states":{"a":{"id":"printed.a","on":{"xstate.after.250.printed.a":[{"target":["#printed.b"],"source":"#printed.a","actions":[],"reenter":false,"eventType":"xstate.after.250.printed.a"}]}},"b":{"id":"printed.b","type":"final"}}}`,
		Want: []string{"initial A", "after 250ms -> B"}, Grade: foreign.Whole},
}
