package asl

import (
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/foreigntest"
)

// around is a definition that begins in A and may go on to B.
func around(state string) string {
	return `{"StartAt":"A","States":{"A":` + state + `,"B":{"Type":"Succeed"}}}`
}

// TestOddIsRefused: what is no definition is said, and not guessed.
func TestOddIsRefused(t *testing.T) {
	foreigntest.Refused(t, Source, map[string]string{
		`{"StartAt":"A","States":{"A":{"Type":"Pass","End":true},"A":{"Type":"Fail"}}}`: `state "A" is there twice`,
		around(`{"Type":"Pass"}`):                                                                              `state "A" has neither Next nor End`,
		around(`{"Type":"Pass","End":false}`):                                                                  `state "A" has neither Next nor End`,
		around(`{"Type":"Pass","End":true,"Next":"B"}`):                                                        `state "A" has both Next and End`,
		`{"StartAt":"A","QueryLanguage":"Perl","States":{"A":{"Type":"Succeed"}}}`:                             "QueryLanguage is JSONPath or JSONata",
		around(`{"Type":"Pass","QueryLanguage":"jsonata","Next":"B"}`):                                         "QueryLanguage is JSONPath or JSONata",
		`{"StartAt":"A","States":{"QueryLanguage":"JSONata","A":{"Type":"Succeed"}}}`:                          "QueryLanguage is among the states",
		around(`{"Type":"Wait","Timestamp":"tomorrow","Next":"B"}`):                                            `waits until "tomorrow", which is not a time`,
		`{"StartAt":"A","States":{"A":{"Type":"Parallel","End":true,"Branches":["x"]}}}`:                       "has no States",
		`{"StartAt":"A","States":{"A":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"I","States":{}}}}}`: "has no States",
		around(`{"Type":"Task","Next":"B"}`):                                                                   `state "A" is a Task without a Resource`,
		around(`{"Type":"Fail","Next":"B"}`):                                                                   `state "A" is a Fail, which ends the execution: it has no Next`,
		around(`{"Type":"Succeed","End":true}`):                                                                `state "A" is a Succeed, which ends the execution: it has no End`,
		around(`{"Type":"Task","Resource":"r","Next":"B","TimeoutSeconds":-5}`):                                `TimeoutSeconds in state "A" is -5, and it is at least 1`,
		around(`{"Type":"Task","Resource":"r","Next":"B","Retry":[{"ErrorEquals":["X"],"MaxAttempts":-1}]}`):   `MaxAttempts in state "A" is -1, and it is at least 0`,
		around(`{"Type":"Task","Resource":"r","Next":"B","Retry":[{"ErrorEquals":["X"],"BackoffRate":0.5}]}`):  `BackoffRate in state "A" is 0.5, and it is at least 1`,
	})
}

