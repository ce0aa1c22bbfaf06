package machine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// within declares what fields and parameters of these names are within.
func within(d *machine.Definition) *machine.Definition {
	for _, list := range [][]machine.Field{d.Params, d.Fields, d.Events[0].Fields} {
		for i := range list {
			for _, around := range withins[list[i].Name] {
				list[i].Optional, list[i].Within = true, append(list[i].Within, around)
			}
		}
	}
	return d
}

var withins = map[string][]string{
	"o.at.street": {"o.at"}, "o.at.zip": {"o.at"}, "o.at.geo.lat": {"o.at", "o.at.geo"}, "o.at.unit": {"o.at", "o.at.unit"},
	"p.street": {"p"}, "p.unit": {"p", "p.unit"},
}

const (
	placeFields = "o.id int, o.at.street string, o.at.geo.lat int, o.at.unit string"
	placeParam  = "p.street string, p.unit string"
)

// wholes keeps what it is sent in fields.
func wholes(t testing.TB, fields string) *machine.Machine {
	t.Helper()
	d := within(Define(
		WithParams(placeParam), WithFields(fields),
		WithEvent("Placed", placeFields),
		WithState("A", On("Placed", Stay(
			Set("o.id", "event.o.id"), Set("o.at.street", "maybe(event.o.at.street)"),
			Set("o.at.geo.lat", "maybe(event.o.at.geo.lat)"), Set("o.at.unit", "maybe(event.o.at.unit)")))),
		WithTerminal("D", machine.Success)))
	m, err := machine.Compile(d)
	must(t, err)
	return m
}

// kept is a run of m that has been sent data.
func kept(t testing.TB, m *machine.Machine, params, data string) *machine.Snapshot {
	t.Helper()
	values, err := m.DecodeParams(json.RawMessage(params))
	must(t, err)
	s, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Data: values}, epoch, nil)
	must(t, err)
	if values, err = m.DecodePayload(0, json.RawMessage(data)); err != nil {
		t.Fatal(err)
	}
	if s, _, _, err = m.Step(s, machine.Input{Kind: machine.EventInput, Data: values}, epoch, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWholesInSnapshots(t *testing.T) {
	m := wholes(t, placeFields)
	for _, data := range []string{
		`{"o":{"id":1}}`, `{"o":{"id":1,"at":{"street":"s"}}}`,
		`{"o":{"id":1,"at":{"street":"s","geo":{"lat":2},"unit":"u"}}}`,
	} {
		s := kept(t, m, `{"p":null}`, data)
		if got := string(m.EncodeData(s)); got != data {
			t.Errorf("%s, want %s", got, data)
		}
		again, err := m.DecodeSnapshot(m.EncodeSnapshot(s))
		if err != nil || string(m.EncodeData(again)) != data {
			t.Errorf("%s: read back: %v", data, err)
		}
	}
	whole := string(m.EncodeSnapshot(kept(t, m, `{}`, `{"o":{"id":1,"at":{"street":"s","geo":{"lat":2},"unit":"u"}}}`)))
	for part, why := range map[string]string{
		`"street":"s",`: `"o.at.street": it is missing`,
		`"lat":2`:       `"o.at.geo.lat": it is missing`,
		`"id":1,`:       `field "o.id" is not set, and record "o" is`,
	} {
		if _, err := m.DecodeSnapshot(json.RawMessage(strings.Replace(whole, part, "", 1))); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("without %s: %v, want %s", part, err, why)
		}
	}
}

func TestMigrateWholes(t *testing.T) {
	old := wholes(t, placeFields)
	to := wholes(t, "o.id int, o.at.street string, o.at.zip int, o.at.geo.lat int, o.at.unit string")
	const there = `{"o":{"id":1,"at":{"street":"s","geo":{"lat":2},"unit":"u"}}}`
	for _, c := range []struct{ data, mapping, want, fault string }{
		{`{"o":{"id":1}}`, `{}`, `{"o":{"id":1}}`, ""},
		{there, `{}`, "", `field "o.at.zip" is not set, and record "o.at" is`},
		{there, `{"set":{"o.at.zip":7}}`, `{"o":{"id":1,"at":{"street":"s","zip":7,"geo":{"lat":2},"unit":"u"}}}`, ""},
		{there, `{"set":{"o.at":null}}`, `{"o":{"id":1}}`, ""},
		{there, `{"set":{"o.at":{"street":"t","zip":8}}}`, `{"o":{"id":1,"at":{"street":"t","zip":8}}}`, ""},
		{there, `{"set":{"o.at.zip":7,"o.at.geo":null}}`, `{"o":{"id":1,"at":{"street":"s","zip":7,"unit":"u"}}}`, ""},
		{`{"o":{"id":1}}`, `{"set":{"o.at.zip":7}}`, "", `field "o.at.street" is not set, and record "o.at" is`},
		{there, `{"set":{"o.at":{"zip":8}}}`, "", `"o.at.street": it is missing`},
		{there, `{"set":{"o":null}}`, "", "null"},
	} {
		mapping, err := machine.DecodeMapping([]byte(c.mapping))
		must(t, err)
		s, err := to.Migrated(old, kept(t, old, `{"p":{"street":"p"}}`, c.data), &mapping, epoch, nil)
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s %s: %v, want %s", c.data, c.mapping, err, c.fault)
			}
		case err != nil:
			t.Errorf("%s %s: %v", c.data, c.mapping, err)
		case string(to.EncodeData(s)) != c.want:
			t.Errorf("%s %s: %s, want %s", c.data, c.mapping, to.EncodeData(s), c.want)
		}
	}
}

func TestDamagedWithin(t *testing.T) {
	for why, damage := range map[string]func(d *machine.Definition){
		"cannot be within":             func(d *machine.Definition) { d.Params[0].Within[0] = "q" },
		"for some of its leaves":       func(d *machine.Definition) { d.Params[0].Within = nil },
		"it cannot be within \"p\"":    func(d *machine.Definition) { d.Params[0].Optional = false },
		"it cannot be within \"o.at\"": func(d *machine.Definition) { d.Fields[2].Within = []string{"o.at", "o.at"} },
		"record \"o\" of context":      func(d *machine.Definition) { d.Fields[0].Optional, d.Fields[0].Within = true, []string{"o"} },
		"or for all":                   func(d *machine.Definition) { d.Fields[1].Within = append(d.Fields[1].Within, "o.at.street") },
	} {
		d := within(Define(WithParams(placeParam), WithFields(placeFields), WithEvent("E", ""), WithState("A"), WithTerminal("D", machine.Success)))
		damage(d)
		if _, err := machine.Compile(d); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
}
