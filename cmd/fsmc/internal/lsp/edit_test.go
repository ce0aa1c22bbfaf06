package lsp

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// pieces are what random edits put into a text: parts of machines, and signs of one to
// four bytes.
var pieces = []string{"", "", " ", "\n", "\r\n", "{", "}", "-> Done", "on failed -> Failed", "state A { }", "é", "中", "🙂🙂", "// 🙂\n", "\"", "max 3", "size", "terminal T\n", "machine M { }\n"}

// TestRandomEdits edits a text at random: what the server has is what the editor has,
// and its findings are those of a check of that text.
func TestRandomEdits(t *testing.T) {
	seed, err := os.ReadFile("testdata/review.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(seed), "-- review.fsm --\n")
	text, _, _ = strings.Cut(text, "-- want --\n")
	for _, encoding := range []proto.PositionEncodingKind{proto.UTF16, proto.UTF8} {
		t.Run(string(encoding), func(t *testing.T) {
			c := begin(t, Options{}, encoding)
			c.open("a.fsm", text)
			random := rand.New(rand.NewPCG(1, 2))
			rounds := 60
			if testing.Short() {
				rounds = 15
			}
			for range rounds {
				for range 1 + random.IntN(3) {
					old := c.texts["a.fsm"]
					start := place(old, random.IntN(len(old)+1))
					end := place(old, min(len(old), start+random.IntN(12)))
					c.edit("a.fsm", start, end, pieces[random.IntN(len(pieces))])
				}
				c.settle()
				if got := string(c.s.docs[c.uri("a.fsm")].file.Src); got != c.texts["a.fsm"] {
					t.Fatalf("the texts differ (-editor +server):\n%s", cmp.Diff(c.texts["a.fsm"], got))
				}
				if diff := cmp.Diff(checked(c, "a.fsm"), c.findings()); diff != "" {
					t.Fatalf("the findings differ (-check +server):\n%s\nof the text\n%s", diff, c.texts["a.fsm"])
				}
				if random.IntN(8) == 0 { // back to something sound
					c.texts["a.fsm"] = text
					c.change("a.fsm", proto.TextDocumentContentChangeEvent{Text: text})
				}
			}
		})
	}
}

// place is a place near at where a rune begins, and no line end is parted.
func place(text string, at int) int {
	for at > 0 && at < len(text) && (!utf8.RuneStart(text[at]) || text[at] == '\n' && text[at-1] == '\r') {
		at--
	}
	return at
}

// checked is what a check finds in a text, as client.findings writes it.
func checked(c *client, name string) string {
	unit := lang.Load([]lang.Source{{Name: c.path(name), Src: []byte(c.texts[name])}})
	list := append(unit.Diags, check.RunUpTo(unit.Program, all.Rules, explore.DefaultLimit)...)
	other := &client{found: map[string]proto.PublishDiagnosticsParams{}}
	p := proto.PublishDiagnosticsParams{}
	for _, d := range list {
		p.Diagnostics = append(p.Diagnostics, proto.Diagnostic{
			Range: rangeOf(unit.File(c.path(name)), d.Span, c.s.encoding), Code: d.Rule, Message: d.Message,
		})
	}
	other.found[c.uri(name)] = p
	return other.findings()
}

// TestPlaces goes through all places of a text, in both ways of counting.
func TestPlaces(t *testing.T) {
	f := token.NewFile("a.fsm", []byte("a🙂é\r\n中\n\nend"))
	for _, encoding := range []proto.PositionEncodingKind{proto.UTF16, proto.UTF8} {
		for at := range len(f.Src) + 1 {
			if at < len(f.Src) && (!utf8.RuneStart(f.Src[at]) || f.Src[at] == '\n' && f.Src[at-1] == '\r') {
				continue
			}
			p := positionOf(f, f.Pos(at), encoding)
			if back, ok := offsetOf(f, p, encoding); !ok || back != at {
				t.Errorf("%s: %d is %v, which is %d", encoding, at, p, back)
			}
		}
	}
	if p := positionOf(f, f.Pos(5), proto.UTF16); p.Character != 3 {
		t.Errorf("behind the emoji is character %d", p.Character)
	}
	if at, ok := offsetOf(f, proto.Position{Line: 0, Character: 99}, proto.UTF16); !ok || at != 7 {
		t.Errorf("behind the end of a line is %d", at)
	}
	if _, ok := offsetOf(f, proto.Position{Line: 4}, proto.UTF16); ok {
		t.Error("a line that is none is found")
	}
}

// TestNothingFlashes types into a comment: findings of rules move, and none goes away
// before the rules have been applied again.
func TestNothingFlashes(t *testing.T) {
	const text = "// a comment\nmachine M {\n    event Go\n    initial A\n    state A { on Go -> T }\n    terminal T\n}\n"
	c := begin(t, Options{})
	c.open("a.fsm", text)
	c.settle()
	before := c.findings()
	if !strings.Contains(before, "a.fsm:5:11") {
		t.Fatalf("there is nothing to be seen:\n%s", before)
	}
	c.mu.Lock()
	c.every = nil
	c.mu.Unlock()
	for range 30 {
		c.edit("a.fsm", 3, 3, "\n// x")
		c.sync()
	}
	c.settle()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.every {
		if len(p.Diagnostics) != strings.Count(before, "\n") {
			t.Fatalf("version %d has %d findings", *p.Version, len(p.Diagnostics))
		}
		if got, want := int(p.Diagnostics[0].Range.Start.Line), 4+int(*p.Version)-1; got != want {
			t.Errorf("version %d: the first finding is on line %d, not %d", *p.Version, got, want)
		}
	}
}
