package fsmc_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// pages are the Markdown files that a reader starts from, and all of docs/.
func pages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"docs", "examples"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".md") {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(paths) < 5 {
		t.Fatalf("there are %d pages: the test sees nothing", len(paths))
	}
	return paths
}

// block is a fenced block of a page.
type block struct {
	place string // "README.md:23", the line of its first row
	info  string // what stands behind the opening fence
	text  string
}

func blocksOf(t *testing.T, page string) []block {
	t.Helper()
	src, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	var open *block
	for i, line := range strings.Split(string(src), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{place: fmt.Sprintf("%s:%d", page, i+2), info: strings.TrimSpace(info)}
		case fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		t.Errorf("%s: the block is not closed", open.place)
	}
	return blocks
}

// TestMachinesInDocs checks every machine that the documents show: a block
// marked `fsm`, or `fsm NAME.fsm`, holds whole machines without errors and in
// canonical form, one marked `fsm fragment` what may stand in a machine or a state, and need only be
// well-formed.
func TestMachinesInDocs(t *testing.T) {
	whole, fragments := 0, 0
	for _, page := range pages(t) {
		if filepath.Dir(page) == filepath.Join("docs", "rules") {
			continue // their examples are to fail, and checktest runs them
		}
		for _, b := range blocksOf(t, page) {
			info := b.info
			if whole, isFile := strings.CutSuffix(info, ".fsm"); isFile && strings.HasPrefix(whole, "fsm ") {
				info = "fsm" // a file to be written, as in the tutorial
			}
			switch info {
			case "fsm":
				whole++
				if canonical, _ := lang.Format(b.place, []byte(b.text)); string(canonical) != b.text {
					t.Errorf("%s: the machine is not in the form that fsmc fmt gives it", b.place)
				}
				for _, d := range findings(b.text) {
					if d.Severity == diag.Error {
						t.Errorf("%s: %s: %s [%s]", b.place, d.Span, d.Message, d.Rule)
					}
				}
			case "fsm fragment":
				fragments++
				_, _, list := lang.Parse("fragment.fsm", []byte("machine Fragment {\n"+b.text+"}\n"))
				for _, d := range list {
					t.Errorf("%s: line %d: %s", b.place, d.Span.Start.Line-1, d.Message)
				}
			default:
				if strings.HasPrefix(b.info, "fsm") {
					t.Errorf("%s: a block is marked `fsm` or `fsm fragment`, not %q", b.place, b.info)
				}
			}
		}
	}
	if whole < 5 || fragments < 5 {
		t.Errorf("%d machines and %d fragments: the test sees nothing", whole, fragments)
	}
}

// findings are all diagnostics of a text.
func findings(text string) diag.List {
	unit := lang.Load([]lang.Source{{Name: "greeting.fsm", Src: []byte(text)}})
	list := append(unit.Diags, check.Run(unit.Program, all.Rules)...)
	list.Sort()
	return list
}

// TestReadmeFindings takes out of the README's machine what the README says to
// take out, and holds what the README then shows against what is reported.
func TestReadmeFindings(t *testing.T) {
	var machine, shown string
	for _, b := range blocksOf(t, "README.md") {
		switch {
		case b.info == "fsm":
			machine = b.text
		case strings.Contains(b.text, ": error: "):
			shown = b.text
		}
	}
	for _, part := range []string{" else -> Failed", "    on failed -> Failed\n"} {
		if !strings.Contains(machine, part) {
			t.Fatalf("the machine has no %q", part)
		}
		machine = strings.Replace(machine, part, "", 1)
	}
	unit := lang.Load([]lang.Source{{Name: "greeting.fsm", Src: []byte(machine)}})
	var out strings.Builder
	if err := diag.WriteText(&out, findings(machine), unit.File, diag.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if shown == "" {
		t.Fatal("the README shows no finding")
	}
	for finding := range strings.SplitSeq(strings.TrimSpace(shown), "\n\n") {
		if !strings.Contains(out.String(), finding+"\n") {
			t.Errorf("the README shows\n%s\n\nand reported is\n%s", finding, out.String())
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksInDocs holds that every relative link of a page leads to a file, and
// to a heading where it names one.
func TestLinksInDocs(t *testing.T) {
	for _, page := range pages(t) {
		src, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(src), -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			if target == "" {
				file = page
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: the link to %q leads nowhere", page, m[1])
			} else if heading != "" && !hasHeading(t, file, heading) {
				t.Errorf("%s: %q has no heading %q", page, file, heading)
			}
		}
	}
}

var unspoken = regexp.MustCompile("[^a-z0-9 _-]")

// hasHeading reports whether a page has a heading with that anchor, which is
// made as GitHub makes it.
func hasHeading(t *testing.T, page, anchor string) bool {
	t.Helper()
	src, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(src)) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		title := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		if strings.ReplaceAll(unspoken.ReplaceAllString(title, ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}
