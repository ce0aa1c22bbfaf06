package machine_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

const orderFields = "order.id string, order.to.city string, order.to.zip int 0..99, order.items []Item"

// recordMachine keeps an order, and adds to it.
func recordMachine(t testing.TB) *machine.Machine {
	return Build(t,
		WithRecord("Item", "name string, price int 0..100, from.city string"),
		WithParams("who.name string, who.age int 0..150"), WithFields(orderFields+`, last.n int 0..9 = 3, last.s string = "x"`),
		WithEvent("Placed", orderFields+", n int"), WithEvent("Added", "name string, price int"), WithEvent("Sent", ""), WithEvent("Out", "who.name string, items []Item"),
		WithActivity("ship", "n int, order.id string, order.to.city string", "Sent", ""),
		WithState("A",
			On("Placed", Stay(Set("order.id", "event.order.id"), Set("order.to.city", "event.order.to.city"), Set("order.to.zip", "event.order.to.zip"), Set("order.items", "event.order.items"))),
			On("Added", Stay(Set("order.items", "order.items + Item{event.name, event.price, who.name}")))),
		WithTerminal("D", machine.Success))
}

const goodRecord = `{"order":{"id":"a","to":{"city":"x","zip":3},"items":[{"name":"n","price":1,"from":{"city":"y"}}]},"n":1}`

