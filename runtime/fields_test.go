package runtime_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

type innerFields struct {
	Waits []time.Duration `json:"waits"`
	At    time.Time       `json:"at"`
}

type outerFields struct {
	Wait   time.Duration                    `json:"wait"`
	Inner  innerFields                      `json:"inner"`
	Ptr    *innerFields                     `json:"ptr,omitempty"`
	Maybe  runtime.Optional[time.Duration]  `json:"maybe,omitzero"`
	Lists  [][]time.Time                    `json:"lists"`
	Any    json.RawMessage                  `json:"any"`
	ByName map[string]time.Duration         `json:"by_name,omitempty"`
	Number int64                            `json:"number,omitempty"`
	Hidden string                           `json:"-"`
	Level  runtime.Outcome                  `json:"level"`
	Some   runtime.Optional[[]machine.Cost] `json:"some,omitzero"`
}

func TestFields(t *testing.T) {
	at := time.Date(2024, 5, 6, 9, 8, 9, 123456789, time.FixedZone("east", 7200))
	cut := time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)
	v := outerFields{
		Wait: 90 * time.Second, Inner: innerFields{At: at}, Maybe: runtime.Optional[time.Duration]{Value: time.Minute, Set: true},
		Lists: [][]time.Time{{at}, nil}, Any: json.RawMessage(`{"a":"<&>","b":1.50}`), Hidden: "x", Level: runtime.Success,
	}
	text, err := runtime.EncodeFields(&v)
	want := `{"wait":"1m30s","inner":{"waits":[],"at":"2024-05-06T07:08:09.123456Z"},"maybe":"1m0s",` +
		`"lists":[["2024-05-06T07:08:09.123456Z"],[]],"any":{"a":"<&>","b":1.50},"level":"success"}`
	if err != nil || string(text) != want {
		t.Fatalf("%v\n%s\nwant\n%s", err, text, want)
	}
	var back outerFields
	must(t, runtime.DecodeFields(text, &back))
	v.Inner, v.Lists, v.Hidden = innerFields{Waits: []time.Duration{}, At: cut}, [][]time.Time{{cut}, {}}, ""
	if !reflect.DeepEqual(back, v) {
		t.Errorf("read back\n%+v\nwant\n%+v", back, v)
	}
}

// TestFieldsBehind: what stands behind pointers and in maps is read as it is written.
func TestFieldsBehind(t *testing.T) {
	at := time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)
	v := outerFields{
		Inner: innerFields{Waits: []time.Duration{}}, Lists: [][]time.Time{}, Any: json.RawMessage("null"),
		Ptr:    &innerFields{Waits: []time.Duration{time.Second}, At: at},
		ByName: map[string]time.Duration{"short": time.Millisecond, "long": time.Hour},
	}
	text, err := runtime.EncodeFields(&v)
	if err != nil || !strings.Contains(string(text), `"by_name":{"long":"1h0m0s","short":"1ms"}`) {
		t.Fatalf("%v\n%s", err, text)
	}
	var back outerFields
	if err := runtime.DecodeFields(text, &back); err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("%v: read back\n%+v\nwant\n%+v", err, back, v)
	}
	if err := runtime.DecodeFields(json.RawMessage(`{"ptr":null,"by_name":null}`), &back); err != nil || back.Ptr != nil || back.ByName != nil {
		t.Errorf("%v: of null\n%+v", err, back)
	}
	if err := runtime.DecodeFields(json.RawMessage(`{"by_name":{"long":"soon"}}`), &back); err == nil {
		t.Error("a word is read as a duration")
	}
}

// embeds and quoted are structs that encoding/json alone understands.
type embeds struct {
	innerFields
	Number int64 `json:"number,string"`
}

type viaMethod struct{ n int }

func (v *viaMethod) MarshalJSON() ([]byte, error) { return json.Marshal(v.n) }

type circle struct{ Next *circle }

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("no") }

// TestFieldsOfOthers gives values that are not of a machine.
func TestFieldsOfOthers(t *testing.T) {
	round := &circle{}
	round.Next = round
	for name, c := range map[string]struct {
		v    any
		want string // or a part of the error
	}{
		"nil":                 {nil, "null"},
		"a nil map":           {map[string]int(nil), "null"},
		"a map":               {map[string]any{"b": time.Second, "a": []int(nil)}, `{"a":[],"b":"1s"}`},
		"bytes":               {[]byte("hi"), `"aGk="`},
		"an embedded struct":  {embeds{Number: 7}, `{"waits":null,"at":"0001-01-01T00:00:00Z","number":"7"}`},
		"a pointer's method":  {&struct{ V viaMethod }{viaMethod{3}}, `{"V":3}`},
		"a value with no end": {round, "has no end"},
		"a panic":             {panics{}, "no"},
		"a channel":           {struct{ C chan int }{}, "chan int"},
	} {
		text, err := runtime.EncodeFields(c.v)
		if err == nil && string(text) != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s, %v; want %s", name, text, err, c.want)
		}
	}
	var out struct {
		Wait time.Duration `json:"wait"`
		At   time.Time     `json:"at"`
	}
	for text, want := range map[string]string{
		`{"wait":5}`:      `field "wait": `,
		`{"wait":"soon"}`: `field "wait": `,
		`{"at":"noon"}`:   `field "at": `,
		`[]`:              "cannot unmarshal",
		`{}x`:             "invalid character",
	} {
		if err := runtime.DecodeFields(json.RawMessage(text), &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := runtime.DecodeFields(json.RawMessage(`{}`), out); err == nil {
		t.Error("read into a value that is no pointer")
	}
}

// TestActivityOf calls methods by their types.
func TestActivityOf(t *testing.T) {
	call := runtime.ActivityOf(func(_ any, a *runtime.Attempt, wait time.Duration, names []string) error {
		if wait != time.Minute || len(names) != 1 || a.Number != 3 {
			return errors.New("wrong arguments")
		}
		return runtime.Fail("slow", "as it should")
	}, "wait", "names")
	attempt := &runtime.Attempt{Number: 3, Args: json.RawMessage(`{"wait":"1m0s","names":["a"],"more":1}`)}
	var failure *runtime.Failure
	if _, err := call(t.Context(), attempt); !errors.As(err, &failure) || failure.Category != "slow" {
		t.Error(err)
	}
	attempt.Args = json.RawMessage(`{"wait":60}`)
	if _, err := call(t.Context(), attempt); err == nil || !strings.Contains(err.Error(), `argument "wait": `) {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a method of other arguments was accepted")
		}
	}()
	runtime.GuardOf(func(int64) (bool, error) { return true, nil })
}
