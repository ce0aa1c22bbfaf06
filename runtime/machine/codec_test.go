package machine

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// There is one form of a float everywhere: that of encoding/json.
func TestFloatsAsEncodingJSONWritesThem(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), 1, 2.5, -0.1, 1e-6, 9.9e-7, 1e-7, -3e-9, 1e-10, 5e-324, 1e20, 1e21, 1.5e100, math.MaxFloat64} {
		want, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendFloat(nil, f); string(got) != string(want) {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestTimesByTheirLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	zone := time.FixedZone("", -9*60*60-30*60)
	for i := range 20_000 {
		at := time.UnixMicro(minTime + r.Int64N(maxTime-minTime+1))
		if i%2 == 0 { // of our times, and with digits that are cut off
			at = time.Unix(r.Int64N(1<<32), r.Int64N(1e9)).In(zone)
		}
		want := `"` + at.UTC().Format(timeLayout) + `"`
		if got := string(appendTime([]byte("x"), at)); got != "x"+want {
			t.Fatalf("%v is written as %s, not %s", at, got, want)
		}
	}
}

func TestTextsAreEscapedNoMoreThanNeeded(t *testing.T) {
	for r := rune(0); r < 0x300; r++ {
		text := "a" + string(r) + "z"
		encoded := string(appendText(nil, text))
		var read string
		if err := json.Unmarshal([]byte(encoded), &read); err != nil || read != text {
			t.Errorf("%q is written as %s: %v", text, encoded, err)
		}
		if escaped := r < ' ' || r == '"' || r == '\\'; escaped == (encoded == `"`+text+`"`) {
			t.Errorf("%q is written as %s", text, encoded)
		}
	}
}

func TestEncodedTextsShareNoMemory(t *testing.T) {
	short, long := StringValue("a"), StringValue(strings.Repeat("b", 1000))
	fields := []Field{{Name: "f", Type: Type{Kind: String}}}
	first := encodeFields(fields, []Value{short})
	encodeFields(fields, []Value{long})
	encodeFields(fields, []Value{StringValue("c")})
	if string(first) != `{"f":"a"}` {
		t.Errorf("%s was written over", first)
	}
}
