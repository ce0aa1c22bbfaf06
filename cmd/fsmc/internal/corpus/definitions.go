package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	top, err := parsed(text)
	switch {
	case err != nil && strings.Contains(filepath.Base(path), ".asl"):
		return [][]byte{text} // to be refused
	case err != nil:
		return nil
	case isDefinition(top):
		if json.Valid(text) {
			return [][]byte{text}
		}
		return appendJSON(nil, top)
	}
	resources, _ := top["Resources"].(map[string]any)
	for _, r := range resources {
		resource, _ := r.(map[string]any)
		if kind := resource["Type"]; kind != "AWS::Serverless::StateMachine" && kind != "AWS::StepFunctions::StateMachine" {
			continue
		}
		properties, _ := resource["Properties"].(map[string]any)
		for _, of := range []any{properties["Definition"], properties["DefinitionString"]} {
			if d := definitionOf(of); isDefinition(d) {
				all = appendJSON(all, d)
			}
		}
	}
	return all
}

func isDefinition(v map[string]any) bool { return v["StartAt"] != nil && v["States"] != nil }

// definitionOf is what stands in a template for a definition: an object, its text, or a text in which something is
// filled in.
func definitionOf(v any) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		if inner := v["Fn::Sub"]; inner != nil {
			return definitionOf(inner)
		}
		if join, _ := v["Fn::Join"].([]any); len(join) == 2 {
			return definitionOf(joined(join))
		}
		return v
	case []any:
		if len(v) > 0 {
			return definitionOf(v[0])
		}
	case string:
		if d, err := parsed([]byte(v)); err == nil {
			return d
		}
	}
	return nil
}

// joined is a text in parts, of which those that are filled in are "x".
func joined(join []any) string {
	separator, _ := join[0].(string)
	var parts []string
	list, _ := join[1].([]any)
	for _, p := range list {
		part, ok := p.(string)
		if !ok {
			part = "x"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, separator)
}

// parsed is an object in JSON or YAML. Tags such as !Sub and !GetAtt are passed over.
func parsed(text []byte) (top map[string]any, err error) {
	if json.Unmarshal(text, &top) == nil {
		return top, nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	clearTags(&root)
	return top, root.Decode(&top)
}

func clearTags(n *yaml.Node) {
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
		n.Tag = ""
	}
	for _, inner := range n.Content {
		clearTags(inner)
	}
}

func appendJSON(all [][]byte, d map[string]any) [][]byte {
	if text, err := json.MarshalIndent(d, "", "  "); err == nil {
		all = append(all, text)
	}
	return all
}