// placed is a run that has an order.
func placed(t testing.TB, m *machine.Machine) *machine.Snapshot {
	t.Helper()
	params, err := m.DecodeParams(json.RawMessage(`{"who":{"age":30,"name":"eve"}}`))
	must(t, err)
	s, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Data: params}, epoch, nil)
	must(t, err)
	data, err := m.DecodePayload(0, json.RawMessage(goodRecord))
	must(t, err)
	if s, _, _, err = m.Step(s, machine.Input{Kind: machine.EventInput, Data: data}, epoch, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRecordsInJSON(t *testing.T) {
	m := recordMachine(t)
	s := placed(t, m)
	if got, want := string(m.EncodeData(s)), `{"order":{"id":"a","to":{"city":"x","zip":3},"items":[{"name":"n","price":1,"from":{"city":"y"}}]},"last":{"n":3,"s":"x"}}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := string(m.View(s).Params), `{"who":{"name":"eve","age":30}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	again, err := m.DecodeSnapshot(m.EncodeSnapshot(s))
	if err != nil || string(m.EncodeSnapshot(again)) != string(m.EncodeSnapshot(s)) {
		t.Errorf("%v\n%s", err, m.EncodeSnapshot(s))
	}
	fresh := m.NewSnapshot("r", 1)
	if got := string(m.EncodeData(fresh)); got != `{"last":{"n":3,"s":"x"}}` {
		t.Errorf("of a record that is not set: %s", got)
	}
}

func TestRecordsThatDoNotFit(t *testing.T) {
	m := recordMachine(t)
	in := func(old, with string) string { return strings.Replace(goodRecord, old, with, 1) }
	for _, c := range [][2]string{
		{`{"n":1}`, `field "order": it is missing, expected an object with id, to, items`},
		{in(`,"to":{"city":"x","zip":3}`, ""), `field "order.to": it is missing, expected an object with city, zip`},
		{in(`,"zip":3`, ""), `field "order.to.zip": it is missing, expected int 0..99`},
		{in(`"zip":3`, `"zip":100`), `field "order.to.zip": 100 is out of range, expected int 0..99`},
		{in(`"zip":3`, `"zip":3,"zap":1`), `field "order.to.zap": there is no such field (did you mean "zip"?)`},
		{in(`"zip":3`, `"zip":3,"zip":3`), `field "order.to.zip": it is given twice`},
		{in(`{"city":"x","zip":3}`, `null`), `field "order.to": expected an object with city, zip, found null`},
		{in(`{"city":"x","zip":3}`, `[]`), `field "order.to": expected an object with city, zip, found a list`},
		{in(`"to":`, `"to.city":"x","to":`), `field "order.to.city": there is no such field; expected id, to, items`},
		{in(`{"order":`, `{"order.id":"x","order":`), `field "order.id": there is no such field; expected order, n`},
		{in(`"price":1`, `"price":"1"`), `field "order.items[0].price": expected int 0..100, found a string`},
		{in(`"price":1`, `"price":101`), `field "order.items[0].price": 101 is out of range, expected int 0..100`},
		{in(`"price":1,`, ``), `field "order.items[0].price": it is missing, expected int 0..100`},
		{in(`"from":{"city":"y"}`, `"from":{}`), `field "order.items[0].from": it is missing, expected an object with city`},
		{in(`"from":{"city":"y"}`, `"from":{"city":"y"},"name":"m"`), `field "order.items[0].name": it is given twice`},
		{in(`{"city":"y"}}`, `{"city":"y"}},{"name":"n"}`), `field "order.items[1].price": it is missing, expected int 0..100`},
		{in(`[{"name"`, `[3,{"name"`), `field "order.items[0]": expected Item, an object with name, price, from, found a number`},
		{in(`"city":"y"`, `"city":"y","x":1`), `field "order.items[0].from.x": there is no such field; expected city`},
	} {
		if _, err := m.DecodePayload(0, json.RawMessage(c[0])); err == nil || err.Error() != c[1] {
			t.Errorf("%s:\n%v\nwant %s", c[0], err, c[1])
		}
	}
	m = Build(t, WithParams("who.name string, who.age int 0..150, note string, n int"), WithState("A"), WithTerminal("D", machine.Success))
	for given, want := range map[string]string{
		`{"who":{"name":"x"},"note":"y","n":1}`: `parameter "who.age": it is missing, expected int 0..150`,
		`{"who":{"name":"x"}}`:                  `parameter "who.age": it is missing, expected int 0..150; also missing: "note", "n"`,
		`{"n":1}`:                               `parameter "who": it is missing, expected an object with name, age; also missing: "note"`,
	} {
		if _, err := m.DecodeParams(json.RawMessage(given)); err == nil || err.Error() != want {
			t.Errorf("%s:\n%v\nwant %s", given, err, want)
		}
	}
}

// An item that does not fit cannot be added: the event is refused.
func TestItemsThatDoNotFit(t *testing.T) {
	m := recordMachine(t)
	s := placed(t, m)
	for price, want := range map[int64]string{100: "", 101: "price: 101 is out of range"} {
		in := machine.Input{Kind: machine.EventInput, Event: 1, Data: []machine.Value{machine.StringValue("new"), machine.IntValue(price)}}
		next, _, _, err := m.Step(s, in, epoch, nil)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("price %d: %v", price, err)
		case want == "" && !strings.Contains(string(m.EncodeData(next)), `{"name":"new","price":100,"from":{"city":"eve"}}`):
			t.Errorf("%s", m.EncodeData(next))
		}
	}
}

func TestSnapshotOfPartOfARecord(t *testing.T) {
	m := recordMachine(t)
	text := string(m.EncodeSnapshot(placed(t, m)))
	for _, part := range []string{`"id":"a",`, `"zip":3`, `"to":{"city":"x","zip":3},`} {
		cut := strings.Replace(strings.Replace(text, part, "", 1), `"x",}`, `"x"}`, 1)
		if _, err := m.DecodeSnapshot(json.RawMessage(cut)); err == nil || !strings.Contains(err.Error(), `is not set, and record "order" is`) {
			t.Errorf("without %s: %v", part, err)
		}
	}
}

func TestMigrateRecords(t *testing.T) {
	old := recordMachine(t)
	s := placed(t, old)
	next := func(fields string) *machine.Machine {
		return Build(t, WithRecord("Item", "name string, price int 0..100, from.city string"), WithParams("who.name string, who.age int 0..150"),
			WithFields(fields), WithEvent("E", ""), WithState("A", On("E", Stay())), WithTerminal("D", machine.Success))
	}
	last := `, last.n int 0..9 = 3, last.s string = "x"`
	for _, c := range []struct{ fields, mapping, data, fault string }{
		{orderFields + last, `{}`, `{"order":{"id":"a","to":{"city":"x","zip":3},"items":[{"name":"n","price":1,"from":{"city":"y"}}]},"last":{"n":3,"s":"x"}}`, ""},
		{"bought.id string, bought.to.city string, bought.to.zip int 0..99" + last, `{"fields":{"order":"bought","order.items":""}}`, `{"bought":{"id":"a","to":{"city":"x","zip":3}},"last":{"n":3,"s":"x"}}`, ""},
		{"order.id string, order.at.city string, order.at.zip int 0..99" + last, `{"fields":{"order.to":"order.at","order.items":""}}`, `{"order":{"id":"a","at":{"city":"x","zip":3}},"last":{"n":3,"s":"x"}}`, ""},
		{"order.id string" + last, `{}`, "", `there is no field "order.items" any more, and it is set`},
		{orderFields + ", order.note string" + last, `{}`, "", `field "order.note" is not set, and record "order" is; the mapping can set it`},
		{orderFields + ", order.note string?" + last, `{}`, `{"order":{"id":"a","to":{"city":"x","zip":3},"items":[{"name":"n","price":1,"from":{"city":"y"}}]},"last":{"n":3,"s":"x"}}`, ""},
		{"order.note string?, " + orderFields + last, `{"set":{"order.note":"n"}}`, `{"order":{"note":"n","id":"a","to":{"city":"x","zip":3},"items":[{"name":"n","price":1,"from":{"city":"y"}}]},"last":{"n":3,"s":"x"}}`, ""},
		{"order.note string?, order.n int" + last, `{"fields":{"order":""},"set":{"order.note":"n"}}`, "", `field "order.n" is not set, and record "order" is`},
		{"order.note string?, order.n int" + last, `{"fields":{"order":""}}`, `{"last":{"n":3,"s":"x"}}`, ""},
		{"order.id string, order.note string" + last, `{"fields":{"order.to":"","order.items":""},"set":{"order.note":"n"}}`, `{"order":{"id":"a","note":"n"},"last":{"n":3,"s":"x"}}`, ""},
		{"order.id string, order.note string" + last, `{"fields":{"order":""},"set":{"order":{"note":"n","id":"b"}}}`, `{"order":{"id":"b","note":"n"},"last":{"n":3,"s":"x"}}`, ""},
		{"order.id string, order.note string" + last, `{"fields":{"order":""},"set":{"order":{"note":"n"}}}`, "", `field "order.id": it is missing`},
		{"order.id string, order.note string" + last, `{"fields":{"order":""},"set":{"order":{"note":"n","id":"b"},"order.id":"c"}}`, "", `the mapping sets "order.id", and "order" as a whole`},
		{"order.id string, order.note string" + last, `{"fields":{"order":""},"set":{"order":{"note":"n","idd":"b"}}}`, "", `field "order.idd": there is no such field`},
	} {
		m := next(c.fields)
		p, err := machine.DecodeMapping([]byte(c.mapping))
		must(t, err)
		migrated, err := m.Migrated(old, s, &p, epoch, nil)
		switch {
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)), c.fault == "" && err != nil:
			t.Errorf("%s %s: %v, want %s", c.fields, c.mapping, err, c.fault)
		case c.fault == "" && string(m.EncodeData(migrated)) != c.data:
			t.Errorf("%s %s: %s, want %s", c.fields, c.mapping, m.EncodeData(migrated), c.data)
		}
	}
}