// TestOddMeansWhatItSays: rare forms that are valid.
func TestOddMeansWhatItSays(t *testing.T) {
	foreigntest.Means(t, Source, []foreigntest.Meaning{
		// What is not read is told, wherever it stands.
		{Text: `{"StartAt":"A","Colour":"red","States":{"A":{"Type":"Task","Resource":"r","Credentials":{"RoleArn":"x"},"Retry":[{"ErrorEquals":["X"],"Odd":1}],"Catch":[{"ErrorEquals":["X"],"Even":1,"Next":"B"}],"Next":"B"},"B":{"Type":"Succeed","Late":1}}}`,
			Want: []string{`// Lost: "Colour", which is not read`, `// Lost: "Credentials", which is not read`, `// Lost: "Odd", which is not read`, `// Lost: "Even", which is not read`, `// Lost: "Late", which is not read`}, Grade: foreign.Part},
		// Two errors that read alike are two categories, and one without Latin letters is one.
		{Text: around(`{"Type":"Task","Resource":"r","Next":"B","Catch":[{"ErrorEquals":["A.B"],"Next":"A"},{"ErrorEquals":["A_B"],"Next":"B"},{"ErrorEquals":["エラー"],"Next":"B"}]}`),
			Want: []string{"// a_b_2 is the error \"A_B\"\n// unnamed is the error \"エラー\"\nmachine X", "failures { a_b, a_b_2, unnamed }", "on failed(a_b) -> A", "on failed(a_b_2) -> B", "on failed(unnamed) -> B"}, Grade: foreign.Whole},
		{Text: `{"QueryLanguage":"JSONata",` + around(`{"Type":"Pass","Assign":{"数":{"n":1}},"Next":"B"}`)[1:],
			Want: []string{"        // \"数\"\n        unnamed json = null", `unnamed = {"n": 1}`}, Grade: foreign.Whole},
		// The error of a Catch is a string, which stands behind a key.
		{Text: around(`{"Type":"Task","Resource":"r","Next":"B","Catch":[{"ErrorEquals":["States.ALL"],"Assign":{"e.$":"$.Error"},"Next":"B"}]}`),
			Want: []string{`e = {"value": event.category}`}, Grade: foreign.Part},
		// Numbers and strings are elements as objects are.
		{Text: around(`{"Type":"Map","Items":[1,"a"],"ItemProcessor":{"StartAt":"I","States":{"I":{"Type":"Pass","End":true}}},"Next":"B"}`),
			Want: []string{`a_written = {"items": [1, "a"]}`, "on done -> AItems { a_items = a_written.items, a_results = [] }"}, Grade: foreign.Part},
		{Text: around(`{"Type":"Task","Resource":"r","Next":"B","Retry":[{"ErrorEquals":["X"],"BackoffRate":1e300}]}`),
			Want: []string{"on failed(x) retry 3 backoff 1s..8784h factor 100000000000"}, Grade: foreign.Whole},
		{Text: around(`{"Type":"Task","Resource":"r","Next":"B","Retry":[{"ErrorEquals":["X"],"BackoffRate":1,"JitterStrategy":"FULL"}]}`),
			Want: []string{"on failed(x) retry 3 backoff 1s jitter 1"}, Grade: foreign.Whole},
		{Text: around(`{"Type":"Task","Resource":"r","Next":"B","Retry":[{"ErrorEquals":["X"],"MaxAttempts":0}]}`),
			Want: []string{"on failed(x) -> Failed"}, Grade: foreign.Whole},
		// More than a year is said.
		{Text: around(`{"Type":"Task","Resource":"r","Next":"B","Retry":[{"ErrorEquals":["X"],"IntervalSeconds":99999999}]}`),
			Want: []string{"// Guessed: 99999999 seconds: a year is the longest time here", "backoff 8784h"}, Grade: foreign.Part},
		{Text: around(`{"Type":"Wait","Seconds":99999999,"Next":"B"}`),
			Want: []string{"// Guessed: 99999999 seconds: a year is the longest time here", "after 8784h -> B"}, Grade: foreign.Part},
		{Text: around(`{"Type":"Wait","QueryLanguage":"JSONata","Seconds":"{% 5 %}","Next":"B"}`), Want: []string{"after 5s -> B"}, Grade: foreign.Whole},
		// A comparison with another type is false there; a field of a type would halt the run.
		{Text: around(`{"Type":"Choice","Choices":[{"Variable":"$.x","StringEquals":"b","Next":"B"},{"Variable":"$.x","NumericEquals":1,"Next":"B"}],"Default":"B"}`),
			Want: []string{"guard x_string_equals_b(value json)", "guard x_numeric_equals_1(value json)"}, Grade: foreign.Part},
		// So is one that is compared as one type: that it is of this type is a guess, which is said once.
		{Text: around(`{"Type":"Choice","Choices":[{"Variable":"$.x","NumericLessThan":3,"Next":"B"},{"Variable":"$.x","NumericEquals":5,"Next":"B"}],"Default":"B"}`),
			Want: []string{"        // Guessed: $.x is a number: the run halts on another value, where the original may continue\n        x float\n"}, Grade: foreign.Part},
		{Text: `{"QueryLanguage":"JSONata",` + around(`{"Type":"Choice","Choices":[{"Condition":"{% $states.input.s = 'a' %}","Next":"B"}],"Default":"B"}`)[1:],
			Want: []string{"// Guessed: $states.input.s is a text: the run halts on another value"}, Grade: foreign.Part},
		// What a Choice itself assigns is of its Default; a rule assigns in its place.
		{Text: around(`{"Type":"Choice","Assign":{"v":1},"Choices":[{"Variable":"$.x","BooleanEquals":true,"Assign":{"v":2},"Next":"B"},{"Variable":"$.y","BooleanEquals":true,"Next":"B"}],"Default":"B"}`),
			Want: []string{`when x == true -> B { v = {"value": 2} }`, `when y == true -> B else -> B { v = {"value": 1} }`}, Grade: foreign.Part},
		// A text that is to be filled in is no list.
		{Text: around(`{"Type":"Map","Items":"LIST","ItemProcessor":{"StartAt":"I","States":{"I":{"Type":"Pass","End":true}}},"Next":"B"}`),
			Want: []string{"// Lost: the elements: Items is a text, and no list", "a_items = []"}, Grade: foreign.Part},
		// OutputPath reads what is kept beside the data, and the rest of it.
		{Text: `{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"r","ResultPath":"$.x","Next":"P"},"P":{"Type":"Pass","OutputPath":"$.y","Next":"Q"},"Q":{"Type":"Pass","OutputPath":"$.x","End":true}}}`,
			Want: []string{"on done -> Q { data = data.y, x = data.y.x }", "on done -> Succeeded { data = x, x = x.x }"}, Grade: foreign.Part},
		// The results of branches are a list of known items.
		{Text: `{"StartAt":"P","States":{"P":{"Type":"Parallel","Branches":[{"StartAt":"B","States":{"B":{"Type":"Pass","End":true}}},{"StartAt":"D","States":{"D":{"Type":"Pass","End":true}}}],"ResultSelector":{"n.$":"$[1].count","whole.$":"$[0]","none.$":"$[2].count"},"End":true}}}`,
			Want: []string{`data = {"n": p_result_2.count, "whole": p_result_1, "none": null}`, "// Lost: $[2].count is not computed"}, Grade: foreign.Part},
		{Text: `{"StartAt":"P","States":{"P":{"Type":"Parallel","Branches":[{"StartAt":"B","States":{"B":{"Type":"Pass","Result":true,"ResultPath":"$.ok","End":true}}}],"ResultSelector":{"ok.$":"$[0].ok","who.$":"$[0].who"},"End":true}}}`,
			Want: []string{`p_result_1 = {"data": event.data, "ok": event.ok.value}`, `data = {"ok": p_result_1.ok, "who": p_result_1.data.who}`}, Grade: foreign.Part},
		// What is guessed of a Pass is said once.
		{Text: `{"QueryLanguage":"JSONata","StartAt":"P","States":{"P":{"Type":"Pass","Output":{"t":"{% $states.context.Task.Token %}"},"End":true}}}`,
			Want: []string{"    state P {\n        // Guessed: the task token is the run's id and the name of the activity: answer with fsmc complete\n        on done -> Succeeded { data = {\"t\": run.id} }"}, Grade: foreign.Part},
		// What is not computed, or stands behind a key, cannot be compared as a number: the run halts, and that is said.
		{Text: `{"StartAt":"I","States":{"I":{"Type":"Pass","Parameters":{"n.$":"States.MathAdd($.n, 1)"},"Next":"C"},"C":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericLessThan":3,"Next":"I"}],"Default":"S"},"S":{"Type":"Succeed"}}}`,
			Want: []string{"// Guessed: an activity does what this Pass does", `do i({"n": {"States.MathAdd($.n, 1)": [data.n]}})`, "on IDone -> C { data = event.result }"}, Grade: foreign.Part},
		{Text: `{"StartAt":"P","States":{"P":{"Type":"Parallel","Branches":[{"StartAt":"B","States":{"B":{"Type":"Pass","End":true}}}],"ResultSelector":{"n.$":"States.ArrayLength($)"},"Next":"C"},"C":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericLessThan":3,"Next":"S"}],"Default":"S"},"S":{"Type":"Succeed"}}}`,
			Want: []string{"// Lost: data.n is read here, but another state does not compute it: the run halts"}, Grade: foreign.Lost},
		// What an activity can do is its work: it gets what is read, and answers with what is made of its result.
		{Text: around(`{"Type":"Task","Resource":"r","Parameters":{"k.$":"States.Format('{}/{}', $.a, $.a[0].b)"},"ResultSelector":{"x.$":"$.Items[0]","y.$":"$.z"},"ResultPath":"$.got","Next":"B"}`),
			Want: []string{`"k": {"States.Format('{}/{}', $.a, $.a[0].b)": [data.a]}`, "// Guessed: the activity answers with what its ResultSelector makes of its result: $.Items[0] is not computed", "got = event.result"}, Grade: foreign.Part},
		{Text: around(`{"Type":"Task","Resource":"r","Parameters":{"k.$":"States.Format('{}/{}', $.a, $$.State.EnteredTime)","id.$":"States.UUID()"},"Next":"B"}`),
			Want: []string{"// Lost: States.Format('{}/{}', $.a, $$.State.EnteredTime) is not computed", `{"k": null, "id": {"States.UUID()": []}}`}, Grade: foreign.Part},
		{Text: around(`{"Type":"Map","ItemsPath":"$.rows[0].cells","ItemProcessor":{"StartAt":"R","States":{"R":{"Type":"Pass","End":true}}},"Next":"B"}`),
			Want: []string{"// Guessed: an activity makes the list", `a_read_items({"elements": {"$.rows[0].cells": [data.rows]}})`, "a_items = event.items"}, Grade: foreign.Part},
		{Text: `{"QueryLanguage":"JSONata","StartAt":"I","States":{"I":{"Type":"Pass","Assign":{"n":0},"Next":"C"},"C":{"Type":"Choice","Choices":[{"Condition":"{% $n < 3 %}","Next":"I"}],"Default":"S"},"S":{"Type":"Succeed"}}}`,
			Want: []string{`// Lost: n is read here, but another state puts it behind a key, "value": the run halts`}, Grade: foreign.Lost},
		{Text: `{"StartAt":"I","States":{"I":{"Type":"Pass","Parameters":{"s.$":"States.MathAdd($.n, 1)"},"ResultPath":"$.w","Next":"W"},"W":{"Type":"Wait","SecondsPath":"$.w.s","Next":"S"},"S":{"Type":"Succeed"}}}`,
			Want: []string{"w = event.result", "w_seconds = w.s"}, Grade: foreign.Part},
		// Where a program answers a comparison, no field of a type is read for it.
		{Text: around(`{"Type":"Choice","Choices":[{"Variable":"$.x","StringEquals":"a","Next":"B"},{"Variable":"$.t","NumericEqualsPath":"$$.Execution.Name","Next":"B"}],"Default":"B"}`),
			Want: []string{"entry { x = data.x }", `on done when x == "a" -> B else when t_numeric_equals_path_execution_name(data) -> B else -> B`}, Grade: foreign.Part},
		// Two definitions under one key are two machines.
		{Text: `{"Flows":[{"StartAt":"A","States":{"A":{"Type":"Succeed"}}},{"StartAt":"B","States":{"B":{"Type":"Succeed"}}}]}`,
			Want: []string{"machine Flows(", "machine Flows_2("}, Grade: foreign.Whole},
		// The input of the execution is not that of a branch.
		{Text: `{"StartAt":"A","States":{"A":{"Type":"Parallel","End":true,"Branches":[{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"r","End":true,"Parameters":{"a.$":"$$.Execution.Input.a","id.$":"$$.Execution.Id"}}}}]}}}`,
			Want: []string{"XABranch1(input json, around json)", `do machine XABranch1(data, {"input": input}) as branch_1`, "// Guessed: $$.Execution.Id is that of the run of the branch or element", `do t({"a": around.input.a, "id": run.id})`}, Grade: foreign.Part},
		// What a branch reads of the variables around it is handed down, through all that are between.
		{Text: `{"QueryLanguage":"JSONata","StartAt":"V","States":{"V":{"Type":"Pass","Assign":{"who":"{% $states.input.who %}"},"Next":"A"},"A":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"P","States":{"P":{"Type":"Parallel","End":true,"Branches":[{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"r","End":true,"Arguments":{"w":"{% $who.name %}","c":"{% $who.name & 1 %}","x":"{% $nobody & 1 %}"}}}}]}}}}}}`,
			Want: []string{`XAItem(item, {"who": who}) for index, item in a_items as each`, `XAItemPBranch1(data, {"who": around.who}) as branch_1`,
				`do t({"w": around.who.name, "c": {"{% $who.name & 1 %}": [around.who.name]}, "x": null})`, "// Lost: {% $nobody & 1 %} is not computed"}, Grade: foreign.Part},
		// An error that a Catch around a branch names is a category of its Tasks.
		{Text: `{"StartAt":"A","States":{"B":{"Type":"Succeed"},"A":{"Type":"Parallel","Next":"B","Catch":[{"ErrorEquals":["No.Money"],"Next":"B"}],"Branches":[{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"r","End":true}}}]}}}`,
			Want: []string{"input json) {\n    failures { no_money }\n\n    context", `on branch_1.Failed when event.error_name == "no_money"`}, Grade: foreign.Whole},
	})
}
