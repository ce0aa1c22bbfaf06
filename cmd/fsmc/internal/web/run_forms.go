package web

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// command is a button that steers a run.
type command struct {
	Name, Label, Title string
	Danger             bool
}

// buttons are those of any run, in their order on the page.
var buttons = []command{
	{Name: "retry", Label: "Retry"}, {Name: "resume", Label: "Resume"}, {Name: "pause", Label: "Pause"}, {Name: "cancel", Label: "Cancel", Danger: true},
}

// commands are those that the run would take.
func (s *Site) commands(ctx context.Context, id string) (out []command) {
	kinds, err := s.Engine.Commands(ctx, id)
	if err != nil {
		return nil // what cannot be read is said above
	}
	for _, c := range buttons {
		if slices.Contains(kinds, machine.InputKind(c.Name)) {
			c.Title = fmt.Sprintf("fsmc %s %s", c.Name, describe.Plain(id, 200))
			out = append(out, c)
		}
	}
	return out
}

// eventForm is an event that the run takes now.
type eventForm struct {
	Name, Doc string
	Fields    []field
	Why       string // it was refused
	EventID   string // that was typed
}

// field is one value that a person writes.
type field struct {
	Name, ID, Type, Doc, Value string
	Optional                   bool
	Choices                    []string
	Long                       bool // of several lines
	Wrong                      string
}

// eventForms are the forms of the events that the run takes.
func (d *runData) eventForms() (out []eventForm) {
	if d.Machine == nil {
		return nil
	}
	for i := range d.View.Events {
		e := eventOf(d.Machine.def, d.View.Events[i].Name)
		if e == nil {
			continue
		}
		form := eventForm{Name: e.Name, Doc: e.Doc, Fields: fieldsOf(d.Machine.def, "event-"+e.Name, e.Fields)}
		if t := d.Typed; t != nil && t.Form == e.Name {
			form.Why, form.EventID = t.Why, t.Values.Get("event_id")
			for k := range form.Fields {
				f := &form.Fields[k]
				f.Value = t.Values.Get("f." + f.Name)
				if t.Field != "" && (t.Field == f.Name || strings.HasPrefix(t.Field, f.Name+"[") || strings.HasPrefix(t.Field, f.Name+".")) {
					f.Wrong = t.Why
				}
			}
		}
		out = append(out, form)
	}
	return out
}

func eventOf(d *machine.Definition, name string) *machine.Event {
	for i := range d.Events {
		if d.Events[i].Name == name {
			return &d.Events[i]
		}
	}
	return nil
}

// fieldsOf are the inputs for fields of a definition.
func fieldsOf(d *machine.Definition, form string, list []machine.Field) (out []field) {
	for i := range list {
		f := &list[i]
		one := field{Name: f.Name, ID: form + "-" + f.Name, Type: d.FieldType(f), Doc: f.Doc, Optional: f.Optional}
		switch f.Type.Kind {
		case machine.Bool:
			one.Choices = []string{"true", "false"}
		case machine.EnumKind:
			one.Choices = d.Enums[f.Type.Enum].Values
		case machine.JSON, machine.ListKind:
			one.Long = true
		}
		if f.Default != nil {
			one.Value = strings.Trim(string(f.Default), `"`)
		}
		out = append(out, one)
	}
	return out
}

// activitiesShown is how many a page shows, unless all are asked for.
const activitiesShown = 10

// activityRow is an activity that has not ended.
type activityRow struct {
	*machine.ActivityView
	Name, Attempts string
	Results        []string
}

func (d *runData) activityRows() (out []activityRow) {
	v := d.View
	for i := range v.Activities {
		a := &v.Activities[i]
		row := activityRow{ActivityView: a, Name: describe.Attempt(a.Activity, a.Do), Attempts: fmt.Sprint(a.Attempt)}
		if a.Of > 0 {
			row.Attempts += fmt.Sprintf(" of %d", a.Of)
		}
		if d.Machine != nil {
			row.Results = resultsOf(d.Machine.def, a.Activity)
		}
		out = append(out, row)
	}
	return out
}

// resultsOf are the events that an activity may raise.
func resultsOf(d *machine.Definition, activity string) (out []string) {
	for i := range d.Activities {
		if d.Activities[i].Name != activity {
			continue
		}
		for _, e := range d.Activities[i].Results {
			out = append(out, d.Events[e].Name)
		}
	}
	return out
}

// Due is how long it takes until a timer fires.
func (d *runData) Due(t *machine.TimerView) template.HTML {
	if t.Left != "" {
		return template.HTML(quoted(describe.Duration(t.Left) + " left"))
	}
	text := "due"
	if in := t.Due.Sub(d.now); in > 0 {
		text = "in " + describe.Short(in)
	}
	return timeTag(t.Due, text)
}

// Cost is what the run has used of something.
func (d *runData) Cost(c *machine.CostView) string { return describe.Cost(c) }
