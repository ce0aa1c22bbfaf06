// Package asl reads machines of the Amazon States Language, as JSON or YAML.
//
// Data: a state of that language has one JSON value that flows from state to state. Here
// it is the context field `data`; what a ResultPath keeps at `$.x` has a field `x` of its
// own, which is assigned whenever `data` is replaced, so that `$.x` is always `x`. A Choice
// reads typed fields, which its entry block takes from `data`. A Map runs a machine of its
// own for each element, a Parallel one for each branch.
//
// In the order in which to read: asl.go finds the machines, machine.go makes one,
// states.go its states, fan.go Map and Parallel, errors.go Retry and Catch, choice.go and
// jsonata.go conditions, payload.go and path.go data.
package asl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// Source reads the Amazon States Language.
var Source = foreign.Source{Name: "asl", Summary: "the Amazon States Language of AWS Step Functions, as JSON or YAML", Read: read}

type reader struct {
	draft  *foreign.Draft
	report *foreign.Report
	names  *foreign.Names // of machines
	errors *foreign.Names // of categories, by the names of errors
}

// read makes machines of text: of a definition, or of each one in a template.
func read(name string, text []byte) (*foreign.Result, error) {
	root, err := foreign.Read(text)
	if err != nil {
		return nil, err
	}
	r := &reader{draft: &foreign.Draft{}, report: &foreign.Report{Format: "asl"}, names: foreign.NewNames(), errors: foreign.NewNames(builtIn...)}
	found := definitions(root, name, nil)
	if len(found) == 0 {
		return nil, root.Errorf("there is no machine in it: an object with StartAt and States")
	}
	for i, d := range found {
		if err := r.machine(r.names.TitleFor(strconv.Itoa(i), d.name), d.value); err != nil {
			return nil, err
		}
	}
	return foreign.Finish(r.draft, r.report)
}

type definition struct {
	name  string
	value *foreign.Value
}

// wrappers are keys of templates that say nothing of the machine.
var wrappers = []string{"definition", "definitionstring", "properties", "resources", "statemachines", "stepfunctions", "fn::sub"}

// definitions finds the machines in v, which may be a template. name is the last key that
// tells them apart.
func definitions(v *foreign.Value, name string, found []definition) []definition {
	if v.Get("StartAt").Is(foreign.String) && v.Get("States").Is(foreign.Object) {
		return append(found, definition{name, v})
	}
	for _, m := range v.Members {
		inner := name
		if !slices.Contains(wrappers, strings.ToLower(m.Key)) {
			inner = m.Key
		}
		found = definitions(m.Value, inner, found)
	}
	for _, item := range v.Items {
		found = definitions(item, name, found)
	}
	if text := v.Str(); len(found) == 0 && strings.Contains(text, `"StartAt"`) {
		if inner, err := foreign.Read([]byte(text)); err == nil && inner.Is(foreign.Object) {
			found = definitions(inner, name, found)
		}
	}
	return found
}
