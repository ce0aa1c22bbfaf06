// Package transcript runs a program, and holds what a README shows of its output
// against what it really says. It serves tests.
package transcript

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	number = regexp.MustCompile(`\d+`)
	space  = regexp.MustCompile(`\s+`)
)

// asProgram is set where the test binary is to be the program: it starts itself as such,
// and so do the processes that it starts.
const asProgram = "FSMC_EXAMPLE_AS_PROGRAM"

// Main runs the tests, or main in a process of Command.
func Main(m *testing.M, main func()) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	main()
}

// Command is the program of a test whose TestMain calls Main.
func Command(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// Run runs the program to its end, and gives what it prints.
func Run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := Command(t, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// Check fails the test unless the page called file has a `console` block that
// begins with "$ command", each line of which is, in the block's order, a line
// of output. A line "…" stands for any number of lines. Numbers and the width
// of columns may be others: they are of the machine and the moment.
func Check(t *testing.T, file, command, output string) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(string(page), "```console\n$ "+command+"\n")
	shown, _, closed := strings.Cut(shown, "```")
	if !found || !closed {
		t.Fatalf("%s does not show the output of %q", file, command)
	}
	rest := lines(output)
	for line := range strings.Lines(shown) {
		want := plain(line)
		if want == "" || want == "…" {
			continue
		}
		at := slices.Index(rest, want)
		if at < 0 {
			t.Fatalf("%s shows a line that %q does not say, or not there: %s\nwhat it says:\n%s", file, command, line, output)
		}
		rest = rest[at+1:]
	}
}

func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		all = append(all, plain(line))
	}
	return all
}

// plain is a line without what differs from one time to the next.
func plain(line string) string {
	return space.ReplaceAllString(strings.TrimSpace(number.ReplaceAllString(line, "0")), " ")
}
