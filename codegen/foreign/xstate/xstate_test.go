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
	"import { setup } from 'xstate';\n": "JSON.stringify(machine.config)",
	`{"initial": "a"}`:                  "an object with states",
	"{\"states\":{\n\"a\":1}}":          `line 2, column`,
	`{"states":{"a":{}},}`:              "this is not JSON",
	`{"initial":"b","states":{"a":{}}}`: `begins in "b", which is not there`,
	"{\"initial\":\"a\",\"states\":{\"a\":{\"on\":[\"E\"]}}}": `state "a" has an on that is not an object: XState 5 has the event as a key`,
	// Forms of version 4, and what is no form.
	`{"initial":"a","states":{"a":{"on":{"":"a"}}}}`:                                    "XState 5 calls that always",
	`{"initial":"a","states":{"a":{"after":[{"delay":100,"target":"a"}]}}}`:             "an after that is not an object",
	`{"initial":"a","states":{"a":{"type":"bogus"}}}`:                                   `of type "bogus"`,
	"{\"initial\":\"a\",\"states\":{\"a\":{\"initial\":\"x\",\"states\":{\n\"x\":3}}}}": `state "x" is not an object`,
}

var meanings = []foreigntest.Meaning{
	// What is not read is told: a condition of version 4, and what stands on the way to where a state begins.
	{Text: `{"initial":"a","states":{"a":{"frob":1,"meta":{},"tags":["x"],"on":{"E":{"target":"b","in":"#b"}}},"b":{"type":"final"}}}`,
		Want: []string{`Lost: "frob", which is not read`, `Lost: "in", which is not read`}, Grade: foreign.Lost},
	{Text: `{"initial":{"target":"a","actions":["x"]},"states":{"a":{}}}`,
		Want: []string{"Lost: what it does on the way to where it begins"}, Grade: foreign.Lost},
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
	// Where no guard of an event's own holds, the state looks at wildcards: longer ones first.
	{Text: `{"initial":"a","states":{"a":{"on":{"*":"b","x.*":{"target":"c","guard":"p"},"x":{"target":"b","guard":"q"}}},"b":{"type":"final"},"c":{"type":"final"}}}`,
		Want: []string{"on X when q() -> B else when p() -> C else -> B"}, Grade: foreign.Part},
	{Text: `{"initial":"a","states":{"a":{"after":{"1e99":"b"}},"b":{"after":{"-5":"a"}}}}`,
		Want: []string{"Guessed: a wait of more than a year: it is 8784h", "after 8784h -> B", "after 1ms -> A"}, Grade: foreign.Part},
	{Text: `{"initial":"a","states":{"a":{"on":{"E":{"target":"b","guard":{"type":"xstate.stateIn","params":{"stateValue":"c"}}}}},"b":{}}}`,
		Want: []string{"Lost: a condition that asks where another region is"}, Grade: foreign.Lost},
	// By their names: an end of what was cancelled, and one of what failed.
	{Text: `{"initial":"a","states":{"a":{"on":{"C":"cancelled","E":"expired"}},"cancelled":{"type":"final"},"expired":{"type":"final"}}}`,
		Want: []string{"terminal Cancelled cancelled", "terminal Expired failure"}, Grade: foreign.Part},
	// A history state beside the states of the machine is no state here.
	{Text: `{"initial":"a","states":{"a":{"on":{"E":"b"}},"h":{"type":"history"},"b":{"type":"final"}}}`,
		Want: []string{"on E -> B\n    }\n\n    terminal B success"}, Grade: foreign.Whole},
	// Each of two actors has its own results and failures.
	{Text: `{"initial":"a","states":{"a":{"invoke":[{"src":"f","onDone":"b"},{"src":"g","onDone":"c","onError":"b"}]},"b":{"type":"final"},"c":{"type":"final"}}}`,
		Want: []string{"on failed -> Failed", "do f() as f_1", "on f_1.FDone -> B", "do g() as g_2", "on g_2.GDone -> C", "on g_2.failed -> B"}, Grade: foreign.Whole},
	{Text: `{"initial":"a","states":{"a":{"invoke":[{"src":"f","onDone":"b"},{"src":"f","onDone":"c"}]},"b":{"type":"final"},"c":{"type":"final"}}}`,
		Want: []string{"on f_1.FDone -> B", "on f_2.FDone -> C"}, Grade: foreign.Whole},
	// A step to itself leaves a state only with reenter; and with it also on the way to what is inside.
	{Text: `{"initial":"a","states":{"a":{"entry":"n","on":{"E":"a","F":{"target":"a","reenter":true}},"initial":"x","states":{"x":{},"y":{}}}}}`,
		Want: []string{"on E -> A.X", "on F -> A\n"}, Grade: foreign.Whole},
	{Text: `{"initial":"a","states":{"a":{"entry":"n","on":{"G":{"target":".y","reenter":true}},"initial":"x","states":{"x":{},"y":{}}}}}`,
		Want: []string{`// Lost: that "a" is left and entered again on the way to "y"`, "on G -> A.Y"}, Grade: foreign.Lost},
	// What the machine does when it stops, it does where a run ends.
	{Text: `{"initial":"a","exit":"bye","states":{"a":{"on":{"E":"b"}},"b":{"type":"final","entry":"hi","exit":"so"}}}`,
		Want: []string{"    initial A\n\n", "terminal B success { publish Hi, publish So, publish Bye }"}, Grade: foreign.Whole},
	{Text: `{"initial":"p","states":{"p":{"type":"parallel","states":{"x":{"exit":"bye","initial":"1","states":{"1":{}}},"y":{"initial":"q","states":{"q":{}}}}}}}`,
		Want: []string{"// Lost: what it does when it is left"}, Grade: foreign.Lost},
	// What is of version 4 is said, or means what it meant.
	{Text: `{"initial":"a","states":{"a":{"entry":"hi","on":{"E":{"target":"a","cond":"p"},"F":{"target":"a","internal":false},"G":{"target":"a","internal":true}}}}}`,
		Want: []string{`// Lost: what XState 4 does otherwise, of which "cond" is: there, a step of a state to itself leaves it`, "on E when p() {}", "on F -> A", "on G {}"}, Grade: foreign.Part},
	// A step from further out leaves what is between, too.
	{Text: `{"initial":"a","on":{"G":".a.y"},"states":{"a":{"entry":"n","initial":"x","states":{"x":{},"y":{}}}}}`,
		Want: []string{`// Lost: that "a" is left and entered again on the way to "y"`, "on G -> A.Y"}, Grade: foreign.Lost},
	{Text: `{"initial":"a","on":{"G":".a.y"},"states":{"a":{"initial":"x","states":{"x":{},"y":{}}}}}`,
		Want: []string{"on G -> A.Y"}, Grade: foreign.Whole},
	// So does one of the machine itself with reenter, and one to it from inside; one of it to itself does not.
	{Text: `{"id":"m","initial":"a","entry":"n","on":{"E":{"target":".b","reenter":true},"F":".b"},"states":{"a":{},"b":{}}}`,
		Want: []string{`// Lost: that "m" is left and entered again on the way to "b"`, "on E -> B", "on F -> B"}, Grade: foreign.Lost},
	{Text: `{"id":"m","initial":"a","entry":"n","states":{"a":{},"b":{"on":{"E":"#m"}}}}`,
		Want: []string{`// Lost: that "m" is left and entered again on the way to "a"`, "on E -> A"}, Grade: foreign.Lost},
	{Text: `{"id":"m","initial":"a","entry":"n","on":{"E":"#m"},"states":{"a":{},"b":{}}}`,
		Want: []string{"on E -> A"}, Grade: foreign.Whole},
	{Text: `{"id":"m","initial":"a","on":{"E":{"target":".a","reenter":true}},"states":{"a":{},"b":{"on":{"E":{"target":"#m","reenter":true}}}}}`,
		Want: []string{"on E -> A"}, Grade: foreign.Whole},
	// A guard is what its keys say, and others are told, also inside.
	{Text: `{"initial":"a","states":{"a":{"on":{"E":{"target":"b","guard":{"type":"p","parms":{"n":1}}},"F":{"target":"b","guard":{"type":"xstate.not","guards":[{"type":"q","odd":1}]}}}},"b":{}}}`,
		Want: []string{`// Lost: "parms", which is not read`, `// Lost: "odd", which is not read`}, Grade: foreign.Part},
	{Text: `{"initial":"a","states":{"a":{"states":{"x":{},"y":{}}}}}`,
		Want: []string{"// Lost: where it begins: the original does not say, and its first state is a guess"}, Grade: foreign.Lost},
	{Text: `{"initial":"a","states":{"a":{"invoke":{"src":"f","input":{"n":1},"onDone":"b","onSnapshot":"b"}},"b":{"type":"final","output":{"x":1}}}}`,
		Want: []string{"// Lost: what f is given", "// Lost: what happens on each snapshot of f", "// Lost: its output"}, Grade: foreign.Lost},
	{Text: `{"id":"注文","initial":"a","states":{"a":{"after":{"short":"b","待時間":"b","長時間":"c"}},"b":{"type":"final"},"c":{"type":"final"}}}`,
		Want: []string{"// \"注文\"\nmachine Unnamed {", "wait_short duration", "after wait -> B", "after wait_2 -> C", "how long 長時間 is"}, Grade: foreign.Part},
	{Text: `{"initial":"a","states":{"a":{"on":{"E":{"target":"b","guard":["p","q"]},"F":{"guard":true,"target":"b"},"G":{"guard":null,"target":"b"}}},"b":{}}}`,
		Want: []string{"on E when guard_p_q() -> B", "on F when guard_true() -> B", "on G -> B"}, Grade: foreign.Part},
	// No comment has what a text here may not have.
	{Text: "{\"initial\":\"a\u202eb\",\"states\":{\"a\u202eb\":{\"description\":\"x\u2066y\\rz\\u0000\",\"on\":{\"E\u202e\":{\"target\":\"a\u202eb\",\"guard\":\"g\u2067\"}}}}}",
		Want: []string{"    // \"a\\u202eb\"\n    // x y z\n    state AB"}, Grade: foreign.Part},
	{Text: `{"initial":"開","states":{"開":{"on":{"イベント":"終","событие":"終"}},"終":{"type":"final"}}}`,
		Want: []string{"// \"イベント\"", "event Unnamed", "event Unnamed_2", "on Unnamed -> Unnamed_2", "on Unnamed_2 -> Unnamed_2"}, Grade: foreign.Whole},
	{Text: `{"id":"printed","initial":{"target":["#printed.a"],"source":"#printed","actions":[],"eventType":null},"states":{"a":{"id":"printed.a","on":{"xstate.after.250.printed.a":[{"target":["#printed.b"],"source":"#printed.a","actions":[],"reenter":false,"eventType":"xstate.after.250.printed.a"}]}},"b":{"id":"printed.b","type":"final"}}}`,
		Want: []string{"initial A", "after 250ms -> B"}, Grade: foreign.Whole},
	{Text: `{"id":"m","initial":{"target":["#m.a"],"source":"#m","actions":[],"eventType":null},"states":{"a":{"id":"m.a","key":"a","type":"atomic","initial":{"target":[],"source":"#m.a","actions":[],"eventType":null},"history":false,"states":{},"on":{"E":[{"target":["#m.a"],"actions":[{"type":"act","params":{"k":1}}],"source":"#m.a","reenter":false,"eventType":"E"}]},"transitions":[],"entry":[],"exit":[],"order":1,"invoke":[{"src":"x","id":"i","type":"xstate.invoke","timeout":5}],"tags":[]}}}`,
		Want: []string{`// Lost: "params", which is not read`, `// Lost: "timeout", which is not read`, "on E { publish Act }"}, Grade: foreign.Lost},
}
