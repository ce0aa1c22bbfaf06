package drawing

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name  string
		label Label
		want  []Line
	}{
		{"short parts share a line", Label{Trigger: "RateLimited", Bound: "max 5"},
			[]Line{{Text: "RateLimited max 5"}}},
		{"long parts get their own", Label{Trigger: "failed(transient, timeout)", Bound: "retry 3 backoff 1s..30s"},
			[]Line{{Text: "failed(transient, timeout)"}, {Text: "retry 3 backoff 1s..30s"}}},
		{"guards stand in brackets behind else", Label{Trigger: "done", Else: "else", Guard: "n < 3"},
			[]Line{{Text: "done else [n < 3]"}}},
		{"effects stand apart", Label{Trigger: "Loaded", Effects: []string{"diff", "n = n + 1"}},
			[]Line{{Text: "Loaded"}, {Text: "/ diff, n = n + 1", Aside: true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.label.Lines(28)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 40) + strings.Repeat("x", 100)
	lines := Wrap(long, 20, 3)
	if len(lines) != 3 || !strings.HasSuffix(lines[2], "…") {
		t.Errorf("want three lines and an ellipsis, got %q", lines)
	}
	if got := Wrap(strings.Repeat("é", 100), 20, 3); utf8.RuneCountInString(got[0]) != 30 {
		t.Errorf("a long word is not cut: %q", got)
	}
	if diff := cmp.Diff([]string{""}, Wrap(" ", 20, 3)); diff != "" {
		t.Error(diff)
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\r\nc":      "a b \nc",
		"\x00\x7f\u009f": "\uFFFD\uFFFD\uFFFD",
		"\xff":           "\uFFFD",
		"\u202e\u2066":   "\uFFFD\uFFFD",
		"👩‍👧 ❤️ e\u0301": "👩‍👧 ❤️ e\u0301",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}
