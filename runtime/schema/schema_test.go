package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// everything has an event with a field of each kind of type.
func everything(t *testing.T) *machine.Machine {
	return Build(t, Named("M"),
		WithEnum("Level", "low", "high"),
		WithRecord("Item", "sku string, price int 0..100, note string?"),
		WithParams("size int 1..9, tags []string, hint string?"),
		WithEvent("Go", "flag bool, n int, m int -5..5, f float, s string, d duration, r duration 0s..15m, "+
			"at time, l Level, j json, many [2..4]Level, order.id string, order.items [1..3]Item, order.deep.sku string, order.deep.price int 0..100, why string?"),
		WithEvent("Empty", ""),
		WithState("A", On("Go", GoTo("Done")), On("Empty", GoTo("Done"))),
		WithTerminal("Done", machine.Success))
}

func text(t *testing.T, s schema.Schema) string {
	t.Helper()
	b, err := json.MarshalIndent(s, "", " ")
	must(t, err)
	return string(b)
}

func TestParams(t *testing.T) {
	want := `{
 "type": "object",
 "properties": {
  "size": {
   "type": "integer",
   "minimum": 1,
   "maximum": 9
  },
  "tags": {
   "type": "array",
   "items": {
    "type": "string"
   }
  },
  "hint": {
   "type": "string"
  }
 },
 "required": [
  "size",
  "tags"
 ],
 "additionalProperties": false
}`
	if diff := cmp.Diff(want, text(t, schema.Params(everything(t).Definition()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEventWithoutFields(t *testing.T) {
	m := everything(t)
	e, _ := m.Event("Empty")
	if got, want := text(t, schema.Event(m.Definition(), e)), "{\n \"type\": \"object\",\n \"additionalProperties\": false\n}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDocs(t *testing.T) {
	d := &machine.Definition{}
	fields := []machine.Field{
		{Name: "n", Type: machine.Type{Kind: machine.Int}, Doc: "How many."},
		{Name: "d", Type: machine.Type{Kind: machine.DurationKind}, Doc: "How long."},
	}
	p := schema.Object(d, fields).Properties
	if p[0].Schema.Description != "How many." || p[1].Schema.Description != `How long. (duration, such as "1m30s")` {
		t.Errorf("got %q and %q", p[0].Schema.Description, p[1].Schema.Description)
	}
}

// compiled is a schema as a validator of others has it.
func compiled(t *testing.T, s schema.Schema) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text(t, s))))
	must(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	must(t, c.AddResource("mem:s", doc))
	out, err := c.Compile("mem:s")
	must(t, err)
	return out
}

func fits(t *testing.T, s *jsonschema.Schema, payload string) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(payload)))
	must(t, err)
	return s.Validate(value)
}

// TestTakenFits holds that every payload of a run fits the schema.
func TestTakenFits(t *testing.T) {
	m := everything(t)
	d := m.Definition()
	e, _ := m.Event("Go")
	s := compiled(t, schema.Event(d, e))
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		payload, err := m.EncodePayload(e, RandomValues(r, d, d.Events[e].Fields))
		must(t, err)
		if err := fits(t, s, string(payload)); err != nil {
			t.Fatalf("%s: %v", payload, err)
		}
	}
}

// TestMisfits holds that run and schema agree on what is wrong, where a schema can say it.
func TestMisfits(t *testing.T) {
	m := everything(t)
	e, _ := m.Event("Go")
	s := compiled(t, schema.Event(m.Definition(), e))
	item := map[string]any{"sku": "a", "price": 3}
	fitting := func() map[string]any {
		return map[string]any{"flag": true, "n": 1, "m": -5, "f": 1.5, "s": "", "d": "1.5h", "r": "15m", "at": "2026-01-02T03:04:05+02:00",
			"l": "low", "j": nil, "many": []any{"low", "high"}, "order": map[string]any{"id": "o", "items": []any{item}, "deep": item}}
	}
	for _, c := range []struct {
		field string
		value any // nil leaves it out
		taken bool
	}{
		{"s", "fits", true}, {"why", "fits", true}, {"d", "0", true}, {"d", "-1h2m", true}, {"d", "1µs", true},
		{"flag", nil, false}, {"flag", "yes", false}, {"n", "1", false}, {"n", 1.5, false}, {"m", 6, false}, {"m", -6, false},
		{"f", "1", false}, {"s", 1, false}, {"d", "1 hour", false}, {"d", "PT1H", false}, {"d", "", false}, {"d", 5, false},
		{"at", "yesterday", false}, {"l", "middle", false}, {"many", []any{"low"}, false}, {"many", []any{"low", "low", "low", "low", "low"}, false},
		{"many", []any{"low", "else"}, false}, {"order", map[string]any{"id": "o", "items": []any{item}}, false},
		{"order", map[string]any{"id": "o", "items": []any{}, "deep": item}, false}, {"order", nil, false}, {"else", 1, false}, {"why", 3, false},
	} {
		t.Run(fmt.Sprint(c.field, "=", c.value), func(t *testing.T) {
			object := fitting()
			if object[c.field] = c.value; c.value == nil {
				delete(object, c.field)
			}
			payload, _ := json.Marshal(object)
			_, runs := m.DecodePayload(e, payload)
			if fits := fits(t, s, string(payload)); (runs == nil) != c.taken || (fits == nil) != c.taken {
				t.Errorf("%s: the run says %v, the schema %v", payload, runs, fits)
			}
		})
	}
}
