package machine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

const pageFields = "items []string, next string?, tags []string?, body json?, limit int 0..9?"

// pageMachine goes through pages: what it is given may be absent, and so may what it
// publishes.
func pageMachine(t testing.TB, params string) *machine.Machine {
	return Build(t,
		WithParams(params), WithFields("cursor string, body json, n int 0..9 = 3"),
		WithEvent("Page", pageFields), WithEvent("Got", "next string?, body json?, n int 0..3?, from string?"), WithEvent("Listed", ""),
		WithGuard("ok", "x string?"),
		WithActivity("list", "cursor string?, body json?", "Listed", ""),
		WithState("A",
			On("Page",
				Stay(When(`set(event.limit) && event.limit > 5`), Set("n", "event.limit")),
				GoTo("B", When(`!ok(maybe(event.next)) || event.next == ""`), Set("cursor", "maybe(event.next)"), Set("body", "maybe(event.body)"),
					Publishing("Got", "maybe(event.next)", "maybe(event.body)", "maybe(event.limit)", "maybe(from)")))),
		WithState("B", Doing("list", []string{"maybe(cursor)", "maybe(body)"}), On("Listed", GoTo("D"))),
		WithTerminal("D", machine.Success))
}

func TestAbsentFields(t *testing.T) {
	m := pageMachine(t, "from string?")
	never := func(int, []machine.Value) (bool, error) { return false, nil }
	for _, c := range []struct{ params, page, data, message, args, fault string }{
		{`{}`, `{"items":[]}`, `{"n":3}`, `{}`, `{}`, ""},
		{`{"from":null}`, `{"items":[],"next":null,"tags":null,"body":null,"limit":null}`, `{"n":3}`, `{}`, `{}`, ""},
		{`{"from":""}`, `{"items":[],"next":"","tags":[],"body":{}}`, `{"cursor":"","body":{},"n":3}`, `{"next":"","body":{},"from":""}`, `{"cursor":"","body":{}}`, ""},
		{`{"from":"x"}`, `{"items":[],"next":"c","body":[null]}`, `{"cursor":"c","body":[null],"n":3}`, `{"next":"c","body":[null],"from":"x"}`, `{"cursor":"c","body":[null]}`, ""},
		{`{}`, `{"items":[],"limit":6}`, `{"n":6}`, "", "", ""},
		{`{}`, `{"items":[],"limit":4}`, "", "", "", `"n"`},
		{`{}`, `{"items":null}`, "", "", "", `field "items"`},
		{`{}`, `{"items":[],"next":3}`, "", "", "", `field "next": expected string, found a number`},
		{`{}`, `{"items":[],"limit":10}`, "", "", "", `field "limit": 10 is out of range`},
		{`{}`, `{"items":[],"next":nullx}`, "", "", "", "not valid JSON"},
		{`{"from":1}`, `{}`, "", "", "", `parameter "from": expected string`},
	} {
		s, commands, err := func() (*machine.Snapshot, []machine.Command, error) {
			params, err := m.DecodeParams(json.RawMessage(c.params))
			if err != nil {
				return nil, nil, err
			}
			s, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Data: params}, epoch, never)
			if err != nil {
				return nil, nil, err
			}
			data, err := m.DecodePayload(0, json.RawMessage(c.page))
			if err != nil {
				return nil, nil, err
			}
			s, commands, _, err := m.Step(s, machine.Input{Kind: machine.EventInput, Data: data}, epoch, never)
			return s, commands, err
		}()
		if c.fault != "" || err != nil {
			if err == nil || c.fault == "" || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s %s: %v, want %q", c.params, c.page, err, c.fault)
			}
			continue
		}
		if got := string(m.EncodeData(s)); got != c.data {
			t.Errorf("%s: data %s, want %s", c.page, got, c.data)
		}
		for _, x := range commands {
			switch x.Kind {
			case machine.SendOut:
				if got, err := m.EncodePayload(x.Event, x.Data); err != nil || string(got) != c.message {
					t.Errorf("%s: message %s, want %s (%v)", c.page, got, c.message, err)
				}
			case machine.StartTask:
				if got, err := m.TaskArgs(s, &x.Task, epoch, nil); err != nil || string(got) != c.args {
					t.Errorf("%s: arguments %s, want %s (%v)", c.page, got, c.args, err)
				}
			}
		}
		again, err := m.DecodeSnapshot(m.EncodeSnapshot(s))
		if err != nil || string(m.EncodeSnapshot(again)) != string(m.EncodeSnapshot(s)) {
			t.Errorf("%s: %v\n%s", c.page, err, m.EncodeSnapshot(s))
		}
	}
}

