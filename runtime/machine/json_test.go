package machine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// jsonExprs makes random expressions over everything that payloadMachine holds.
type jsonExprs struct {
	*rand.Rand
	d *machine.Definition
}

var jsonKind = machine.Type{Kind: machine.JSON}

// read is a field, or a field of the event.
func (r *jsonExprs) read(fits func(machine.Kind) bool) *machine.Expr {
	var list []*machine.Expr
	for i, f := range r.d.Fields {
		if fits(f.Type.Kind) {
			list = append(list, &machine.Expr{Op: "field", Type: f.Type, Index: i}, &machine.Expr{Op: "event", Type: f.Type, Name: f.Name})
		}
	}
	return list[r.IntN(len(list))]
}

func isJSON(k machine.Kind) bool { return k == machine.JSON }

// json is an expression of type json, any one of any type.
func (r *jsonExprs) json(depth int) *machine.Expr {
	if depth <= 0 {
		return r.read(isJSON)
	}
	out := &machine.Expr{Type: jsonKind}
	switch r.IntN(6) {
	case 0:
		out.Op = "object"
		for i := range r.IntN(4) {
			out.Keys = append(out.Keys, strings.Repeat("a\"\u2028", i))
			out.Args = append(out.Args, r.any(depth-1))
		}
	case 1:
		out.Op = "array"
		for range r.IntN(4) {
			out.Args = append(out.Args, r.any(depth-1))
		}
	case 2, 3:
		out.Op, out.Name = "key", []string{"a", "", "z", "a\"\u2028", "k"}[r.IntN(5)]
		out.Args = []*machine.Expr{r.json(depth - 1)}
	case 4:
		out.Op, out.Args = "+", []*machine.Expr{r.json(depth - 1), r.any(depth - 1)}
	default:
		return r.read(isJSON)
	}
	return out
}

func (r *jsonExprs) any(depth int) *machine.Expr {
	switch r.IntN(5) {
	case 0:
		return r.read(func(machine.Kind) bool { return true })
	case 1:
		x := r.read(func(k machine.Kind) bool {
			return k != machine.JSON && k != machine.String && k != machine.ListKind
		})
		return &machine.Expr{Op: "text", Type: machine.Type{Kind: machine.String}, Args: []*machine.Expr{x}}
	case 2:
		return r.fit(r.d.Fields[r.IntN(len(r.d.Fields))].Type, depth)
	}
	return r.json(depth)
}

// fit is a json as a value of type t.
func (r *jsonExprs) fit(t machine.Type, depth int) *machine.Expr {
	x := r.json(depth - 1)
	if isJSON(t.Kind) {
		return x
	}
	return &machine.Expr{Op: "fit", Type: t, Args: []*machine.Expr{x}}
}

// jsonMachine sets every field to a random expression of its type, each by an arm of
// its own, since one that cannot be computed stops the others.
func jsonMachine(t testing.TB, seed uint64) *machine.Machine {
	d := payloadMachine(t).Definition()
	r := &jsonExprs{rand.New(rand.NewPCG(seed, 5)), d}
	var assigns []machine.Assign
	for i, f := range d.Fields {
		if i == int(seed%uint64(len(d.Fields))) {
			assigns = append(assigns, machine.Assign{Field: i, Value: r.fit(f.Type, 1+r.IntN(5))})
		}
	}
	d.Arms[0].Block.Assigns = assigns
	again, err := machine.ParseDefinition(d.Encode())
	must(t, err)
	m, err := machine.Compile(again)
	must(t, err)
	return m
}

// goodRun is a run with goodPayload as its data.
func goodRun(t testing.TB, m *machine.Machine) *machine.Snapshot {
	r := begin(t, m, `{"who":"w"}`)
	values, err := m.DecodePayload(0, json.RawMessage(goodPayload))
	must(t, err)
	s := *r.s
	s.Data = values
	return &s
}

