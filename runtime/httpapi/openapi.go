package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/schema"
)

// OpenAPI 3.1 is written from the table of routes and the types of bodies and answers, so that it
// says what they are.

type object = map[string]any

func (a *API) getOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, a.openAPI())
}

func (a *API) openAPI() object {
	d := &describer{schemas: object{}}
	paths := object{}
	for i := range a.routes {
		to := &a.routes[i]
		path, known := paths[to.path].(object)
		if !known {
			path = object{}
			paths[to.path] = path
		}
		path[strings.ToLower(to.method)] = d.operation(to)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{"title": "fsmc", "version": a.version,
			"description": "Runs of state machines: what they wait for, what happened to them, and what can be done with them."},
		"servers":    []object{{"url": cmp.Or(a.prefix, "/")}},
		"paths":      paths,
		"components": object{"schemas": d.schemas, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
		"security":   []object{{"token": []string{}}, {}},
	}
}

// describer collects the schemas of types that have names.
type describer struct{ schemas object }

// inPath finds the parameters of a path.
var inPath = regexp.MustCompile(`\{([a-z]+)\}`)

func (d *describer) operation(to *route) object {
	var params []object
	for _, m := range inPath.FindAllStringSubmatch(to.path, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, name := range to.query {
		params = append(params, object{"name": name, "in": "query", "schema": object{"type": "string"}})
	}
	answers := object{"default": object{"description": "what is wrong: RFC 9457", "content": content("application/problem+json", d.of(reflect.TypeFor[Problem]()))}}
	kind, of := cmp.Or(to.gives, "application/json"), object{"type": "string"}
	if to.reply != nil {
		of = d.of(reflect.TypeOf(to.reply))
	}
	for _, status := range to.statuses() {
		answers[status] = object{"description": to.does, "content": content(kind, of)}
	}
	op := object{"summary": to.does, "responses": answers}
	if params != nil {
		op["parameters"] = params
	}
	if to.body != nil {
		op["requestBody"] = object{"required": true, "content": content("application/json", d.of(reflect.TypeOf(to.body)))}
	}
	return op
}

func content(kind string, schema object) object { return object{kind: object{"schema": schema}} }

// of is the schema of a type; of a struct that has a name it is a reference.
func (d *describer) of(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return object{}
	case reflect.TypeFor[json.Number]():
		return object{"type": "number"}
	case reflect.TypeFor[schema.Schema]():
		return object{"type": "object", "description": "a JSON Schema"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.Struct:
		name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
		if d.schemas[name] == nil {
			d.schemas[name] = object{} // which refers to itself, perhaps
			d.schemas[name] = d.structOf(t)
		}
		return object{"$ref": "#/components/schemas/" + name}
	case reflect.Interface:
		return object{}
	case reflect.Slice:
		return object{"type": "array", "items": d.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.of(t.Elem())}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	}
	return object{"type": "string"}
}

// structOf is the object of a struct. What may be left out is not required, and a pointer that
// is there may be null.
func (d *describer) structOf(t reflect.Type) object {
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "" || name == "-" {
			continue
		}
		of := d.of(f.Type)
		if options == "" {
			required = append(required, name)
			if f.Type.Kind() == reflect.Pointer {
				of = object{"anyOf": []object{of, {"type": "null"}}}
			}
		}
		properties[name] = of
	}
	of := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 && !strings.HasSuffix(t.Name(), "Body") {
		of["required"] = required
	}
	return of
}
