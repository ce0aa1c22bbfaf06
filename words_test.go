package fsmc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// banned are words that a reader who learned English at work has to look up, or that
// mean several things. What to write instead stands in docs/glossary.md, or behind each.
var banned = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`mend(s|ed|ing)?`, // fix, repair
	`anew`,            // again, from zero
	`(take|takes|took|taken|taking)\s(\w+\s)?up`,       // continue, claim
	`(come|comes|came|coming)\sto`,                     // reach, become
	`hand(s|ed|ing)?\s(\w+\s)?on`,                      // pass, deliver
	`(give|gives|gave|given|giving)\s(\w+\s){0,2}back`, // release, return
	`once\smore`,           // again
	`goes\son\sby\sitself`, // continues
}, "|") + `)\b`)

// unread are folders and files whose words nobody has put right yet.
var unread = []string{
	// The text of a machine is in the hash of its definition.
	"examples/orderfulfillment/orderfulfillment.fsm", "examples/orderfulfillment/orderfulfillment_fsm.go",
	"examples/tasklifecycle/tasklifecycle.fsm", "examples/tasklifecycle/tasklifecycle_fsm.go",
	"docs/mutations.md", "check/mutation_table_test.go",
	"docs/decisions", // history: a record stays as it was written
}

// blanks are white space with the signs that begin a line of a comment or a quotation.
var blanks = regexp.MustCompile(`\s+((//|>)\s*)?`)

// bannedIn are the banned words of a text, which may be wrapped in the middle of them.
func bannedIn(text string) []string {
	return banned.FindAllString(blanks.ReplaceAllString(text, " "), -1)
}

// quoted is what a page quotes: a diagram of a machine, a name of the language, or
// what a command prints.
var quoted = regexp.MustCompile("(?s:```mermaid\n.*?```)|`[^`\n]+`")

// capital is where a word begins inside an identifier.
var capital = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// TestWords: documents, rule pages, help texts, messages and comments have no banned
// words. Help texts and messages are string literals of Go code that is no test.
// Identifiers have none either.
func TestWords(t *testing.T) {
	texts, files := 0, 0
	say := func(place, text string) {
		texts++
		for _, word := range bannedIn(text) {
			t.Errorf("%s: %q is a word that we do not use", place, word)
		}
	}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		slashed := filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case isIn(unread, slashed) || entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git" || entry.Name() == "node_modules"):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".txt") || strings.HasSuffix(path, ".fsm") ||
			strings.HasSuffix(path, ".yml") || strings.HasSuffix(path, ".yaml"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			for i, line := range paragraphs(quoted.ReplaceAllString(string(text), "``")) {
				if line != "" {
					say(slashed+":"+strconv.Itoa(i), line)
				}
			}
		case strings.HasSuffix(path, ".go"):
			files++
			return sayGo(path, say)
		}
		return nil
	})
	must(t, err)
	if files < 200 || texts < 5000 {
		t.Errorf("%d texts in %d files: the test sees nothing", texts, files)
	}
}

func isIn(places []string, path string) bool {
	for _, p := range places {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// paragraphs are the paragraphs of a text by the number of their first line: what is
// said in two of them is not said in one sentence.
func paragraphs(text string) map[int]string {
	found := map[int]string{}
	first := 0
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			first = 0
			continue
		}
		if first == 0 {
			first = i + 1
		}
		found[first] += line + "\n"
	}
	return found
}

// sayGo says the comments and identifiers of a Go file, and its strings where it is
// no test.
func sayGo(path string, say func(place, text string)) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		say(set.Position(group.Pos()).String(), group.Text())
	}
	isTest := strings.HasSuffix(path, "_test.go")
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING && !isTest {
				text, _ := strconv.Unquote(n.Value) // the parser has read it
				say(set.Position(n.Pos()).String(), text)
			}
		case *ast.Ident:
			say(set.Position(n.Pos()).String(), wordsOf(n.Name))
		}
		return true
	})
	return nil
}

// wordsOf are the words of an identifier.
func wordsOf(name string) string {
	return strings.ReplaceAll(capital.ReplaceAllString(name, "$1 $2"), "_", " ")
}

// TestWordsBite proves that the test above can fail.
func TestWordsBite(t *testing.T) {
	for text, want := range map[string]int{
		"Mend a run.":                              1,
		"the run is mended, and starts anew":       2,
		"it takes up the run":                      1,
		"it takes the run up":                      0, // more than one word is between
		"it takes it up":                           1,
		"what runs come\n// to":                    1,
		"the lease is given back":                  1,
		"gives the lease\nback":                    1,
		"handed on once more":                      2,
		"it goes on by itself":                     1,
		"an amendment; the outcome is recommended": 0,
		"a backup takes up":                        1,
		"the handle on the door":                   0,
	} {
		if got := bannedIn(text); len(got) != want {
			t.Errorf("%q has %q, want %d of them", text, got, want)
		}
	}
	for name, want := range map[string]int{"takeUp": 1, "testLateAfterGivenBack": 1, "mend_it": 1, "handOver": 0, "amend": 0} {
		if got := bannedIn(wordsOf(name)); len(got) != want {
			t.Errorf("%s has %q, want %d of them", name, got, want)
		}
	}
	if got := quoted.ReplaceAllString("a `b` c\n```mermaid\nmended\n```\nd", ""); got != "a  c\n\nd" {
		t.Errorf("without what is quoted: %q", got)
	}
	if got := paragraphs("a\nb\n\nc"); len(got) != 2 || got[1] != "a\nb\n" || got[4] != "c\n" {
		t.Errorf("paragraphs: %v", got)
	}
}
