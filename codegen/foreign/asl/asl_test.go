package asl

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign/foreigntest"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
)

func TestGolden(t *testing.T) { foreigntest.Golden(t, Source, "testdata/*.asl.*") }

func TestErrorsSayWhere(t *testing.T) {
	foreigntest.Refused(t, Source, map[string]string{
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
	})
}

func FuzzRead(f *testing.F) { foreigntest.Fuzz(f, Source, "testdata/*.asl.*", nil) }

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
