package definition

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// each adds a Map for the elements of a list, and behind it a loop that takes the results in the
// order of the list.
func (w *writer) each(s *ir.State, d *ir.Do, end string) {
	w.note(w.item.Part, "what elements end with is taken when all have ended, in the order of the list")
	q := w.query()
	inner := w.query()
	inner.item = "$states.input.item"
	task := w.task(s, d, inner)
	if i := slices.IndexFunc(task, func(m member) bool { return m.key == "Output" }); i >= 0 {
		result := "$states.result.Payload"
		if d.Activity.Machine != nil {
			result = "$states.result.Output"
		}
		task[i].value = formula(`$merge([` + result + `, {"index": $states.input.index, "item": $states.input.item}])`)
	}
	one := w.free(d.Activity.Name + " of one")
	failed := w.free(d.Activity.Name + " of one has failed")
	failure := append(obj{{"index", formula("$states.input.index")}, {"item", formula("$states.input.item")}, {"failed", true}}, w.failure(d, nil)...)
	task = append(task, member{"Catch", []any{obj{{"ErrorEquals", []string{"States.ALL"}}, {"Output", failure}, {"Next", failed}}}}, member{"End", true})
	loop, results := w.free(s.Path+": next result"), "results"
	o := obj{
		{"Type", "Map"}, {"Items", formula(q.read(d.Fan.List))},
		{"ItemSelector", obj{{"index", formula("$states.context.Map.Item.Index")}, {"item", formula("$states.context.Map.Item.Value")}}},
	}
	if d.Fan.Limit > 0 {
		o = append(o, member{"MaxConcurrency", d.Fan.Limit})
	}
	o = append(o, member{"ItemProcessor", obj{{"StartAt", one}, {"States", obj{{one, task}, {failed, obj{{"Type", "Pass"}, {"End", true}}}}}}},
		member{"Assign", obj{{results, formula("$append([], $states.result)")}, {"at", formula("0")}}},
		member{"Next", loop})
	w.add(s.Path, o)
	w.loop(s, d, loop, end)
}

// loop adds the states that take the results of elements one by one.
func (w *writer) loop(s *ir.State, d *ir.Do, loop, end string) {
	const event = "$results[$at]"
	step := w.free(s.Path + ": result taken")
	ok := w.results(s, d, event, step)
	bad := w.failures(s, d, event, step, nil)
	w.add(loop, obj{{"Type", "Choice"}, {"Choices", []any{
		obj{{"Condition", formula("$at >= $count($results)")}, {"Next", end}},
		obj{{"Condition", formula("$exists(" + event + ".failed)")}, {"Next", bad}},
	}}, {"Default", ok}})
	w.add(step, obj{{"Type", "Pass"}, {"Assign", obj{{"at", formula("$at + 1")}}}, {"Next", loop}})
}

// parallel adds a Parallel for several activities; what they end with is taken when all have ended,
// in the order of the text.
func (w *writer) parallel(s *ir.State, end string) {
	w.note(w.item.Part, "what its activities end with is taken when all have ended, in the order of the text")
	if t := w.timer(s); t != nil {
		w.note(w.item.Lost, "%s", t.Text())
	}
	next := end
	var branches []any
	for i, d := range slices.Backward(s.Dos) {
		event := fmt.Sprintf("$states.input[%d]", i)
		take := w.free(fmt.Sprintf("%s: result %d", s.Path, i+1))
		ok := w.results(s, d, event, next)
		bad := w.failures(s, d, event, next, nil)
		w.add(take, obj{{"Type", "Choice"}, {"Choices", []any{obj{{"Condition", formula("$exists(" + event + ".failed)")}, {"Next", bad}}}}, {"Default", ok}})
		next = take
	}
	for i, d := range s.Dos {
		one := w.free(fmt.Sprintf("%s %d", d.Activity.Name, i+1))
		failed := w.free(fmt.Sprintf("%s %d has failed", d.Activity.Name, i+1))
		if d.Fan != nil {
			w.note(w.item.Lost, "%s: it runs once, beside other activities", d.Fan.Text())
		}
		task := append(w.task(s, d, w.query()), member{"Catch", []any{obj{
			{"ErrorEquals", []string{"States.ALL"}}, {"Output", append(obj{{"failed", true}}, w.failure(d, nil)...)}, {"Next", failed},
		}}}, member{"End", true})
		branches = append(branches, obj{{"StartAt", one}, {"States", obj{{one, task}, {failed, obj{{"Type", "Pass"}, {"End", true}}}}}})
	}
	w.add(s.Path, obj{{"Type", "Parallel"}, {"Branches", branches}, {"Next", next}})
}
