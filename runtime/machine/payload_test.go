package machine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

const everyType = `b bool, i int, r int -3..3, f float, s string, d duration, w duration 0s..1m, t time, j json, c Color, l []int 0..9, m [][]string`

func payloadMachine(t testing.TB) *machine.Machine {
	return Build(t, WithParams("who string"), WithEnum("Color", "Red", "Green"), WithFields(everyType), WithEvent("E", everyType), WithEvent("Empty", ""),
		WithState("A", On("E", Stay(Set("s", "event.s"), Set("l", "event.l + 1"), Set("j", "event.j"), Set("t", "event.t + event.d"), Set("r", "event.i")))),
		WithTerminal("D", machine.Success))
}

const goodPayload = `{"b":true,"i":-9223372036854775808,"r":3,"f":-0.5,"s":"a\u0001\"\\\n ü😀","d":"1h30m0s","w":"1m0s","t":"2026-01-02T03:04:05.123456Z","j":{"z":[1.0,1e3,null],"a":" "},"c":"Green","l":[1,9],"m":[["x"],[]]}`

// change gives goodPayload with one field replaced, or left out where value is
// empty.
func change(field, value string) string {
	var members []string
	d := json.NewDecoder(strings.NewReader(goodPayload))
	_, _ = d.Token()
	for d.More() {
		key, _ := d.Token()
		var raw json.RawMessage
		_ = d.Decode(&raw)
		if key == field {
			raw = json.RawMessage(value)
		}
		if len(raw) > 0 {
			members = append(members, `"`+key.(string)+`":`+string(raw))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestPayloadRoundTrip(t *testing.T) {
	m := payloadMachine(t)
	values, err := m.DecodePayload(0, json.RawMessage(goodPayload))
	must(t, err)
	out, err := m.EncodePayload(0, values)
	if err != nil || string(out) != goodPayload {
		t.Errorf("%v\n%s\n%s", err, out, goodPayload)
	}
	for _, c := range [][3]string{
		{"t", `"2026-01-02T05:04:05.1234569+02:00"`, `"2026-01-02T03:04:05.123456Z"`},
		{"d", `"90m"`, `"1h30m0s"`},
		{"f", "5e-1", "0.5"}, {"f", "100", "100"}, {"f", "1e300", "1e+300"},
		{"s", `"\u00e9\ud83d\ude00\/"`, `"é😀/"`},
		{"j", " [ 1 , {\"a\" : \"\\u0041\"} ] ", `[1,{"a":"\u0041"}]`},
		{"j", "null", "null"},
		{"i", "-0", "0"},
	} {
		values, err := m.DecodePayload(0, json.RawMessage(change(c[0], c[1])))
		if err != nil {
			t.Error(err)
			continue
		}
		if out, err := m.EncodePayload(0, values); err != nil || string(out) != change(c[0], c[2]) {
			t.Errorf("%s: %v %s", c[1], err, out)
		}
	}
	for _, empty := range []string{"", "{}", " { } "} {
		if _, err := m.DecodePayload(1, json.RawMessage(empty)); err != nil {
			t.Error(err)
		}
	}
}

func TestPayloadErrors(t *testing.T) {
	m := payloadMachine(t)
	for _, c := range [][2]string{
		{"", `field "b": it is missing, expected bool`},
		{"[]", `expected an object, found a list`},
		{"null", `expected an object, found null`},
		{"{", `it is not valid JSON: expected the name of a field in double quotes, found nothing, at byte 1`},
		{`{by: 1}`, `it is not valid JSON: expected the name of a field in double quotes, found "by", at byte 1`},
		{goodPayload + "1", `it is not valid JSON: there is more behind the JSON value, at byte 206`},
		{change("b", ""), `field "b": it is missing, expected bool`},
		{change("c", ""), `field "c": it is missing, expected Color, one of Red, Green`},
		{change("b", "1"), `field "b": expected bool, found a number`},
		{change("b", "tru"), `field "b": expected bool, found "tru"`},
		{change("b", "nul"), `field "b": expected bool, found "nul"`},
		{change("i", "-x"), `field "i": expected int, found "-x"`},
		{change("i", "1.0"), `field "i": expected a whole number of 64 bits, found 1.0`},
		{change("i", "1e3"), `field "i": expected a whole number of 64 bits, found 1e3`},
		{change("i", "9223372036854775808"), `field "i": expected a whole number of 64 bits, found 9223372036854775808`},
		{change("i", `"1"`), `field "i": expected int, found a string`},
		{change("i", "null"), `field "i": expected int, found null`},
		{change("i", "01"), `it is not valid JSON: expected "," or "}", found a number, at byte 15`},
		{change("r", "4"), `field "r": 4 is out of range, expected int -3..3`},
		{change("f", "1e999"), `field "f": 1e999 is too large for a float`},
		{change("s", "\"\xff\""), `field "s": a string is not valid UTF-8`},
		{change("s", `"\ud800x"`), `field "s": half of a surrogate pair is missing`},
		{change("s", "\"\n\""), `field "s": a string holds a control character`},
		{change("d", "5"), `field "d": expected duration, such as "1m30s", found a number`},
		{change("d", `"5"`), `field "d": "5" is no duration, expected one such as "1m30s"`},
		{change("w", `"90s"`), `field "w": 1m30s is out of range, expected duration 0s..1m`},
		{change("t", `"yesterday"`), `field "t": "yesterday" is no time, expected one such as "2006-01-02T15:04:05Z"`},
		{change("i", "- 1"), `field "i": expected int, found "-"`},
		{change("t", `"0000-01-01T00:00:00Z"`), `field "t": a time lies in the years 1 to 9999`},
		{change("c", `"green"`), `field "c": "green" is not one of Red, Green (did you mean "Green"?)`},
		{change("l", "[1,2,10]"), `field "l[2]": 10 is out of range, expected int 0..9`},
		{change("m", `[[],["a",1]]`), `field "m[1][1]": expected string, found a number`},
		{change("l", "7"), `field "l": expected []int 0..9, found a number`},
		{change("j", "{]"), `field "j": expected a name in double quotes, found "]"`},
		{change("j", strings.Repeat("[", 300)), `field "j": it is nested deeper than 200`},
		{change("b", `true,"b":true`), `field "b": it is given twice`},
		{change("b", `true,"extra":1`), `field "extra": there is no such field; expected b, i, r, f, s, d, w, t, j, c, l, m`},
	} {
		_, err := m.DecodePayload(0, json.RawMessage(c[0]))
		var payload *machine.PayloadError
		if !errors.As(err, &payload) || err.Error() != c[1] {
			t.Errorf("%s\n got %v\nwant %s", c[0], err, c[1])
		}
	}
	if _, err := m.DecodePayload(1, json.RawMessage(`{"a":1}`)); err == nil || err.Error() != `field "a": there is no such field; none is expected` {
		t.Error(err)
	}
	if _, err := m.DecodePayload(7, nil); err == nil {
		t.Error("there is no event 7")
	}
	long := `{"s":"` + strings.Repeat("x", machine.MaxPayload) + `"}`
	if _, err := m.DecodePayload(0, json.RawMessage(long)); err == nil || !strings.Contains(err.Error(), "more than the 1048576") {
		t.Error(err)
	}
	near := Build(t, WithEvent("Limited", "retry_after duration"), WithState("A"), WithTerminal("D", machine.Success))
	if _, err := near.DecodePayload(0, json.RawMessage(`{"retry_afer":"1s"}`)); err == nil || err.Error() != `field "retry_afer": there is no such field (did you mean "retry_after"?)` {
		t.Error(err)
	}
}

func TestLimitsOfARun(t *testing.T) {
	m := Build(t, WithFields("s string = \"x\", a string, b string, c string, e string, l []string = []"), WithEvent("Double", ""), WithEvent("Keep", "s string"), WithEvent("Fill", "s string"), WithEvent("Add", ""),
		WithState("A", On("Double", Stay(Set("s", "s + s"))), On("Keep", Deferring()), On("Add", Stay(Set("l", "l + s"))),
			On("Fill", Stay(Set("a", "event.s"), Set("b", "event.s"), Set("c", "event.s"), Set("e", "event.s")))),
		WithTerminal("D", machine.Success))
	s, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput}, epoch, nil)
	must(t, err)
	send := func(name, text string) error {
		in := machine.Input{Kind: machine.EventInput, Event: eventOf(m, name)}
		if text != "" {
			in.Data = []machine.Value{machine.StringValue(text)}
		}
		next, _, _, err := m.Step(s, in, epoch, nil)
		if err == nil {
			s = next
		}
		return err
	}
	for range 20 {
		must(t, send("Double", ""))
	}
	for _, c := range [][3]string{
		{"Double", "", "a string would be longer than 1048576 bytes"},
		{"Add", "", "a list would be larger than 1048576 bytes"},
		{"Fill", strings.Repeat("y", machine.MaxPayload), "more than 4194304"},
		{"Keep", strings.Repeat("y", machine.MaxPayload+1), "it is longer than 1048576 bytes"},
	} {
		if err := send(c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	for i := range 4 {
		err := send("Keep", strings.Repeat("z", machine.MaxPayload))
		if (i < 3) != (err == nil) {
			t.Errorf("%d large events kept: %v", i+1, err)
		}
	}
	for range machine.MaxKept - 3 {
		must(t, send("Keep", "z"))
	}
	if err := send("Keep", "z"); err == nil || !strings.Contains(err.Error(), "1000 deferred events and no more") {
		t.Error(err)
	}
}

// TestStrictTimes: a time is as RFC 3339 writes it, and in nothing else that package time
// reads.
func TestStrictTimes(t *testing.T) {
	m := Build(t, WithEvent("E", "t time"), WithState("A"), WithTerminal("Done", machine.Success))
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{"2026-01-02T03:04:05Z", true},
		{"2026-01-02T03:04:05.5Z", true},
		{"2026-01-02T03:04:05.123456789Z", true},
		{"2026-01-02T03:04:05+23:59", true},
		{"2026-01-02T03:04:05-00:00", true},
		{"2024-02-29T00:00:00Z", true},
		{"2026-01-02T03:04:05,5Z", false},
		{"2026-01-02T3:04:05Z", false},
		{"2026-01-02T03:04:05.Z", false},
		{"2026-01-02T03:04:05+24:00", false},
		{"2026-01-02T03:04:05-12:60", false},
		{"2026-01-02T03:04:05+0100", false},
		{"2026-01-02T03:04:05+1:00", false},
		{"2026-01-02T03:04:05+01", false},
		{"2026-01-02T03:04:05", false},
		{"2026-01-02 03:04:05Z", false},
		{"2026-01-02t03:04:05z", false},
		{"2026-01-02T03:04Z", false},
		{"2026-01-02T24:00:00Z", false},
		{"2026-01-02T03:04:60Z", false},
		{"2026-02-29T00:00:00Z", false},
		{"2026-00-10T00:00:00Z", false},
		{"+2026-01-02T03:04:05Z", false},
		{"26-01-02T03:04:05Z", false},
		{" 2026-01-02T03:04:05Z", false},
		{"2026-01-02T03:04:05Z ", false},
		{"2026-01-02T03:04:05Z\\n", false},
		{"\\u0662026-01-02T03:04:05Z", false},
		{"", false},
	} {
		_, err := m.DecodePayload(0, json.RawMessage(`{"t":"`+c.text+`"}`))
		if (err == nil) != c.ok {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
