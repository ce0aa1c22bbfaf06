//go:build unix && cgo

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTutorial does what docs/tutorial.md says, with an fsmc that it installs.
func TestTutorial(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("installs fsmc, and compiles a program")
	}
	playPage(t, "tutorial.md", 10)
}

// TestCookbook does what docs/cookbook.md says, and holds its test of a machine
// against the one that fsmc new makes.
func TestCookbook(t *testing.T) {
	t.Parallel()
	playPage(t, "cookbook.md", 12)
	dir := t.TempDir()
	combined(t, fsmc(dir, "new", "Invoice"))
	made, err := os.ReadFile(filepath.Join(dir, "invoice", "invoice_test.go"))
	must(t, err)
	page, err := os.ReadFile("../../docs/cookbook.md")
	must(t, err)
	_, shown, _ := strings.Cut(string(page), "```go\n")
	shown, _, _ = strings.Cut(shown, "```\n")
	if !strings.HasPrefix(shown, "func Test") || !strings.Contains(string(made), shown) {
		t.Errorf("what fsmc new makes has no\n%s", shown)
	}
}

// TestMigrating imports the machines of docs/migrating.md, and plays those that stand beside
// code of other languages.
func TestMigrating(t *testing.T) { playPage(t, "migrating.md", 10) }

// TestScenariosPage runs the scenarios of docs/scenarios.md.
func TestScenariosPage(t *testing.T) { playPage(t, "scenarios.md", 5) }

// playPage does what a page in docs says, in its order and in one shell: a
// `console` block is run, and what it shows is what must be printed; a block with
// the name of a file behind its language becomes that file. In what is shown a
// line `…` stands for any number of lines, and within a line for any text. At
// least so many commands must show what they print.
func playPage(t *testing.T, page string, least int) {
	t.Helper()
	root, err := filepath.Abs("../..")
	must(t, err)
	dir := t.TempDir()
	must(t, os.Symlink(root, filepath.Join(dir, "fsmc")))
	steps := readSteps(t, filepath.Join(root, "docs", page))
	for i := range steps { // where it lies all packages are compiled, and by another path none is
		steps[i].command = strings.NewReplacer("(cd fsmc &&", "(cd -P fsmc &&", "=../fsmc ", "="+root+" ").Replace(steps[i].command)
	}
	bin := filepath.Join(t.TempDir(), "bin")
	c := exec.Command("sh", writeScript(t, steps))
	c.Dir = dir
	c.Env = append(c.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GOBIN="+bin, "GOFLAGS=", "GOWORK=off", "TZ="+noon(), "NO_COLOR=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	printed := strings.Split(string(out), mark)
	if len(printed) != len(steps)+1 {
		t.Fatalf("%d of %d steps were taken:\n%s", len(printed)-1, len(steps), out)
	}
	shown := 0
	for i, s := range steps {
		if !s.matches(printed[i]) {
			t.Errorf("%s:%d: %s\nshown:\n%s\nprinted:\n%s", page, s.line, s.command, s.shown, printed[i])
		}
		if s.shown != "" {
			shown++
		}
	}
	if shown < least {
		t.Errorf("%d commands with what they print: the test sees nothing", shown)
	}
}

// pageStep is a command and what it prints, or a file to be written.
type pageStep struct {
	line           int
	command, shown string
	file, content  string
}

// mark is printed behind each step.
const mark = "\x01\n"

var fileBlock = regexp.MustCompile("^```[a-z]+ ([a-z0-9./_]+)$")

func readSteps(t *testing.T, page string) []pageStep {
	t.Helper()
	text, err := os.ReadFile(page)
	must(t, err)
	var steps []pageStep
	block := "" // "console", "file", or another one
	for i, line := range strings.SplitAfter(string(text), "\n") {
		bare := strings.TrimSuffix(line, "\n")
		file := fileBlock.FindStringSubmatch(bare)
		command, isCommand := strings.CutPrefix(bare, "$ ")
		last := len(steps) - 1
		switch {
		case block != "" && bare == "```":
			block = ""
		case block == "" && file != nil:
			block = "file"
			steps = append(steps, pageStep{line: i + 1, command: "(file " + file[1] + ")", file: file[1]})
		case block == "" && strings.HasPrefix(bare, "```"):
			if block = bare[3:]; block != "console" && block != "go" {
				t.Errorf("%s:%d: a block is neither `console` nor a file", filepath.Base(page), i+1)
			}
		case block == "file":
			steps[last].content += line
		case block == "console" && isCommand:
			steps = append(steps, pageStep{line: i + 1, command: command})
		case block == "console":
			steps[last].shown += line
		}
	}
	return steps
}

// writeScript makes one shell script of all steps, outside the folder in which they are taken.
func writeScript(t *testing.T, steps []pageStep) string {
	t.Helper()
	dir := t.TempDir()
	var script strings.Builder
	for i, s := range steps {
		if s.file == "" {
			fmt.Fprintf(&script, "%s\nprintf '\\001\\n'\n", s.command)
			continue
		}
		held := filepath.Join(dir, fmt.Sprint(i))
		writeFile(t, held, s.content, 0o644)
		fmt.Fprintf(&script, "mkdir -p \"$(dirname %s)\" && cat '%s' >%[1]s\nprintf '\\001\\n'\n", s.file, held)
	}
	path := filepath.Join(dir, "page.sh")
	writeFile(t, path, script.String(), 0o644)
	return path
}

// matches holds what was printed against what is shown. The shell's word of a
// process that it saw killed is not the command's.
func (s pageStep) matches(printed string) bool {
	var pattern strings.Builder
	pattern.WriteString(`\A(?s:.*\bKilled\b[^\n]*\n)?`)
	for line := range strings.Lines(s.shown) {
		if line == "…\n" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `.+`))
	}
	return regexp.MustCompile(pattern.String() + `\z`).MatchString(printed)
}
