package format_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/format"
)

// words are the tokens of a text, roughly: enough to know where white space may
// stand. Comments are matched so that they can be dropped.
var words = regexp.MustCompile(`//[^\n]*|"(?:[^"\\\n]|\\.)*"|[0-9][0-9_A-Za-z]*(?:\.[0-9][0-9_A-Za-z]*)*|[A-Za-z_][0-9A-Za-z_]*|->|\.\.|\|\||&&|[=!<>]=|[^\s\x{feff}]`)

// TestScatter formats the inputs with comments, line ends and blank lines
// scattered between any two tokens: nothing may get lost, wherever it stands.
func TestScatter(t *testing.T) {
	const rounds = 25
	for _, path := range inputs(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src := string(read(t, path))
			for seed := range uint64(rounds) {
				text := scatter(src, rand.New(rand.NewPCG(seed, 1)))
				before := parse(t, path, text)
				got := format.File(before)
				after := parse(t, path, got)
				checkMeaning(t, before, after)
				if again := format.File(after); !bytes.Equal(again, got) {
					t.Errorf("formatting twice changes more:\n%s", format.Diff(path, got, again))
				}
				if t.Failed() {
					t.Fatalf("seed %d:\n%s", seed, text)
				}
			}
		})
	}
}

// scatter is src without its comments and with new white space, in which there
// are comments.
func scatter(src string, random *rand.Rand) []byte {
	often := random.IntN(40) + 2 // one gap in so many is unusual
	var b bytes.Buffer
	comments := 0
	for _, word := range words.FindAllString(src, -1) {
		if strings.HasPrefix(word, "//") {
			continue
		}
		b.WriteString(word)
		switch random.IntN(often * 4) {
		case 0:
			fmt.Fprintf(&b, " // behind %d\n", comments)
			comments++
		case 1:
			fmt.Fprintf(&b, "\n// alone %d\n", comments)
			comments++
		case 2:
			fmt.Fprintf(&b, "// one %d\n  // two\n\n// three\n", comments)
			comments++
		case 3:
			b.WriteString("\n\n\n")
		case 4, 5, 6, 7, 8:
			b.WriteString("\n\t")
		default:
			b.WriteString(" ")
		}
	}
	return b.Bytes()
}
