package editor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

var (
	ebnfWord = regexp.MustCompile(`"([a-z_]+)"`)
	word     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	plain    = regexp.MustCompile(`[A-Za-z_]+`)
	escaped  = regexp.MustCompile(`\\+[a-z]`)
)

// TestTextMateWords: the grammar of editors knows each word of the language's grammar.
func TestTextMateWords(t *testing.T) {
	grammar, err := os.ReadFile("textmate/fsm.tmLanguage.json")
	if err != nil {
		t.Fatal(err)
	}
	var whole any
	if err := json.Unmarshal(grammar, &whole); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	patterns(whole, func(pattern string) {
		for _, word := range plain.FindAllString(escaped.ReplaceAllString(pattern, " "), -1) {
			known[word] = true
		}
	})
	for _, word := range grammarWords(t) {
		if !known[word] {
			t.Errorf("textmate/fsm.tmLanguage.json knows nothing of the word %q", word)
		}
	}
}

// grammarWords are the words of the language.
func grammarWords(t *testing.T) (words []string) {
	t.Helper()
	ebnf, err := os.ReadFile("../docs/grammar.ebnf")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(ebnf)) {
		if strings.HasPrefix(line, "//") {
			continue
		}
		for _, m := range ebnfWord.FindAllStringSubmatch(line, -1) {
			words = append(words, m[1])
		}
	}
	if len(words) < 50 {
		t.Fatalf("the grammar has %d words: the test sees too little", len(words))
	}
	return words
}

// patterns calls visit for the expressions that are matched somewhere below a rule.
func patterns(rule any, visit func(string)) {
	switch rule := rule.(type) {
	case []any:
		for _, r := range rule {
			patterns(r, visit)
		}
	case map[string]any:
		for key, r := range rule {
			if text, is := r.(string); is && (key == "match" || key == "begin" || key == "end") {
				visit(text)
			}
			patterns(r, visit)
		}
	}
}

// piece is a part of a text and what an editor takes it for.
type piece struct {
	start, end int
	scope      string
}

func (k *piece) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&k.start, &k.end, &k.scope})
}

// tokens are those of texts, by the grammar of editors.
func tokens(t *testing.T, texts []string) [][]piece {
	t.Helper()
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]piece
	lines := bufio.NewScanner(bytes.NewReader(node(t, input, "textmate/tokens.js")))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var found []piece
		if err := json.Unmarshal(lines.Bytes(), &found); err != nil {
			t.Fatal(err)
		}
		all = append(all, found)
	}
	if len(all) != len(texts) {
		t.Fatalf("of %d texts came %d lists", len(texts), len(all))
	}
	return all
}

// puzzles are texts that call everything like a word of the language. Editors' expressions
// see less than the parser, and may take some of their names for words.
var puzzles = regexp.MustCompile(`(parse|format)/testdata/|/names\.`)

// TestTextMate splits all machines of the repository as editors do. Nothing is left
// without a scope; and what is a name and what a word is as the language's own front end
// says, which looks names up.
func TestTextMate(t *testing.T) {
	var texts []string
	all := sound(t)
	for _, m := range all {
		texts = append(texts, m.Text)
	}
	compared, wrong := 0, 0
	for i, found := range tokens(t, texts) {
		m := all[i]
		names := m.Names()
		for _, k := range found {
			text := m.Text[k.start:k.end]
			if k.scope == "source.fsm" || strings.Contains(k.scope, "invalid") {
				t.Errorf("%s: %q is %s", m.File.Pos(k.start), text, k.scope)
			}
			if !word.MatchString(text) || strings.HasPrefix(k.scope, "comment.") || strings.HasPrefix(k.scope, "string.") {
				continue
			}
			kind, named := names[k.start]
			compared++
			if kind != ir.BuiltInName && named != isName(k.scope) {
				wrong++
				if !puzzles.MatchString(m.Name) {
					t.Errorf("%s: %q is %s, and the language says %q", m.File.Pos(k.start), text, k.scope, kind)
				}
			}
		}
	}
	t.Logf("%d words and names, %d taken for the other", compared, wrong)
	if compared < 20_000 || wrong*200 > compared {
		t.Errorf("of %d words and names %d are taken for the other", compared, wrong)
	}
}

// scenario has every line that a scenario may have.
const scenario = `scenario "a rate limit" of Review(pr = "42", kind = Kind.small) {
    send Start { pr = "x", at = 3s } refused
    fetch -> Loaded { diff = "+ x" }
    fetch[2] fails timeout "slow"
    fetch[0] checkpoint
    fetch -> Loaded { diff = "+ x" } cost usd 0.5, tokens 2_000
    fetch fails timeout cost usd 1
    fetch checkpoint cost tokens 3
    fetch lost
    wait 1m
    cancel
    guard open = true
    repeat 5 { expect Awaiting wait 30s }
    expect Outer.Inner
    expect count == 3 && note is not set
    expect refused
    expect ended
    expect attempt 2 of fetch
    expect published Failed { pr = "42" }
    expect waiting fetch
}
// behind it
machine M { initial T terminal T }
`

// TestTextMateScenario: words of scenarios are words, and what stands behind one is a
// machine again.
func TestTextMateScenario(t *testing.T) {
	words, names := map[string]bool{}, map[string]bool{}
	for _, k := range tokens(t, []string{scenario})[0] {
		text := scenario[k.start:k.end]
		switch {
		case k.scope == "source.fsm":
			t.Errorf("%q has no scope", text)
		case !isName(k.scope):
			words[text] = true
		default:
			names[text] = true
		}
	}
	for _, want := range []string{"scenario", "of", "send", "refused", "fails", "checkpoint", "lost", "wait", "cancel", "guard", "repeat", "expect", "ended", "attempt", "published", "waiting", "cost", "machine", "terminal"} {
		if !words[want] || names[want] {
			t.Errorf("%q is not always a word", want)
		}
	}
	for _, name := range []string{"Review", "fetch", "Awaiting", "open", "count", "usd", "tokens"} {
		if words[name] || !names[name] {
			t.Errorf("%q is not always a name", name)
		}
	}
}

func isName(scope string) bool {
	return strings.HasPrefix(scope, "entity.name.") || strings.HasPrefix(scope, "variable.other.")
}
