package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// mostBytes is the largest file in which definitions are looked for.
const mostBytes = 1 << 20

// definitionsIn are the definitions in the States Language in a file of a clone: the file itself, or
// those that a CloudFormation template has of its state machines.
func definitionsIn(path string, text []byte) (all [][]byte) {
	if !slices.Contains([]string{".json", ".json5", ".yaml", ".yml", ".asl"}, filepath.Ext(path)) || len(text) > mostBytes ||
		!strings.Contains(string(text), "StartAt") || !strings.Contains(string(text), "States") {
		return nil
	}
	top, err := read(text)
	switch {
	case err != nil && strings.Contains(filepath.Base(path), ".asl"), isDefinition(top) && json.Valid(text):
		return [][]byte{text} // which may be refused
	case isDefinition(top):
		return [][]byte{jsonOf(top)}
	}
	resources := top.Get("Resources")
	if !resources.Is(foreign.Object) {
		return nil
	}
	for _, r := range resources.Members {
		if kind := r.Value.Get("Type").Str(); kind != "AWS::Serverless::StateMachine" && kind != "AWS::StepFunctions::StateMachine" {
			continue
		}
		for _, name := range []string{"Definition", "DefinitionString"} {
			if d := definitionOf(r.Value.Get("Properties").Get(name)); isDefinition(d) {
				all = append(all, jsonOf(d))
			}
		}
	}
	return all
}

func isDefinition(v *foreign.Value) bool { return v.Get("StartAt") != nil && v.Get("States") != nil }

// definitionOf is what stands in a template for a definition: an object, its text, or a text in which something is
// filled in.
func definitionOf(v *foreign.Value) *foreign.Value {
	if inner := v.Get("Fn::Sub"); inner != nil {
		return definitionOf(inner)
	}
	if join := v.Get("Fn::Join"); join.Is(foreign.Array) && len(join.Items) == 2 {
		return definitionIn(joined(join.Items))
	}
	switch {
	case v.Is(foreign.Array) && len(v.Items) > 0:
		return definitionOf(v.Items[0])
	case v.Is(foreign.String):
		return definitionIn(v.Text)
	}
	return v
}

// definitionIn reads a text; nil where it cannot be read.
func definitionIn(text string) *foreign.Value {
	v, _ := read([]byte(text))
	return v
}

// read reads JSON or YAML, and what is nearly JSON as YAML, which lets commas stand at an end.
func read(text []byte) (*foreign.Value, error) {
	if v, err := foreign.Read(text); err == nil {
		return v, nil
	}
	return foreign.ReadYAML(text)
}

// joined is a text in parts, of which those that are filled in are "x".
func joined(join []*foreign.Value) string {
	var parts []string
	for _, p := range join[1].List() {
		if !p.Is(foreign.String) {
			parts = append(parts, "x")
			continue
		}
		parts = append(parts, p.Text)
	}
	return strings.Join(parts, join[0].Str())
}

// jsonOf is a value as a text.
func jsonOf(v *foreign.Value) []byte {
	text, _ := json.MarshalIndent(plain(v), "", "  ") // of what has been read
	return text
}

func plain(v *foreign.Value) any {
	switch v.Kind {
	case foreign.Null:
		return nil
	case foreign.Bool:
		return v.True()
	case foreign.Number:
		return json.Number(v.Text)
	case foreign.Array:
		list := []any{}
		for _, item := range v.Items {
			list = append(list, plain(item))
		}
		return list
	case foreign.Object:
		object := map[string]any{}
		for _, m := range v.Members {
			object[m.Key] = plain(m.Value)
		}
		return object
	}
	return v.Text
}
