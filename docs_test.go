package fsmc_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pages are the Markdown files that a reader starts from, and all of docs/.
func pages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.md")
	must(t, err)
	for _, dir := range []string{"docs", "examples"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".md") {
				paths = append(paths, path)
			}
			return err
		})
		must(t, err)
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
	must(t, err)
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

// isFile reports whether b is a file to be written, as in the tutorial: `fsm NAME.fsm`.
func (b block) isFile() bool {
	return strings.HasPrefix(b.info, "fsm ") && strings.HasSuffix(b.info, ".fsm")
}

// filesOf are the files of a page, which may import each other.
func filesOf(blocks []block) []lang.Source {
	var files []lang.Source
	for _, b := range blocks {
		if b.isFile() {
			files = append(files, lang.Source{Name: b.info[len("fsm "):], Src: []byte(b.text)})
		}
	}
	return files
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
		blocks := blocksOf(t, page)
		files := filesOf(blocks)
		for _, b := range blocks {
			info, file := b.info, "m.fsm"
			if b.isFile() {
				info, file = "fsm", b.info[len("fsm "):]
			}
			switch info {
			case "fsm":
				whole++
				if canonical, _ := lang.Format(b.place, []byte(b.text)); string(canonical) != b.text {
					t.Errorf("%s: the machine is not in the form that fsmc fmt gives it", b.place)
				}
				unit := lang.LoadFrom([]lang.Source{{Name: file, Src: []byte(b.text)}}, lang.Among(files))
				for _, d := range findingsOf(unit) {
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
	if whole < 20 || fragments < 1 {
		t.Errorf("%d machines and %d fragments: the test sees nothing", whole, fragments)
	}
}

// findings are all diagnostics of a text.
func findings(file, text string) diag.List {
	return findingsOf(lang.Load([]lang.Source{{Name: file, Src: []byte(text)}}))
}

func findingsOf(unit *lang.Unit) diag.List {
	list := append(unit.Diags, check.Run(unit.Program, all.Rules)...)
	list.Sort()
	return list
}

// shownFaults are pages that show a machine, what they say to do to it, and findings.
var shownFaults = []struct {
	page, file string
	edit       *strings.Replacer
}{
	{"README.md", "greeting.fsm", strings.NewReplacer(" else -> Failed", "", "        on failed -> Failed\n", "")},
	{"docs/worst-case.md", "patch.fsm", strings.NewReplacer("    initial Work\n", "    budget { usd 40 }\n\n    initial Work\n")},
}

// TestShownFindings does to the first machine of a page what the page says, and holds
// the findings that it shows against what is reported. A line "…" stands for lines that
// it leaves out.
func TestShownFindings(t *testing.T) {
	for _, fault := range shownFaults {
		var machine, shown string
		for _, b := range blocksOf(t, fault.page) {
			switch {
			case b.info == "fsm" && machine == "":
				machine = b.text
			case strings.Contains(b.text, ": error: "):
				shown += b.text + "\n"
			}
		}
		text := fault.edit.Replace(machine)
		if machine == "" || text == machine || shown == "" {
			t.Errorf("%s: there is no machine, no fault or no finding", fault.page)
			continue
		}
		unit := lang.Load([]lang.Source{{Name: fault.file, Src: []byte(text)}})
		var out strings.Builder
		must(t, diag.WriteText(&out, findings(fault.file, text), unit.File, diag.TextOptions{}))
		for finding := range strings.SplitSeq(strings.TrimSpace(shown), "\n\n") {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(finding+"\n"), "\n…\n", "\n(?:.*\n)+?")
			if !regexp.MustCompile(pattern).MatchString(out.String()) {
				t.Errorf("%s shows\n%s\n\nand reported is\n%s", fault.page, finding, out.String())
			}
		}
	}
}

// TestShownWorstCases holds the table of the worst case of a page's first machine
// against what the checker computes.
func TestShownWorstCases(t *testing.T) {
	binary := buildFsmc(t)
	for page, figure := range map[string]string{
		"README.md":          "write attempts    3 ",
		"docs/worst-case.md": "write_patch attempts  12 ",
	} {
		text, err := os.ReadFile(page)
		must(t, err)
		machine := slices.IndexFunc(blocksOf(t, page), func(b block) bool { return b.info == "fsm" })
		if machine < 0 {
			t.Errorf("%s shows no machine", page)
			continue
		}
		c := exec.Command(binary, "check", "--strict", "--bounds", "-")
		c.Stdin = strings.NewReader(blocksOf(t, page)[machine].text)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", page, err, out)
		}
		_, table, _ := strings.Cut(string(out), "\n\n")
		table, _, _ = strings.Cut(table, "\n\n")
		if !strings.Contains(table, figure) || !strings.Contains(string(text), "```text\n"+table+"\n```\n") {
			t.Errorf("%s does not show\n%s", page, table)
		}
	}
}

// TestShortPages: the README is the page that is read first, and often alone; before the first release the
// changes are one page, too.
func TestShortPages(t *testing.T) {
	for page, most := range map[string]int{"README.md": 120, "CHANGELOG.md": 100} {
		text, err := os.ReadFile(page)
		must(t, err)
		if n := bytes.Count(text, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, and is to have at most %d", page, n, most)
		}
	}
}

var update = flag.Bool("update", false, "write the golden files again")

// shared is a folder that goes when all tests have ended.
var shared string

func TestMain(m *testing.M) {
	var err error
	if shared, err = os.MkdirTemp("", "fsmc"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(shared)
	os.Exit(code)
}

var builtFsmc = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "build", "-o", filepath.Join(shared, "fsmc"), "./cmd/fsmc").CombinedOutput()
})

// buildFsmc builds the command, once for all tests, and gives its path.
func buildFsmc(t *testing.T) string {
	t.Helper()
	if out, err := builtFsmc(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(shared, "fsmc")
}

// TestLanguageReference holds that the whole machines of the reference, which
// TestMachinesInDocs checks, use every word of the language.
func TestLanguageReference(t *testing.T) {
	used := map[string]bool{}
	for _, b := range blocksOf(t, "docs/language.md") {
		if b.info != "fsm" {
			continue
		}
		for _, word := range regexp.MustCompile(`//[^\n]*|"[^"\n]*"|[A-Za-z_]+`).FindAllString(b.text, -1) {
			used[word] = true
		}
	}
	const words = `machine context enum event failures activity fails none cost guard budget steps time assert
		precedes leads to excludes at most initial state terminal success failure cancelled on done failed cancel
		after idle jitter when else retry per run visit unbounded backoff factor by max reject ignore defer
		unset publish returns do as timeout heartbeat progress entry exit require is not set now len min true false
		bool int float string duration json`
	for word := range strings.FieldsSeq(words) {
		if !used[word] {
			t.Errorf("no machine of docs/language.md uses %q", word)
		}
	}
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	unlinked = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`") // code, in which generic Go looks like a link
)

// TestLinksInDocs holds that every relative link of a page leads to a file, and
// to a heading where it names one.
func TestLinksInDocs(t *testing.T) {
	for _, page := range pages(t) {
		src, err := os.ReadFile(page)
		must(t, err)
		for _, m := range link.FindAllStringSubmatch(unlinked.ReplaceAllString(string(src), ""), -1) {
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
	must(t, err)
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
