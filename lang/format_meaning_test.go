package lang_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir/irtest"
)

// machines are all machines that this module has, by file.
func machines(t testing.TB) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	for _, pattern := range []string{"*/testdata/*.fsm", "*/testdata/*/*.fsm", "internal/*/testdata/*.fsm", "../check/rule/*/testdata/*.fsm"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found[file] = src
		}
	}
	if len(found) < 10 {
		t.Fatalf("%d machines found: the test sees nothing", len(found))
	}
	return found
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
	for name, src := range machines(t) {
		if keepsMeaning(t, name, src) {
			formatted++
		}
	}
	if formatted < 5 {
		t.Errorf("only %d of the machines could be formatted", formatted)
	}
}

func FuzzFormatKeepsMeaning(f *testing.F) {
	for _, src := range machines(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		keepsMeaning(t, "fuzz.fsm", src)
	})
}