// FuzzJSON gives random json to random expressions. Each is refused, or makes what fits
// its field; the snapshot then reads back as it is.
func FuzzJSON(f *testing.F) {
	for i, text := range []string{
		`null`, `{}`, `[]`, `{"a":[1,2.50,"x",{"z":null}],"z":{"a":"}"}}`, `"a\\\"]"`, `{"a":{"a":{"a":[[]]}},"a":3}`,
		`[` + strings.Repeat("[", 198) + strings.Repeat("]", 198) + `]`, `{"\u0061":true,"k":-0.0e-7}`, `"\ud83d\ude00"`, `12345678901234567890123`,
	} {
		for seed := range uint64(24) {
			f.Add(text, seed*7+uint64(i))
		}
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		m := jsonMachine(t, seed)
		values, err := m.DecodePayload(0, json.RawMessage(change("j", text)))
		if err != nil {
			return
		}
		s := goodRun(t, m)
		for range 3 {
			next, _, _, err := m.Step(s, machine.Input{Kind: machine.EventInput, Event: 0, Data: values}, epoch, nil)
			if err != nil {
				if machine.CauseOf(err) == nil {
					t.Fatal(err)
				}
				return
			}
			encoded := m.EncodeSnapshot(next)
			again, err := m.DecodeSnapshot(encoded)
			if err != nil || !json.Valid(encoded) || string(m.EncodeSnapshot(again)) != string(encoded) {
				t.Fatalf("%v\n%s", err, encoded)
			}
			if _, err := m.EncodePayload(0, next.Data); err != nil {
				t.Fatalf("%v\n%s", err, encoded)
			}
			s = next
		}
	})
}

