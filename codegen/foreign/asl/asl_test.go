package asl

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/lang"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden reads each file of testdata and compares the machine with the .golden beside it,
// which has no errors of names and types.
func TestGolden(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.asl.*")
	if len(paths) == 0 {
		t.Fatal("there are no files")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		base, _, _ := strings.Cut(filepath.Base(path), ".")
		result, err := Source.Read(base, text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		resolves(t, path, result.Text)
		golden := "testdata/" + base + ".golden"
		if *update {
			if err := os.WriteFile(golden, result.Text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, _ := os.ReadFile(golden)
		if string(want) != string(result.Text) {
			t.Errorf("%s: the machine differs from %s (run with -update): %s", path, golden, result.Text)
		}
	}
}

func resolves(t *testing.T, name string, text []byte) {
	t.Helper()
	for _, d := range lang.Load([]lang.Source{{Name: name, Src: text}}).Diags {
		t.Errorf("%s: %s\n%s", name, d.Message, text)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "the text is empty",
		"{\"a\":\n 1,}":                     "line 2",
		"{\"StartAt\": \"A\"":               "line 1",
		"{\"StartAt\":\"A\",\"States\":{}}": "has no States",
		"{\"StartAt\":\"B\",\"States\":{\"A\":{\"Type\":\"Succeed\"}}}":                               `state "B" is not there`,
		"{\"StartAt\":\"A\",\"States\":{\n\"A\":{\"Type\":\"Sleep\"}}}":                               `line 2, column`,
		"{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Pass\",\"Next\":\"C\"}}}":                   `state "C" is not there`,
		"{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Choice\",\"Choices\":[{\"Next\":\"A\"}]}}}": "compares nothing",
		"[1, 2]":                          "there is no machine in it",
		strings.Repeat("[", 300):          "more than 100 levels",
		"a: &a [1]\nb: [*a, *a":           "this is not YAML",
		"\xff\xfe{":                       "not valid UTF-8",
		strings.Repeat(" ", 17<<20) + "1": "longer than 16 MiB",
	} {
		_, err := Source.Read("x", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// FuzzRead checks that every text is refused with an *foreign.Error, or gives a machine
// with no errors of names and types.
func FuzzRead(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.asl.*")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		result, err := Source.Read("fuzz", text)
		if err != nil {
			if _, ok := err.(*foreign.Error); !ok {
				t.Fatalf("%v\n%s", err, text)
			}
			return
		}
		resolves(t, "fuzz", result.Text)
	})
}

// TestRetriers looks at how failures of one Retrier are written that are caught in several places.
func TestRetriers(t *testing.T) {
	const text = `{"StartAt":"T","States":{
		"T":{"Type":"Task","Resource":"r","Retry":[{"ErrorEquals":["States.ALL"],"MaxAttempts":2}],
			"Catch":[{"ErrorEquals":["B"],"Next":"Two"},{"ErrorEquals":["States.ALL"],"Next":"One"}],"Next":"One"},
		"One":{"Type":"Task","Resource":"r","Catch":[{"ErrorEquals":["A"],"Next":"Two"}],"End":true},
		"Two":{"Type":"Fail","Error":"x"}}}`
	result, err := Source.Read("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := `on failed retry 2 backoff 1s..2s jitter 0 else when event.category == "b" -> Two { data = {"Error": event.category, "Cause": event.message} } else -> One {`
	if got := strings.Join(strings.Fields(string(result.Text)), " "); !strings.Contains(got, want) {
		t.Errorf("the machine does not have\n%s\n%s", want, result.Text)
	}
}
