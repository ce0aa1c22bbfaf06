package lang_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir/irtest"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// machines are all machines that this module has.
func machines(t testing.TB) []lang.Source {
	return langtest.Sources(t, "*/testdata/*.fsm", "*/testdata/*/*.fsm", "internal/*/testdata/*.fsm", "../check/rule/*/testdata/*.fsm")
}

func meaning(name string, src []byte) string {
	return irtest.Dump(lang.Load([]lang.Source{{Name: name, Src: src}}).Program)
}

// keepsMeaning checks that formatting src changes nothing but its layout. It is
// false for a text that has no canonical form.
func keepsMeaning(t *testing.T, name string, src []byte) bool {
	t.Helper()
	formatted, _ := lang.Format(name, src)
	if formatted == nil {
		return false
	}
	if diff := cmp.Diff(meaning(name, src), meaning(name, formatted)); diff != "" {
		t.Errorf("%s: formatting changes the meaning (-before +after):\n%s\nformatted:\n%s", name, diff, formatted)
	}
	return true
}

func TestFormatKeepsMeaning(t *testing.T) {
	formatted := 0
	for _, s := range machines(t) {
		if keepsMeaning(t, s.Name, s.Src) {
			formatted++
		}
	}
	if formatted < 5 {
		t.Errorf("only %d of the machines could be formatted", formatted)
	}
}

func FuzzFormatKeepsMeaning(f *testing.F) {
	for _, s := range machines(f) {
		f.Add(s.Src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		keepsMeaning(t, "fuzz.fsm", src)
	})
}
