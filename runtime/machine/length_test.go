package machine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

func bagMachine(t testing.TB) *machine.Machine {
	return Build(t, WithParams("p [1..2]string"), WithFields("xs [0..2]int = [], ys []int = [], zs [2..3]int"),
		WithEvent("Add", "n int"), WithEvent("Take", "xs []int"), WithEvent("Few", "xs [0..2]int 0..9"), WithEvent("Nested", "l [0..1][2..2]string"),
		WithEvent("Out", "l [1..2]int"), WithEvent("Say", ""),
		WithState("A",
			On("Add", Stay(Set("xs", "xs + event.n"), Set("ys", "ys + event.n"))),
			On("Take", Stay(Set("zs", "event.xs"))),
			On("Few", Stay(Set("xs", "event.xs"))),
			On("Nested", Ignore()),
			On("Say", Stay(Publishing("Out", "xs"))),
			After("1h", GoTo("A", Set("xs", "ys")))),
		WithTerminal("D", machine.Success))
}

// TestLengths: a list outside its length does not fit, wherever it comes from.
func TestLengths(t *testing.T) {
	m := bagMachine(t)
	for params, want := range map[string]string{
		`{"p":[]}`:              `parameter "p": a list of length 0 is out of range, expected [1..2]string`,
		`{"p":["a","b","c"]}`:   `parameter "p": a list of length 3 is out of range, expected [1..2]string`,
		`{"p":["a","b","c",1]}`: `parameter "p[3]": expected string, found a number`,
		`{"p":7}`:               `parameter "p": expected [1..2]string, found a number`,
	} {
		if _, err := m.DecodeParams([]byte(params)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", params, err)
		}
	}
	for _, c := range [][2]string{
		{`Few {"xs":[1,2,3]}`, `field "xs": a list of length 3 is out of range, expected [0..2]int 0..9`},
		{`Few {"xs":[1,10]}`, `field "xs[1]": 10 is out of range, expected int 0..9`},
		{`Nested {"l":[["a"]]}`, `field "l[0]": a list of length 1 is out of range, expected [2..2]string`},
		{`Nested {"l":[["a","b"],["a","b"]]}`, `field "l": a list of length 2 is out of range, expected [0..1][2..2]string`},
	} {
		name, payload, _ := strings.Cut(c[0], " ")
		event := -1
		for i, e := range m.Definition().Events {
			if e.Name == name {
				event = i
			}
		}
		if _, err := m.DecodePayload(event, json.RawMessage(payload)); err == nil || err.Error() != c[1] {
			t.Errorf("%s: %v", c[0], err)
		}
	}

	r := begin(t, m, `{"p":["a"]}`)
	for _, c := range [][2]string{
		{`Take {"xs":[1]}`, `in arm "A#1": field "zs": a list of length 1 is out of range, expected [2..3]int`},
		{`Take {"xs":[1,2,3,4]}`, `in arm "A#1": field "zs": a list of length 4 is out of range, expected [2..3]int`},
		{`Say`, `in arm "A#4": field "l": a list of length 0 is out of range, expected [1..2]int`},
	} {
		if err := r.refused(c[0]); err.Why != c[1] || machine.CauseOf(err).Code != machine.OutOfRange {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	r.send(`Take {"xs":[1,2,3]}`)
	r.send(`Add {"n":5}`)
	r.send(`Add {"n":6}`)
	if err := r.refused(`Add {"n":7}`); err.Why != `in arm "A#0": field "xs": a list of length 3 is out of range, expected [0..2]int` {
		t.Error(err)
	}
	r.send(`Few {"xs":[]}`)
	r.send(`Add {"n":7}`)
	r.at("A", `{"xs":[7],"ys":[5,6,7],"zs":[1,2,3]}`)
	r.pass("1h")
	r.halted(`field "xs": a list of length 3 is out of range, expected [0..2]int`)
}

// TestLengthOfItems: an item behind a list that fits may itself be a list that does not.
func TestLengthOfItems(t *testing.T) {
	m := Build(t, WithFields("rows [0..2][0..1]int = [], row []int = []"), WithEvent("Row", ""), WithEvent("Add", "n int"),
		WithState("A", On("Row", Stay(Set("rows", "rows + row"))), On("Add", Stay(Set("row", "row + event.n")))),
		WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.send("Row")
	r.send(`Add {"n":1}`)
	r.send(`Add {"n":2}`)
	if err := r.refused("Row"); err.Why != `in arm "A#0": field "rows": item 1: a list of length 2 is out of range, expected [0..1]int` {
		t.Error(err)
	}
	r.at("A", `{"rows":[[]],"row":[1,2]}`)
}
