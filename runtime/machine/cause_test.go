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
		members := func(to **Cause) func(*coder) {
			return func(c *coder) { c.object(func() { c.cause(to) }) }
		}
		var back *Cause
		text := encoded(nil, members(&c))
		if err := new(Machine).decode(text, members(&back)); err != nil {
			t.Fatal(err)
		}
		if again := encoded(nil, members(&back)); string(again) != string(text) {
			t.Errorf("%s is read as %s", text, again)
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
