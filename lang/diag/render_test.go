package diag

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/lang/token"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The texts that the findings of these tests point into.
var (
	review = token.NewFile("review.fsm", []byte(`machine CodeReview(pr string) {
	failures { transient }
    event LlmTimeout

    state Idle {
        on StartReview -> Analyzing
    }
    state Analyzing {
	do analyze(diff)	timeout 2m
        on LlmTimeout when retries < 3 -> Analyzing {
            retries = retries + 1
        }
    }
}
`))
	unicodeText = token.NewFile("ünicode.fsm", []byte("\ton Straße(\"日本語 e\u0301 🙂\") -> Nirgendwo // \x1b[31m\n"))
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sources(name string) *token.File {
	for _, f := range []*token.File{review, unicodeText} {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// at is the span of the first place in f where text stands.
func at(t *testing.T, f *token.File, text string) token.Span {
	t.Helper()
	i := bytes.Index(f.Src, []byte(text))
	if i < 0 {
		t.Fatalf("%q is not in %s", text, f.Name)
	}
	return f.Span(i, i+len(text))
}

// findings holds one diagnostic of every kind that the renderers tell apart.
func findings(t *testing.T) List {
	return List{
		{
			Rule: "unbounded-loop", Severity: Error, Machine: "CodeReview",
			Span:    at(t, review, "on LlmTimeout when retries < 3 -> Analyzing {\n            retries = retries + 1\n        }"),
			Message: `"Analyzing" can be entered without end`,
			Help:    `Bound one edge of the loop with "max", or write "unbounded" where it is meant.`,
			Related: []Related{
				{Span: at(t, review, "LlmTimeout"), Message: "the event is declared here"},
				{Span: at(t, review, "analyze(diff)"), Message: "and raised here: 100%"},
			},
			Witness: &Witness{
				Params: map[string]any{"pr": "a<b>\x1b"},
				Values: map[string]any{"retries": 3, "diff": ""},
				Loop:   1,
				Path: []Step{
					{State: "Idle", Input: "StartReview", At: "0s"},
					{State: "Analyzing", Input: "LlmTimeout", At: "2m0s", Data: map[string]any{"after": "1s"}, Guards: map[string]bool{"is_big(diff)": true}},
					{State: "Analyzing", Input: "failed(timeout)", At: "4m0s"},
					{State: "Analyzing"},
				},
			},
		},
		{
			Rule: "overlapping-guards", Severity: Hint, Machine: "CodeReview",
			Span: at(t, review, "timeout 2m"), Message: "two guards overlap",
			Witness: &Witness{Loop: -1, Values: map[string]any{"retries": 3}},
		},
		{
			Rule: "syntax", Severity: Error,
			Span: review.Span(len(review.Src), len(review.Src)), Message: "the file ends too early",
			Help: "Close the block.",
		},
		{
			Rule: "unknown-name", Severity: Warning, Machine: "Ü",
			Span: at(t, unicodeText, "Nirgendwo"), Message: "no state is called \"Nirgendwo\"",
			Related: []Related{{Span: at(t, unicodeText, "日本語 e\u0301 🙂"), Message: "beside this"}},
			Fixes:   []Fix{{Message: `write "日本語"`, Edits: []Edit{{Span: at(t, unicodeText, "Nirgendwo"), Text: "日本語"}}}},
		},
		{
			Rule: "syntax", Severity: Error,
			Span: token.Span{Start: token.Pos{Filename: "gone, 1:2.fsm"}}, Message: "the file is not valid UTF-8",
		},
		{
			Rule: "syntax", Severity: Error,
			Span: token.Span{Start: token.Pos{Filename: "gone, 1:2.fsm"}}, Message: "the file is not valid UTF-8",
		},
		{
			Rule: "unbounded-loop", Severity: Error, Machine: "Batch", Span: at(t, review, "Idle"), Message: "runs that the run starts",
			Witness: &Witness{
				Loop: 1,
				Path: []Step{
					{State: "First", Input: "done", At: "0s"},
					{State: "Reviewing", Input: "r[0].Completed", At: "2m0s", Children: []Child{
						{Do: "r[0]", Machine: "CodeReview", Given: map[string]any{"file": "a"}, Terminal: "Completed", Run: &Witness{
							Loop: -1, Params: map[string]any{"file": "b"},
							Path: []Step{{State: "Idle", Input: "after 1m", At: "1m0s"}, {State: "Completed"}},
						}},
						{Do: "r[1]", Machine: "CodeReview", Ends: "unknown"},
						{Do: "r[2]", Machine: "CodeReview", Ends: "timeout"},
						{Do: "r[3]", Machine: "CodeReview", Ends: "cancelled"},
					}},
					{State: "Reviewing", Children: []Child{{Do: "r[4]", Machine: "CodeReview"}}},
				},
			},
		},
	}
}

func TestFold(t *testing.T) {
	for _, d := range findings(t) {
		d.Witness.Fold(false)
		var b bytes.Buffer
		if err := WriteText(&b, List{d}, nil, TextOptions{}); err != nil || strings.Contains(b.String(), "--after 1m-->") {
			t.Errorf("the run of a child is there, with %v:\n%s", err, b.String())
		}
	}
}

func TestRenderers(t *testing.T) {
	rules := []RuleInfo{
		{ID: "syntax", Summary: "The text cannot be read.", Severity: Error},
		{ID: "unbounded-loop", Summary: "A cycle has no bound.", HelpMarkdown: "# unbounded-loop\n\nA cycle\nhas no bound.\n\nMore.\n", Group: "Graph", Severity: Error},
		{ID: "overlapping-guards", Summary: "Two guards overlap.", Severity: Warning},
	}
	state := func(d *Diagnostic, name string) token.Span {
		if name == "Idle" {
			return at(t, review, name)
		}
		return token.Span{}
	}
	for _, tc := range []struct {
		golden string
		render func(*bytes.Buffer, List) error
	}{
		{"text.golden", func(b *bytes.Buffer, l List) error { return WriteText(b, l, sources, TextOptions{}) }},
		{"text_color.golden", func(b *bytes.Buffer, l List) error { return WriteText(b, l, sources, TextOptions{Color: true}) }},
		{"text_no_sources.golden", func(b *bytes.Buffer, l List) error { return WriteText(b, l, nil, TextOptions{}) }},
		{"json.golden", func(b *bytes.Buffer, l List) error {
			enc := json.NewEncoder(b)
			enc.SetIndent("", "  ")
			return enc.Encode(JSON(l))
		}},
		{"github.golden", func(b *bytes.Buffer, l List) error { return WriteGitHub(b, l) }},
		{"sarif.golden", func(b *bytes.Buffer, l List) error {
			return WriteSARIF(b, l, sources, SARIFOptions{"v0.1.0", rules, state})
		}},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			var b bytes.Buffer
			must(t, tc.render(&b, findings(t)))
			golden(t, tc.golden, b.Bytes())
		})
	}
}

func TestTextElidesLongPaths(t *testing.T) {
	path := make([]Step, 60)
	for i := range path {
		path[i] = Step{State: fmt.Sprintf("S%d", i), Input: "Next", At: fmt.Sprintf("%ds", i)}
	}
	path[59].Input = ""
	list := List{{
		Rule: "over-budget", Severity: Error, Machine: "CodeReview",
		Span: at(t, review, "CodeReview"), Message: "the worst case is over the budget",
		Witness: &Witness{Loop: 30, Path: path},
	}}
	var b bytes.Buffer
	must(t, WriteText(&b, list, sources, TextOptions{}))
	golden(t, "text_long_path.golden", b.Bytes())
}

// TestTextElidesElements: of rows that tell the same of several elements the first and the last are drawn, in and
// around a loop.
func TestTextElidesElements(t *testing.T) {
	var path []Step
	says := func(input string, of int, child string) {
		s := Step{State: "Working", Input: fmt.Sprintf(input, of), At: fmt.Sprintf("%ds", len(path))}
		if child != "" {
			s.Children = []Child{{Do: fmt.Sprintf("w[%d]", of), Machine: "Review", Terminal: child}}
		}
		path = append(path, s)
	}
	for i := range 5 {
		says("w[%d].Done", i, "Done")
	}
	for i := range 3 { // too few
		says("w[%d].Done", i, "Failed")
	}
	for i := range 9 { // the loop begins among them
		says("w[%d].failed(unknown)", i, "")
	}
	for i := range 30 {
		says("E%d", i, "")
	}
	path = append(path, Step{State: "Working"})
	list := List{{Rule: "unbounded-loop", Severity: Error, Message: "m", Witness: &Witness{Loop: 10, Path: path}}}
	var b bytes.Buffer
	must(t, WriteText(&b, list, nil, TextOptions{}))
	golden(t, "text_elements.golden", b.Bytes())
}

func TestTextOfAnEmptyPath(t *testing.T) {
	var b bytes.Buffer
	list := List{{Rule: "waits-forever", Severity: Warning, Message: "m", Witness: &Witness{Loop: -1, Path: []Step{{State: "Idle"}}}}}
	must(t, WriteText(&b, list, nil, TextOptions{}))
	want := "warning: m [waits-forever]\n  witness:\n    the run starts in Idle\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestJSONOfNothing(t *testing.T) {
	got, err := json.Marshal(JSON(nil))
	if err != nil || string(got) != "[]" {
		t.Errorf("JSON(nil) is %s, %v; want []", got, err)
	}
}

func TestSARIFOfNothing(t *testing.T) {
	var b bytes.Buffer
	must(t, WriteSARIF(&b, nil, nil, SARIFOptions{}))
	for _, want := range []string{`"results": []`, `"rules": []`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

func TestFingerprintIgnoresThePlace(t *testing.T) {
	d := findings(t)[0]
	moved := d
	moved.Span = at(t, review, "state Idle")
	if fingerprintOf(d) != fingerprintOf(moved) {
		t.Error("the fingerprint changes when the finding moves")
	}
	moved.Message += "!"
	if fingerprintOf(d) == fingerprintOf(moved) {
		t.Error("the fingerprint does not change with the message")
	}
}

func TestSummary(t *testing.T) {
	if got, want := Summary(findings(t)), "5 errors, 1 warning, 1 hint in 3 files"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Summary(findings(t)[:1]), "1 error in 1 file"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Summary(nil), "no findings"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestExcerptCutsLongLines(t *testing.T) {
	line := strings.Repeat("a日", 4000) + "FAULT" + strings.Repeat("é", 4000)
	f := token.NewFile("long.fsm", []byte(line))
	for _, text := range []string{"FAULT", "FAULT" + strings.Repeat("é", 4000)} {
		shown, carets := excerpt(f, at(t, f, text))
		if w := textWidth(shown); w > excerptWidth+2 {
			t.Errorf("%d columns are shown", w)
		}
		before, _, found := strings.Cut(shown, "FAULT")
		if !found || textWidth(before) != strings.Index(carets, "^") {
			t.Errorf("the carets do not stand below the fault:\n%s\n%s", shown, carets)
		}
		if len(carets) > textWidth(shown) {
			t.Errorf("the carets reach past the line:\n%s\n%s", shown, carets)
		}
	}
}

// broken is a writer that fails.
type broken struct{}

var errBroken = errors.New("broken pipe")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorsAreReturned(t *testing.T) {
	for name, err := range map[string]error{
		"text":   WriteText(broken{}, findings(t), sources, TextOptions{}),
		"github": WriteGitHub(broken{}, findings(t)),
		"sarif":  WriteSARIF(broken{}, findings(t), sources, SARIFOptions{}),
	} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: got %v, want %v", name, err, errBroken)
		}
	}
}

// TestFileNames holds that the name of a file, which may come from a stranger, does
// nothing to a terminal.
func TestFileNames(t *testing.T) {
	name := "a\x1b[31m\r\u202e.fsm"
	f := token.NewFile(name, []byte("x"))
	list := List{{Rule: "syntax", Severity: Error, Span: f.Span(0, 1), Message: "m", Help: "Check " + name + ".",
		Related: []Related{{Span: f.Span(0, 1), Message: "here"}}}}
	var out bytes.Buffer
	must(t, WriteText(&out, list, func(string) *token.File { return f }, TextOptions{}))
	if got := out.String(); strings.ContainsAny(got, "\x1b\r\u202e") || strings.Count(got, "a\ufffd[31m\ufffd\ufffd.fsm") != 3 {
		t.Errorf("%q", got)
	}
}
