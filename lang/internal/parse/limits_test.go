package parse

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/token"
)

func findings(src string) diag.List {
	_, list := File(token.NewFile("x.fsm", []byte(src)))
	return list
}

func TestUnreadable(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"NUL", "machine M {\n\x00}", `x.fsm:2:1 a NUL byte`},
		{"UTF-8", "machine M {\n // \xff\n}", `x.fsm:2:5 text that is not valid UTF-8`},
		{"direction", "machine M {\n // \u202e\n}", `x.fsm:2:5 the character U+202E turns the direction of writing`},
		{"carriage return", "machine M {\r\n // a\rterminal B\n}", `x.fsm:2:6 a carriage return without a line feed`},
		{"carriage return in a string", "machine M { context { s string = \"a\rb\" } }", `x.fsm:1:36 a carriage return`},
		{"carriage return at the end", "\ufeffmachine M {\r", `x.fsm:1:12 a carriage return`},
		{"byte order mark", "\ufeff{}", `x.fsm:1:1 a JSON text`},
		{"size", strings.Repeat(" ", maxSize+1), `x.fsm:1:1 a file of 67108865 bytes`},
	} {
		t.Run(tc.name, func(t *testing.T) { wantOne(t, findings(tc.src), tc.want) })
	}
}

// TestByteOrderMark holds that no column counts it.
func TestByteOrderMark(t *testing.T) {
	wantOne(t, findings("\ufeffmachin M { }"), "x.fsm:1:1 ")
	wantOne(t, findings("\ufeffmachine M { terminal A; }"), "x.fsm:1:23 ")
}

func wantOne(t *testing.T, list diag.List, want string) {
	t.Helper()
	if len(list) != 1 {
		t.Fatalf("%d findings, want one: %v", len(list), list)
	}
	d := list[0]
	if got := d.Span.String() + " " + d.Message; d.Rule != "syntax" || d.Help == "" || !strings.HasPrefix(got, want) {
		t.Errorf("got %s [%s], want %s", got, d.Rule, want)
	}
}

// TestNesting nests each thing that can be nested as deep as allowed, one
// level more, and very much deeper.
func TestNesting(t *testing.T) {
	guard := func(open, x, shut string) func(int) string {
		return func(n int) string {
			return "machine M { on A when " + strings.Repeat(open, n) + x + strings.Repeat(shut, n) + " -> B }"
		}
	}
	for _, tc := range []struct {
		name    string
		allowed int // how deep
		source  func(int) string
	}{
		{"states", maxNesting - 1, func(n int) string {
			return "machine M {" + strings.Repeat("state S {", n) + strings.Repeat("}", n) + "}"
		}},
		{"parentheses", maxNesting - 1, guard("(", "a", ")")},
		{"not", maxNesting - 1, guard("!", "a", "")},
		{"minus", maxNesting - 2, guard("- ", "a", "")},
		{"calls", maxNesting - 1, guard("f(", "a", ")")},
		{"objects", maxNesting - 3, func(n int) string {
			return "machine M { on A { a = " + strings.Repeat(`{"k": `, n) + "1" + strings.Repeat("}", n) + "} }"
		}},
		{"lists", maxNesting - 2, func(n int) string {
			return "machine M { on A { a = " + strings.Repeat("[", n) + "1" + strings.Repeat("]", n) + "} }"
		}},
		{"keys", maxNesting - 1, func(n int) string {
			return "machine M { on A { a = event.b" + strings.Repeat(".k", n) + "} }"
		}},
		{"sums", maxNesting - 1, func(n int) string {
			return "machine M { on A { a = b" + strings.Repeat(" + b", n) + "} }"
		}},
		{"lists", maxNesting - 2, func(n int) string {
			return "machine M { context { a " + strings.Repeat("[]", n) + "int } }"
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if list := findings(tc.source(tc.allowed)); len(list) > 0 {
				t.Errorf("%d levels: %v", tc.allowed, list)
			}
			for _, n := range []int{maxNesting + 1, 200_000} {
				list := findings(tc.source(n))
				if len(list) != 1 || list[0].Message != "nesting deeper than 200 levels" {
					t.Errorf("%d levels: %v", n, list)
				}
			}
		})
	}
}

func TestComparisons(t *testing.T) {
	guard := func(n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf("a%d < b", i)
		}
		return "machine M { on A when " + strings.Join(parts, " && ") + " -> B }"
	}
	if list := findings(guard(maxComparisons)); len(list) > 0 {
		t.Errorf("%d comparisons: %v", maxComparisons, list)
	}
	wantOne(t, findings(guard(maxComparisons+1)), "x.fsm:1:23 an expression of more than 64 comparisons")
}

// TestManyFaults checks that a file of nothing but faults is done with in time
// that does not grow out of hand.
func TestManyFaults(t *testing.T) {
	for _, line := range []string{"on A ->\n", "}\n", "{\n", "sate S {\n", "context { a b c d }\n", "on A { a = }\n", "\"\n", "foo ( bar\n",
		"on A { a = {\"x\": [ }\n", "on A { a = {\"x\": {\n", "on A { a = [{}\n", "on A when {\"x\":\n"} {
		src := "machine M {\n" + strings.Repeat(line, 5000)
		if list := findings(src); len(list) == 0 {
			t.Errorf("no findings in lines of %q", line)
		}
	}
}

// TestParallel parses side by side; the race detector watches.
func TestParallel(t *testing.T) {
	f := token.NewFile("wide.fsm", wide(50))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if _, list := File(f); len(list) > 0 {
					t.Error(list)
				}
			}
		})
	}
	wg.Wait()
}
