package process

import (
	"encoding/json"
	"testing"
)

// TestCosts: an amount is a number. What is none stays as it was said, for the history.
func TestCosts(t *testing.T) {
	for text, want := range map[string]string{
		`{"usd": 0.10}`:          `0.10`,
		`{"usd": "1"}`:           `"1"`,
		`{"usd": null}`:          `null`,
		`{"usd": 1, "usd": "2"}`: `1 and "2"`,
	} {
		var c costs
		if err := json.Unmarshal([]byte(text), &c); err != nil || string(c["usd"]) != want {
			t.Errorf("%s: %q, %v; want %q", text, c["usd"], err, want)
		}
	}
}