func TestDefinitionsOfRecordsAreChecked(t *testing.T) {
	item := func(d *machine.Definition) *machine.Type { return d.Fields[3].Type.Elem }
	for _, c := range []struct {
		fault  string
		change func(*machine.Definition)
	}{
		{"does not stand behind the others of its record", func(d *machine.Definition) { d.Fields[1], d.Fields[4] = d.Fields[4], d.Fields[1] }},
		{"does not stand behind the others of its record", func(d *machine.Definition) { d.Events[0].Fields[1].Name = "n.x" }},
		{"does not stand behind the others of its record", func(d *machine.Definition) { d.Fields[1].Name = "order.to" }},
		{"no valid name", func(d *machine.Definition) { d.Fields[1].Name = "order..x" }},
		{"is a record, and not its leaves", func(d *machine.Definition) { d.Events[0].Fields[0].Type = *item(d) }},
		{"has no fields", func(d *machine.Definition) { item(d).Fields = nil }},
		{"that are always there", func(d *machine.Definition) {
			for i := range item(d).Fields {
				item(d).Fields[i].Optional = true
			}
		}},
		{"may have no value where one is wanted", func(d *machine.Definition) { appended(d).Args[0].OrUnset = true }},
		{"no valid name", func(d *machine.Definition) { item(d).Name = "a b" }},
		{"there are two of field", func(d *machine.Definition) { item(d).Fields[0].Name = "price" }},
		{"a list has no type of its items", func(d *machine.Definition) { item(d).Fields[0].Type = machine.Type{Kind: machine.ListKind} }},
		{"there is no kind of type", func(d *machine.Definition) { item(d).Fields[0].Type = machine.Type{Kind: "x"} }},
		{"string has no fields", func(d *machine.Definition) { d.Fields[0].Type.Fields = item(d).Fields }},
		{"arguments for", func(d *machine.Definition) { r := appended(d); r.Args = r.Args[:2] }},
		{"is given a", func(d *machine.Definition) { r := appended(d); r.Args[1] = r.Args[0] }},
		{"is said to be of type", func(d *machine.Definition) { appended(d).Type = machine.Type{Kind: machine.String} }},
	} {
		d, err := machine.ParseDefinition(recordMachine(t).Definition().Encode())
		must(t, err)
		c.change(d)
		if _, err := machine.Compile(d); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%v, want %s", err, c.fault)
		}
	}
}