// What is absent cannot be read, but a guard may ask first.
func TestReadsOfWhatIsAbsent(t *testing.T) {
	m := pageMachine(t, "from string?")
	always := func(int, []machine.Value) (bool, error) { return true, nil }
	s, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Data: []machine.Value{machine.Unset}}, epoch, nil)
	must(t, err)
	data, err := m.DecodePayload(0, json.RawMessage(`{"items":[]}`))
	must(t, err)
	_, _, _, err = m.Step(s, machine.Input{Kind: machine.EventInput, Data: data}, epoch, always)
	if err == nil || !strings.Contains(err.Error(), `the input has no field "next"`) {
		t.Error(err)
	}
}

func TestMigrateOptionalParams(t *testing.T) {
	begun := func(m *machine.Machine, params string) *machine.Snapshot {
		data, err := m.DecodeParams(json.RawMessage(params))
		must(t, err)
		s, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Data: data}, epoch, nil)
		must(t, err)
		return s
	}
	required, optional, more := "from string", "from string?", "from string?, to string?, note json?"
	for _, c := range []struct{ from, params, to, mapping, want, fault string }{
		{required, `{"from":"x"}`, optional, `{}`, `{"from":"x"}`, ""},
		{optional, `{"from":"x"}`, required, `{}`, `{"from":"x"}`, ""},
		{optional, `{}`, required, `{}`, "", `parameter "from" is absent, and may not be any more; the mapping can set it`},
		{optional, `{}`, required, `{"set":{"from":"y"}}`, `{"from":"y"}`, ""},
		{optional, `{"from":"x"}`, optional, `{"set":{"from":null}}`, `{}`, ""},
		{optional, `{}`, more, `{}`, `{}`, ""},
		{required, `{"from":"x"}`, more, `{"set":{"to":"y","note":null}}`, `{"from":"x","to":"y"}`, ""},
		{more, `{"from":"x","to":"y"}`, "from string?, to int?", `{}`, "", `"to"`},
	} {
		old, m := pageMachine(t, c.from), pageMachine(t, c.to)
		p, err := machine.DecodeMapping([]byte(c.mapping))
		must(t, err)
		migrated, err := m.Migrated(old, begun(old, c.params), &p, epoch, nil)
		switch {
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)), c.fault == "" && err != nil:
			t.Errorf("%s %s -> %s: %v, want %q", c.from, c.params, c.to, err, c.fault)
		case c.fault == "" && string(m.View(migrated).Params) != c.want:
			t.Errorf("%s %s -> %s: %s, want %s", c.from, c.params, c.to, m.View(migrated).Params, c.want)
		}
	}
}

func TestDefinitionsOfOptionalFieldsAreChecked(t *testing.T) {
	for i, c := range []struct {
		fault  string
		change func(*machine.Definition)
	}{
		{"cannot be declared to be absent", func(d *machine.Definition) { d.Fields[0].Optional = true }},
		{"may have no value where one is wanted", func(d *machine.Definition) { d.Events[1].Fields[0].Optional = false }},
		{"may have no value where one is wanted", func(d *machine.Definition) { d.Activities[0].Params[0].Optional = false }},
		{"may have no value where one is wanted", func(d *machine.Definition) { d.Guards[0].Params[0].Optional = false }},
		{"may have no value where one is wanted", func(d *machine.Definition) { d.Fields[0].Default = json.RawMessage(`""`) }},
		{"may have no value where one is wanted", func(d *machine.Definition) { d.Arms[0].Block.Assigns[0].Value.OrUnset = true }},
		{"may have no value where one is wanted", func(d *machine.Definition) { d.Arms[0].When.Args[1].Args[0].OrUnset = true }},
	} {
		d, err := machine.ParseDefinition(pageMachine(t, "from string?").Definition().Encode())
		must(t, err)
		c.change(d)
		if _, err := machine.Compile(d); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%d: %v, want %s", i, err, c.fault)
		}
	}
}
