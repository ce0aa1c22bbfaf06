package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/mcp"
	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

const purchase = `// Buys something.
machine Purchase(item string, most int 1..1000) {
    context { price int 0..2000 = 0, note string }
    enum Way { post, courier }
    // Somebody says yes.
    event Approve { price int 0..2000, way Way, by string? }
    event Remark { run string, note string }
    event Ordered { note string }
    failures { busy }
    activity order(item string) -> Ordered fails busy
    guard is_known(by string)
    event Ask { by string }
    initial Waiting
    state Waiting {
        on Approve when event.price <= most -> Ordering { price = event.price }
                   else reject
        on Remark { note = event.note }
        on Ask when is_known(event.by) -> Ordering else reject
        after 1h -> Forgotten
    }
    state Ordering {
        do order(item) timeout 1m
        on Ordered -> Bought { note = event.note }
        on failed -> Lost
    }
    terminal Bought returns note
    terminal Lost failure
    terminal Forgotten cancelled
}`

// bench is a server over a store in memory, and a client of it.
type bench struct {
	t       *testing.T
	engine  *runtime.Engine
	session *sdk.ClientSession
	outputs map[string]*jsonschema.Schema
}

// register makes the machine of a text known to an engine.
func register(t *testing.T, engine *runtime.Engine, text string) {
	t.Helper()
	must(t, engine.Register(tabletest.Machine(t, text), text, runtime.Handlers{}))
}

func newBench(t *testing.T, change ...func(*mcp.Options)) *bench {
	t.Helper()
	return benchOver(t, memstore.New(), change...)
}

func benchOver(t *testing.T, over runtime.Store, change ...func(*mcp.Options)) *bench {
	t.Helper()
	engine := runtime.NewEngine(over)
	register(t, engine, purchase)
	o := mcp.Options{Engine: engine, Version: "test", Front: mcp.FrontEnd{
		Check: func(context.Context, string) (any, error) {
			return map[string]any{"diagnostics": []any{}, "machines": []any{}}, nil
		},
		Explain: func(rule string) (string, error) { return "# " + rule, nil },
		Diagram: func(v *runtime.Version) (string, error) { return "flowchart of " + v.Name, nil },
	}}
	for _, c := range change {
		c(&o)
	}
	return clientOf(t, o)
}

// clientOf is a client of a server.
func clientOf(t *testing.T, o mcp.Options) *bench {
	t.Helper()
	server, err := mcp.New(t.Context(), o)
	must(t, err)
	there, here := sdk.NewInMemoryTransports()
	mcp.Connect(t, server, there)
	b := &bench{t: t, engine: o.Engine, outputs: map[string]*jsonschema.Schema{}}
	if b.session, err = sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, nil).Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.session.Close() })
	for tool, err := range b.session.Tools(t.Context(), nil) {
		must(t, err)
		b.outputs[tool.Name] = compiled(t, tool.OutputSchema)
		compiled(t, tool.InputSchema)
	}
	return b
}

// compiled is a schema as a validator of others has it.
func compiled(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(schema)
	must(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	must(t, c.AddResource("mem:s", doc))
	out, err := c.Compile("mem:s")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

// said is an answer, as far as the tests read it.
type said struct {
	Error   string `json:"error"`
	Run     string `json:"run"`
	State   string `json:"current_state"`
	Status  string `json:"status"`
	Outcome string `json:"outcome"`
	Seq     int64  `json:"seq"`
	Summary string `json:"summary"`
	Note    string `json:"note"`
	Next    []struct {
		Event, Doc string
		Schema     map[string]any
	} `json:"next_allowed_actions"`
	Open []struct {
		Activity string
		Events   []struct{ Event string }
	} `json:"open_activities"`
	Commands []string        `json:"commands"`
	Params   json.RawMessage `json:"params"`
	Data     json.RawMessage `json:"data"`
	Returns  json.RawMessage `json:"returns"`
	Recent   []struct {
		Seq                          int64
		Input, To, Actor, Reason, At string
	} `json:"recent_events"`
	Repeated bool `json:"repeated"`
}

func (s *said) events() (names []string) {
	for _, e := range s.Next {
		names = append(names, e.Event)
	}
	return names
}

// raw calls a tool with arguments as JSON, and holds the answer against its schema.
func (b *bench) raw(tool, args string) (*sdk.CallToolResult, json.RawMessage) {
	b.t.Helper()
	r, err := b.session.CallTool(b.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		b.t.Fatalf("%s %.200s: %v", tool, args, err)
	}
	text, err := json.Marshal(r.StructuredContent)
	must(b.t, err)
	last, _ := r.Content[len(r.Content)-1].(*sdk.TextContent)
	var spoken any
	if err := json.Unmarshal([]byte(last.Text), &spoken); err != nil {
		b.t.Fatalf("%s: its text is no JSON: %v", tool, err)
	}
	if diff := cmp.Diff(r.StructuredContent, spoken); diff != "" {
		b.t.Errorf("%s: content and text differ:\n%s", tool, diff)
	}
	if !r.IsError {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		must(b.t, err)
		if err := b.outputs[tool].Validate(value); err != nil {
			b.t.Errorf("%s: %v in %s", tool, err, text)
		}
	}
	return r, text
}

// takes calls a tool that answers.
func (b *bench) takes(tool, args string) said {
	b.t.Helper()
	r, text := b.raw(tool, args)
	if r.IsError {
		b.t.Fatalf("%s %.200s: %s", tool, args, text)
	}
	return decoded[said](b.t, text)
}

// refuses calls a tool that does not, and whose words have why in them.
func (b *bench) refuses(tool, args, why string) said {
	b.t.Helper()
	r, text := b.raw(tool, args)
	if !r.IsError {
		b.t.Fatalf("%s %.200s: it answered %s", tool, args, text)
	}
	words := r.Content[0].(*sdk.TextContent).Text
	s := decoded[said](b.t, text)
	if !strings.Contains(words, why) || s.Error != words {
		b.t.Errorf("%s %.200s: got %q, and as error %q, want %q", tool, args, words, s.Error, why)
	}
	return s
}

func decoded[T any](t *testing.T, text json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// json is an answer.
func (b *bench) json(tool, args string) json.RawMessage {
	b.t.Helper()
	r, text := b.raw(tool, args)
	if r.IsError {
		b.t.Fatalf("%s %s: %s", tool, args, text)
	}
	return text
}

// started is what starts a run of it.
const started = `{"machine": "Purchase", "id": "p1", "params": {"item": "lamp", "most": 100}}`
