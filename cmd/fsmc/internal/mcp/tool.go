package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

// tool is something that an agent may call.
type tool struct {
	name, title, doc string
	params           []param
	effect           bool // it changes something
	destroys         bool // and that cannot be undone
	again            bool // a second call with the same arguments changes nothing more
	output           string
	run              string // the argument that names a run, where that is not "run"
	call             func(context.Context, *call) (any, error)
}

// param is an argument of a tool.
type param struct {
	name   string
	needed bool
	schema schema.Schema
	open   bool // the machine judges whether it fits, and whether it is there
}

// Kinds of arguments.
func text(name, doc string) param {
	return param{name: name, schema: schema.Schema{Type: "string", Description: doc}}
}
func yes(name, doc string) param {
	return param{name: name, schema: schema.Schema{Type: "boolean", Description: doc}}
}
func list(name, doc string) param {
	return param{name: name, schema: schema.Schema{Type: "array", Description: doc, Items: &schema.Schema{Type: "object"}}}
}

func object(name, doc string) param {
	return param{name: name, schema: schema.Schema{Type: "object", Description: doc}}
}

func number(name string, least, most int64, doc string) param {
	return param{name: name, schema: schema.Schema{Type: "integer", Minimum: &least, Maximum: &most, Description: doc}}
}

func must(p param) param {
	p.needed = true
	return p
}

func runParam() param { return must(text("run", "the id of the run")) }

func reasonParam() param { return text("reason", "why; it stands in the history of the run") }

func (t *tool) input() schema.Schema {
	closed := false
	s := schema.Schema{Type: "object", Properties: schema.Properties{}, Closed: &closed}
	for _, p := range t.params {
		s.Properties = append(s.Properties, schema.Property{Name: p.name, Schema: p.schema})
		if p.needed {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

// add makes a tool of the server's.
func (s *Server) add(t *tool) {
	closed := false
	s.server.AddTool(&sdk.Tool{
		Name: t.name, Title: t.title, Description: t.doc, InputSchema: t.input(), OutputSchema: json.RawMessage(t.output),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: !t.effect, DestructiveHint: &t.destroys, IdempotentHint: t.again || !t.effect, OpenWorldHint: &closed},
	}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c := &call{actor: s.actor(req)}
		err := c.read(t.params, req.Params.Arguments)
		c.run = c.text(cmp.Or(t.run, "run"))
		if err == nil {
			err = t.mayCall(req)
		}
		if err != nil {
			return s.refuse(ctx, c, err), nil
		}
		answer, err := t.call(ctx, c)
		if err != nil {
			return s.refuse(ctx, c, err), nil
		}
		return result(answer, ""), nil
	})
}

// result is an answer, with words before it where there are any. What an answer is made of
// always has a JSON form; if some day it had none, the words say so, and the call stands.
func result(answer any, words string) *sdk.CallToolResult {
	r := &sdk.CallToolResult{}
	if words != "" {
		r.Content = append(r.Content, &sdk.TextContent{Text: words})
	}
	encoded, err := machine.EncodeJSON(answer)
	if err != nil {
		r.Content = append(r.Content, &sdk.TextContent{Text: "it is done, and the answer cannot be written: " + err.Error()})
		return r
	}
	r.Content = append(r.Content, &sdk.TextContent{Text: string(encoded)})
	r.StructuredContent = encoded
	return r
}

// maxClient is how much of a client's name stands in history.
const maxClient = 80

// actor is who stands in history for a call: the client, by the name that it gives itself,
// behind the caller whom a guard knows.
func (s *Server) actor(req *sdk.CallToolRequest) string {
	name := "unknown"
	if info := req.ClientInfo(); info != nil {
		if said := describe.Joined(info.Name, maxClient); said != "" {
			name = said
		}
	}
	name = "mcp:" + name
	if req.Extra != nil {
		if caller := req.Extra.Header.Get(callerHeader); caller != "" {
			name = caller + "/" + name
		}
	}
	return name
}

// mayCall refuses a tool with an effect to a caller who may only look.
func (t *tool) mayCall(req *sdk.CallToolRequest) error {
	if overHTTP := req.Extra != nil; !t.effect || !overHTTP || req.Extra.Header.Get(writeHeader) != "" {
		return nil
	}
	return errors.New("this token may look at runs, and change nothing: that takes a token of a write: line")
}

// call is one call of a tool.
type call struct {
	actor string
	run   string                     // that it is about; empty for none
	args  map[string]json.RawMessage // those that are given, of their types
}

// read reads arguments strictly: no other ones, each once, of its type.
func (c *call) read(params []param, given json.RawMessage) error {
	c.args = map[string]json.RawMessage{}
	if len(given) == 0 || string(given) == "null" {
		given = json.RawMessage("{}")
	}
	if !utf8.Valid(given) {
		return errors.New("the arguments are not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(given))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return errors.New("the arguments have to be a JSON object")
	}
	for dec.More() {
		token, err := dec.Token()
		name, _ := token.(string)
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return fmt.Errorf("the arguments are not valid JSON: %w", err)
		}
		at := slices.IndexFunc(params, func(p param) bool { return p.name == name })
		switch _, twice := c.args[name]; {
		case at < 0:
			return unknownArgument(name, params)
		case twice:
			return fmt.Errorf("the argument %q is given twice", name)
		case params[at].open:
		case string(value) == "null": // as good as left out
			continue
		default:
			if err := fits(&params[at], value); err != nil {
				return err
			}
		}
		c.args[name] = value
	}
	for _, p := range params {
		if p.needed && !p.open && !c.has(p.name) {
			return fmt.Errorf("the argument %q is missing: %s", p.name, p.schema.Description)
		}
	}
	return nil
}

func unknownArgument(name string, params []param) error {
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no argument %q: this tool has none", describe.Plain(name, 100))
	}
	return fmt.Errorf("there is no argument %q%s; there is %s", describe.Plain(name, 100), machine.DidYouMean(name, names), strings.Join(names, ", "))
}

// typeWords say in words what a type of JSON is, and typeOf is the type of what begins with a byte, but for numbers.
var (
	typeWords = map[string]string{"string": "a string", "boolean": "true or false", "integer": "a whole number", "object": "an object", "array": "a list"}
	typeOf    = map[byte]string{'"': "string", 't': "boolean", 'f': "boolean", '{': "object", '[': "array"}
)

// fits reports whether a value is of the type of an argument. What is in an object or a list
// is judged by whom it is for.
func fits(p *param, value json.RawMessage) error {
	want := p.schema.Type
	if want == "" || want == typeOf[value[0]] {
		return nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	switch {
	case want != "integer" || err != nil:
		return fmt.Errorf("the argument %q has to be %s, and is %s", p.name, typeWords[want], describe.Plain(string(value), 40))
	case n < *p.schema.Minimum || n > *p.schema.Maximum:
		return fmt.Errorf("the argument %q has to be from %d to %d, and is %d", p.name, *p.schema.Minimum, *p.schema.Maximum, n)
	}
	return nil
}

// The arguments that are given; the zero value of those that are not.

func (c *call) text(name string) (text string) { return valueOf[string](c, name) }
func (c *call) yes(name string) bool           { return valueOf[bool](c, name) }
func (c *call) number(name string) int64       { return valueOf[int64](c, name) }

func (c *call) has(name string) bool {
	_, there := c.args[name]
	return there
}

func valueOf[T any](c *call, name string) (v T) {
	_ = json.Unmarshal(c.args[name], &v) // it has been held against its type; nothing for none
	return v
}
