package machine_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestCleanTwice: what is stored is cleaned again by a replay, and must stay what it is.
func TestCleanTwice(t *testing.T) {
	for name, text := range map[string]string{
		"short":                "what it said",
		"long":                 strings.Repeat("x", machine.MaxMessage+1),
		"bad bytes":            strings.Repeat("\xffa", 40000),
		"a character at a cut": strings.Repeat("x", machine.MaxMessage-1) + "…",
		"bad bytes at a cut":   "x" + strings.Repeat("\xffa", 40000),
	} {
		clean := machine.CleanMessage(text)
		if again := machine.CleanMessage(clean); again != clean {
			t.Errorf("%s: %d bytes become %d", name, len(clean), len(again))
		}
		if len(clean) > machine.MaxMessage+2 || !utf8.ValidString(clean) {
			t.Errorf("%s: it has %d bytes, valid %t", name, len(clean), utf8.ValidString(clean))
		}
		if stderr := machine.CleanStderr(text); machine.CleanStderr(stderr) != stderr || len(stderr) > machine.MaxStderr {
			t.Errorf("%s: standard error has %d bytes", name, len(stderr))
		}
	}
}
