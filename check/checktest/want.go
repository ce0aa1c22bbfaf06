package checktest

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/diag"
)

// want is one expectation.
type want struct {
	line    int
	rule    string
	message *regexp.Regexp
	met     bool
}

const marker = "// want "

// expectations reads the expectations in the comments of src.
func expectations(src string) ([]*want, error) {
	var list []*want
	for i, line := range strings.Split(src, "\n") {
		_, rest, found := strings.Cut(line, marker)
		for found && strings.TrimSpace(rest) != "" {
			rule, after, ok := strings.Cut(strings.TrimSpace(rest), " ")
			quoted, err := strconv.QuotedPrefix(strings.TrimSpace(after))
			if !ok || err != nil {
				return nil, fmt.Errorf("line %d: an expectation is a rule and a quoted regular expression, got %q", i+1, rest)
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			message, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			list = append(list, &want{line: i + 1, rule: rule, message: message})
			rest = strings.TrimSpace(after)[len(quoted):]
		}
	}
	return list, nil
}

// claim marks the first open expectation that d meets, and reports whether
// there is one.
func claim(wants []*want, d diag.Diagnostic) bool {
	for _, w := range wants {
		if !w.met && w.line == d.Span.Start.Line && w.rule == d.Rule && w.message.MatchString(d.Message) {
			w.met = true
			return true
		}
	}
	return false
}

// wantsIn are the expectations in file.
func wantsIn(t *testing.T, file string) []*want {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wants, err := expectations(string(src))
	if err != nil {
		t.Fatal(err)
	}
	return wants
}

// unmet reports the expectations of file that no finding has met.
func unmet(t *testing.T, file string, wants []*want) {
	for _, w := range wants {
		if !w.met {
			t.Errorf("%s:%d: no %s that matches %q", file, w.line, w.rule, w.message)
		}
	}
}
