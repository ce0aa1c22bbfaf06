package xstate

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign/plan"
)

// invoke writes what runs while a state is active.
func (w *writer) invoke(c *plan.Call) {
	w.Open("invoke: {")
	w.Line("id: %s,", plan.Quote(c.ID))
	w.Line("src: %s,", plan.Quote(w.actor(c)))
	input := w.script().Args(c.Do.Activity.Params, c.Do.Args)
	if c.Fan {
		input = append([]plan.Property{{Path: "items", Value: access(c.Do.Fan.List.Name)}}, input...)
		if c.Do.Fan.Limit > 0 {
			input = append(input, plan.Property{Path: "limit", Value: fmt.Sprint(c.Do.Fan.Limit)})
		}
	}
	if len(input) > 0 {
		w.Line("input: %s,", w.function("("+plan.Object(input)+")"))
	}
	if !c.Fan {
		w.ends(c)
	}
	w.Close("},")
}

// actor declares what is run, and is its name. Another machine is one of this module; an activity
// is provided by the program.
func (w *writer) actor(c *plan.Call) string {
	switch {
	case c.Fan:
		w.imports["fromCallback"] = true
		name := c.Name + " for " + c.Do.Fan.List.Name
		return w.implement("actors", name, missing("actors", name, "fromCallback(", ")"))
	case c.Machine != nil:
		return w.implement("actors", c.Name, w.names[c.Machine])
	}
	w.imports["fromPromise"] = true
	return w.implement("actors", c.Name, missing("actors", c.Name, "fromPromise(async ", ")"))
}

// ends writes onDone and onError.
func (w *writer) ends(c *plan.Call) {
	var done []string
	for _, r := range c.Results {
		var test []string
		if len(c.Results) > 1 {
			test = []string{plan.Quote(w.implement("guards", "is "+r.Event.Exit(), w.function("said(event).type === "+plan.Quote(r.Event.Exit()))))}
		}
		done = append(done, w.texts(test, r.Arms)...)
	}
	if done = append(done, w.texts(nil, c.Nothing)...); len(done) > 0 {
		w.list("onDone", done)
	}
	w.failures("onError", c)
}

// failures writes the arms of failures under a key.
func (w *writer) failures(key string, c *plan.Call) {
	w.activity = c.Name
	var failed []string
	for _, e := range c.Failures {
		failed = append(failed, w.texts(w.categories(e, len(c.Failures)), e.Arms)...)
	}
	w.activity = ""
	if len(failed) > 0 {
		w.list(key, failed)
	}
}

// categories is the test for the categories of e; none where there is only one ending.
func (w *writer) categories(e *plan.Ending, endings int) []string {
	test := e.Test("said(event).category", endings)
	if test == "" {
		return nil
	}
	return []string{plan.Quote(w.implement("guards", "failed("+strings.Join(e.Categories, ", ")+")", w.function(test)))}
}

// elements writes what each element of a list ends with, and that all have: events that the
// program sends, with the index and the item.
func (w *writer) elements(c *plan.Call) {
	for _, r := range c.Results {
		w.arms(c.Event(r.Event.Exit()), r.Arms)
	}
	w.failures(c.Event("failed"), c)
	w.arms(c.Event("done"), c.Nothing)
}