// TestJSONLimits reaches each limit, and one past it.
func TestJSONLimits(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	long := func(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }
	array := func(args ...*machine.Expr) *machine.Expr {
		return &machine.Expr{Op: "array", Type: jsonKind, Args: args}
	}
	object := func(x *machine.Expr) *machine.Expr {
		return &machine.Expr{Op: "object", Type: jsonKind, Keys: []string{"k"}, Args: []*machine.Expr{x}}
	}
	held := &machine.Expr{Op: "field", Type: jsonKind, Index: 0}
	empty := &machine.Expr{Op: "lit", Type: jsonKind, Value: json.RawMessage("[]")}
	appended := &machine.Expr{Op: "+", Type: jsonKind, Args: []*machine.Expr{empty, held}}
	for _, c := range []struct {
		name string
		expr *machine.Expr
		held string
		want machine.CauseCode
	}{
		{"deep list", array(held), nested(machine.MaxNesting - 1), ""},
		{"too deep list", array(held), nested(machine.MaxNesting), machine.JSONTooDeep},
		{"too deep object", object(held), nested(machine.MaxNesting), machine.JSONTooDeep},
		{"deep item", appended, nested(machine.MaxNesting - 1), ""},
		{"too deep item", appended, nested(machine.MaxNesting), machine.JSONTooDeep},
		{"brackets in a string", array(held), long(machine.MaxNesting * 3)[:1] + strings.Repeat("[", 500) + `"`, ""},
		{"long list", array(held), long(machine.MaxPayload - 2), ""},
		{"too long list", array(held), long(machine.MaxPayload - 1), machine.JSONTooLarge},
		{"too long object", object(held), long(machine.MaxPayload - 5), machine.JSONTooLarge},
		{"many long items", array(held, held, held), long(machine.MaxPayload / 2), machine.JSONTooLarge},
		{"long item", appended, long(machine.MaxPayload - 2), ""},
		{"too long item", appended, long(machine.MaxPayload - 1), machine.JSONTooLarge},
		{"no list", &machine.Expr{Op: "+", Type: jsonKind, Args: []*machine.Expr{held, held}}, `{"a":1}`, machine.NoJSONList},
		{"not so long", &machine.Expr{Op: "fit", Type: machine.Type{Kind: machine.Int}, Args: []*machine.Expr{held}}, `"x"`, machine.JSONMisfit},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Define(WithFields("j json, n int"), WithEvent("E", ""), WithState("A", On("E", Stay(Set("j", "j")))), WithTerminal("D", machine.Success))
			d.Arms[0].Block.Assigns[0].Value = c.expr
			if !isJSON(c.expr.Type.Kind) {
				d.Arms[0].Block.Assigns[0].Field = 1
			}
			m, err := machine.Compile(d)
			must(t, err)
			s := *begin(t, m, "").s
			s.Data = []machine.Value{machine.JSONValue(c.held), machine.Unset}
			_, _, _, err = m.Step(&s, machine.Input{Kind: machine.EventInput, Event: 0}, epoch, nil)
			got := machine.CauseCode("")
			if cause := machine.CauseOf(err); cause != nil {
				got = cause.Code
			}
			if got != c.want || c.want == "" && err != nil {
				t.Errorf("%q %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestDamagedJSON gives expressions what no store holds: it is an error and no panic.
func TestDamagedJSON(t *testing.T) {
	for _, text := range []string{"", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a" 1}`, `{"a`, `{"\`, `{,}`, `{]`, `[`, `]`, `"`, `{"a":"`, `{"\u12":1}`, `{:}`, `{a:1}`, `nul`, "{}}", `{"a":{]}`} {
		for seed := range uint64(60) {
			m := jsonMachine(t, seed)
			s := goodRun(t, m)
			values, _ := m.DecodePayload(0, json.RawMessage(goodPayload))
			for i := range values {
				if isJSON(m.Definition().Fields[i].Type.Kind) {
					s.Data[i], values[i] = machine.JSONValue(text), machine.JSONValue(text)
				}
			}
			_, _, _, _ = m.Step(s, machine.Input{Kind: machine.EventInput, Event: 0, Data: values}, epoch, nil)
		}
	}
}

// TestJSONDefinitions refuses definitions that no compiler writes.
func TestJSONDefinitions(t *testing.T) {
	lit := &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.Int}, Value: json.RawMessage("1")}
	held := &machine.Expr{Op: "field", Type: jsonKind, Index: 0}
	pair := machine.Type{Kind: machine.RecordKind, Name: "Pair", Fields: []machine.Field{{Name: "a", Type: jsonKind}}}
	for i, c := range []struct {
		expr *machine.Expr
		want string
	}{
		{&machine.Expr{Op: "object", Type: jsonKind, Keys: []string{"a"}}, "an object has 1 keys and 0 values"},
		{&machine.Expr{Op: "object", Type: jsonKind, Keys: []string{"a", "a"}, Args: []*machine.Expr{lit, lit}}, `key "a" of an object is damaged, or there twice`},
		{&machine.Expr{Op: "object", Type: jsonKind, Keys: []string{"\xff"}, Args: []*machine.Expr{lit}}, "damaged"},
		{&machine.Expr{Op: "object", Type: machine.Type{Kind: machine.String}}, `said to be of type string, and is of type json`},
		{&machine.Expr{Op: "array", Type: jsonKind, Args: []*machine.Expr{nil}}, "an expression is missing"},
		{&machine.Expr{Op: "key", Type: jsonKind, Name: "a", Args: []*machine.Expr{lit}}, `"key" takes one json`},
		{&machine.Expr{Op: "key", Type: jsonKind, Name: "a"}, `"key" takes one json`},
		{&machine.Expr{Op: "fit", Type: jsonKind, Args: []*machine.Expr{lit}}, `"fit" takes one json`},
		{&machine.Expr{Op: "leaf", Type: jsonKind, Name: "a", Args: []*machine.Expr{held}}, `"leaf" takes one record`},
		{&machine.Expr{Op: "leaf", Type: jsonKind, Name: "b", Args: []*machine.Expr{{Op: "fit", Type: pair, Args: []*machine.Expr{held}}}}, `record "Pair" has no leaf "b"`},
		{&machine.Expr{Op: "text", Type: machine.Type{Kind: machine.String}, Args: []*machine.Expr{held}}, `"text" does not take a json`},
		{&machine.Expr{Op: "text", Type: machine.Type{Kind: machine.String}}, `"text" takes one value`},
		{&machine.Expr{Op: "lit", Type: jsonKind, Value: json.RawMessage(`{"a":`)}, "a literal"},
		{&machine.Expr{Op: "-", Type: jsonKind, Args: []*machine.Expr{held, held}}, `"-" does not take a json and a json`},
	} {
		d := Define(WithFields("j json"), WithEvent("E", ""), WithState("A", On("E", Stay(Set("j", "j")))), WithTerminal("D", machine.Success))
		d.Arms[0].Block.Assigns[0].Value = c.expr
		if _, err := machine.Compile(d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: %v, want %s", i, err, c.want)
		}
	}
}

// TestJSONConstants: a definition that was written, which escapes more, means the same.
func TestJSONConstants(t *testing.T) {
	const plain, escaped = `{"a<":"<b>&\n` + "\u2028é" + `"}`, `{"a\u003c":"\u003cb\u003e\u0026\n\u2028\u00e9"}`
	for _, text := range []string{plain, escaped} {
		d := Define(WithFields(fmt.Sprintf("j json = %s", "null")), WithEvent("E", ""), WithState("A", On("E", GoTo("D"))), WithTerminal("D", machine.Success))
		d.Fields[0].Default = json.RawMessage(text)
		for range 2 {
			m, err := machine.Compile(d)
			must(t, err)
			if got := string(m.EncodeData(begin(t, m, "").s)); got != `{"j":`+plain+`}` {
				t.Errorf("%s", got)
			}
			if d, err = machine.ParseDefinition(d.Encode()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