// appended is the record that the machine adds to a list.
func appended(d *machine.Definition) *machine.Expr {
	for _, a := range d.Arms {
		for _, assign := range a.Block.Assigns {
			if assign.Value.Op == "+" {
				return assign.Value.Args[1]
			}
		}
	}
	return nil
}

// TestPartsOfElementsAreChecked: an element that is a record has its leaves, for arguments and arms.
func TestPartsOfElementsAreChecked(t *testing.T) {
	for _, c := range []struct {
		name string
		kind machine.Kind
		want string // of what is wrong; empty for nothing
	}{
		{"item.name", machine.String, ""},
		{"item.from.city", machine.String, ""},
		{"item.price", machine.String, `"item.price"|is said to be of type string`},
		{"item.from", machine.String, `no "item.from"|no field "item.from"`},
		{"item.", machine.String, `no "item."|no field "item."`},
		{"index.name", machine.String, `no "index.name"|no field "index.name"`},
	} {
		d := Define(
			WithRecord("Item", "name string, price int 0..100, from.city string"),
			WithParams("all [0..3]Item"), WithFields("s string"), WithEvent("Sent", ""),
			WithActivity("ship", "s string", "Sent", ""),
			WithState("A", Doing("ship", []string{`"x"`}, "for all"), On("Sent", Stay(Set("s", `"x"`)))),
			WithTerminal("D", machine.Success))
		part := func(op string) *machine.Expr {
			return &machine.Expr{Op: op, Name: c.name, Type: machine.Type{Kind: c.kind}}
		}
		inArgs, inArm := *d, *d
		inArgs.Dos = []machine.Do{d.Dos[0]}
		inArgs.Dos[0].Args = []*machine.Expr{part("each")}
		inArm.Arms = []machine.Arm{d.Arms[0]}
		inArm.Arms[0].Block = &machine.Block{Assigns: []machine.Assign{{Field: 0, Value: part("event")}}}
		for _, d := range []*machine.Definition{&inArgs, &inArm} {
			_, err := machine.Compile(d)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !regexp.MustCompile(c.want).MatchString(err.Error())) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
	}
}
