package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// misfit says where a JSON value does not fit a schema of doc, or nothing. It knows what
// openapi.json uses of JSON Schema, and refuses what it does not know.
func misfit(doc, schema map[string]any, v any, at string) string {
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		of, ok := doc["components"].(map[string]any)["schemas"].(map[string]any)[name].(map[string]any)
		if !ok {
			return at + ": there is no schema " + name
		}
		return misfit(doc, of, v, at)
	}
	if any, ok := schema["anyOf"].([]any); ok {
		var why []string
		for _, s := range any {
			text := misfit(doc, s.(map[string]interface{}), v, at)
			if text == "" {
				return ""
			}
			why = append(why, text)
		}
		return strings.Join(why, " and ")
	}
	kind, _ := schema["type"].(string)
	switch got := v.(type) {
	case map[string]any:
		if kind != "" && kind != "object" {
			return at + ": an object"
		}
		return misfitMembers(doc, schema, got, at)
	case []any:
		if kind != "" && kind != "array" {
			return at + ": a list"
		}
		items, _ := schema["items"].(map[string]any)
		for i := range got {
			if why := misfit(doc, items, got[i], fmt.Sprintf("%s[%d]", at, i)); why != "" {
				return why
			}
		}
	case string:
		if kind != "" && kind != "string" {
			return at + ": a string"
		}
		if _, err := time.Parse(time.RFC3339Nano, got); schema["format"] == "date-time" && err != nil {
			return at + ": no time: " + got
		}
	case json.Number:
		if _, err := got.Int64(); kind == "integer" && err != nil || kind != "" && kind != "integer" && kind != "number" {
			return at + ": a number"
		}
	case bool:
		if kind != "" && kind != "boolean" {
			return at + ": a boolean"
		}
	case nil:
		if kind != "" && kind != "null" {
			return at + ": null"
		}
	}
	return ""
}

func misfitMembers(doc, schema, got map[string]any, at string) string {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, there := got[name.(string)]; !there {
			return fmt.Sprintf("%s: %s is missing", at, name)
		}
	}
	names := []string{}
	for name := range got {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		of, known := properties[name].(map[string]any)
		if !known {
			if of, known = schema["additionalProperties"].(map[string]any); !known && schema["additionalProperties"] == false {
				return fmt.Sprintf("%s: there is no %s", at, name)
			}
		}
		if why := misfit(doc, of, got[name], at+"."+name); why != "" {
			return why
		}
	}
	return ""
}
