package machine

import (
	"strings"
	"testing"
)

// TestCauses: each code has a text, made of its arguments, and is read as it was written.
func TestCauses(t *testing.T) {
	for code, text := range causeTexts {
		c := &Cause{Code: code, Place: Place{"arm", "A#0"}, Said: "so"}
		for range strings.Count(text, "%") {
			c.Args = append(c.Args, "x")
		}
		if err := c.check(); err != nil || strings.Contains(c.String(), "%!") {
			t.Errorf("%s: %s, %v", code, c, err)
		}
		o := (&object{}).open()
		encodeCause(o, c)
		var back *Cause
		sc := &scanner{data: o.close(), stored: true}
		if err := sc.object(func(key string) error { return causeMember(sc, &back, key) }); err != nil {
			t.Fatal(err)
		}
		again := (&object{}).open()
		if encodeCause(again, back); string(again.close()) != string(o.close()) {
			t.Errorf("%s is read as %s", o.b, again.b)
		}
		c.Args = append(c.Args, "y")
		if c.check() == nil {
			t.Errorf("%s takes an argument too many", code)
		}
	}
	for _, c := range []Cause{{Code: "other"}, {Args: []string{"x"}}, {Code: MovedOn, Place: Place{"room", "A"}}} {
		if c.check() == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
