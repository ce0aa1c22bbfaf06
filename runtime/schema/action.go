package schema

import "github.com/fsmc-dev/fsmc/runtime/machine"

// Action is an event that a run takes, with what it carries.
type Action struct {
	Event  string `json:"event"`
	Doc    string `json:"doc"`
	Schema Schema `json:"schema"`
}

// ActionOf is an event of d, by its index.
func ActionOf(d *machine.Definition, event int) Action {
	return Action{Event: d.Events[event].Name, Doc: d.Events[event].Doc, Schema: Event(d, event)}
}

// Sendable are the events that may be sent to runs of d.
func Sendable(d *machine.Definition) []Action {
	actions := []Action{}
	for e := range d.Events {
		if !d.Events[e].Internal {
			actions = append(actions, ActionOf(d, e))
		}
	}
	return actions
}

// Allowed are the events that a run of m takes as it stands.
func Allowed(m *machine.Machine, v *machine.View) []Action {
	actions := []Action{}
	for _, e := range v.Events {
		if event, ok := m.Event(e.Name); ok {
			actions = append(actions, ActionOf(m.Definition(), event))
		}
	}
	return actions
}
