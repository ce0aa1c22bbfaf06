package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	_ "github.com/fsmc-dev/fsmc/internal/patient"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect with what there is")

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestMain makes the test binary stand in for fsmc: the scripts run it as a
// process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fsmc": main})
}

// TestScript runs the archives in testdata/script against the command. Each
// finds a copy of the example's machine and its executables in $WORK/example, and
// of examples/workers in $WORK/workers.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup:         setUp,
		Condition:     condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"edit":       edit,
			"eventually": eventually,
			"exits":      exits,
			"waitfor":    waitFor,
			"terminate":  terminate,
			"scrub":      scrub,
			"postgres":   newSchema,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func setUp(env *testscript.Env) error {
	env.Setenv("TZ", noon())
	env.Setenv("NO_COLOR", "")
	env.Setenv("TERM", "xterm")
	env.Setenv("GORACE", "atexit_sleep_ms=0") // each process would sleep for a second
	source, err := os.ReadFile("../../examples/codereview/codereview.fsm")
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(env.WorkDir, "example"), 0o755); err != nil {
		return err
	}
	files := badFiles()
	files["example/codereview.fsm"] = source
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), content, 0o644); err != nil {
			return err
		}
	}
	env.Setenv("OUT", filepath.Join(env.WorkDir, "out")) // of workers/deliver.sh
	if err := os.CopyFS(filepath.Join(env.WorkDir, "workers"), os.DirFS("../../examples/workers")); err != nil {
		return err
	}
	return makeExecutable(env.WorkDir)
}

// condition knows [cgo]: whether there is a SQLite store in the binary; and [postgres]: whether
// there is a server.
func condition(name string) (bool, error) {
	if name == "postgres" {
		return pgtest.Found(), nil
	}
	if name != "cgo" {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "1"}), nil
}

// newSchema sets a variable to the URL of a database that only this script has.
func newSchema(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: postgres VARIABLE")
	}
	url, drop, err := pgtest.Schema()
	ts.Check(err)
	ts.Defer(func() { _ = drop(context.Background()) })
	ts.Setenv(args[0], url)
}

// badFiles are those that a text archive cannot hold, or no one would read.
func badFiles() map[string][]byte {
	nested := func(levels int, opening, inside, closing string) []byte {
		return []byte(strings.Repeat(opening, levels) + inside + strings.Repeat(closing, levels))
	}
	guard := func(levels int) []byte {
		before, behind := "machine M { event Go  initial A  state A { on Go when ", " -> Done }  terminal Done }"
		return slices.Concat([]byte(before), nested(levels, "(", "true", ")"), []byte(behind))
	}
	foreign := make([]byte, 4096)
	copy(foreign, "SQLite format 3\x00\x10\x00\x01\x01\x00\x40\x20\x20")
	copy(foreign[28:], "\x00\x00\x00\x01")          // pages
	copy(foreign[44:], "\x00\x00\x00\x04")          // format of the schema
	copy(foreign[56:], "\x00\x00\x00\x01")          // UTF-8
	copy(foreign[68:], "GPKG")                      // application id
	copy(foreign[100:], "\x0d\x00\x00\x00\x00\x10") // an empty schema
	return map[string][]byte{
		"binary.fsm":   []byte("\x7fELF\x02\x01\x01\x00\x1b[31m\xff\xfe machine"),
		"nul.fsm":      []byte("machine M {\n    initial A\n    state \x00 { }\n}\n"),
		"latin.fsm":    []byte("machine Caf\xe9 { }\n"),
		"shallow.fsm":  guard(100),
		"brackets.fsm": guard(300),
		"states.fsm":   slices.Concat([]byte("machine M { "), nested(300, "state A { initial A ", "", " }"), []byte(" }")),
		"foreign.db":   foreign,
		"short.db":     []byte("SQLite format 3\x00 and no more"),
	}
}

// noon is a time zone in which it is about noon, so that no day ends while a
// test runs.
func noon() string {
	return fmt.Sprintf("Etc/GMT%+d", time.Now().UTC().Hour()-12)
}

// makeExecutable gives the scripts' shell files the mode that an archive cannot
// carry.
func makeExecutable(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "activities", "*"))
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Chmod(f, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// edit replaces a text that stands in a file once: edit FILE OLD NEW
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%q stands %d times in %s", args[1], n, args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o666))
}

// exits runs a command and holds its exit status: exits STATUS COMMAND ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exited *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exited):
		got = exited.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// patience is how long a script waits for what must happen. It decides nothing
// but how soon a test that fails says so.
const patience = time.Minute

// eventually runs a command again and again until it succeeds.
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: eventually COMMAND ARG...")
	}
	for deadline := time.Now().Add(patience); ts.Exec(args[0], args[1:]...) != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("it has not succeeded within %s", patience)
		}
	}
}

// waitFor waits until a file is there and, with a pattern, until a line of it
// matches: waitfor FILE [PATTERN]
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: waitfor FILE [PATTERN]")
	}
	pattern := regexp.MustCompile("")
	if len(args) == 2 {
		pattern = regexp.MustCompile("(?m)" + args[1])
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && pattern.Match(text) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s is not there after %s: %v\n%s", args[0], patience, err, text)
		}
	}
}

// terminate sends SIGTERM to what runs in the background.
func terminate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: terminate")
	}
	for _, c := range ts.BackgroundCmds() {
		ts.Check(c.Process.Signal(syscall.SIGTERM))
	}
}

// volatile is what differs from one run of a test to the next.
var volatile = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`), "TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d`), "DAY"},
	{regexp.MustCompile(`\d\d:\d\d:\d\d(\.\d{3})?`), "TIME"},
	{regexp.MustCompile(`[0-9a-f]{64}`), "HASH"},
	{regexp.MustCompile(`version [0-9a-f]{12}`), "version HASH"},
	{regexp.MustCompile(`@[0-9a-z]{10,13}/`), "@TOKEN/"},
	{regexp.MustCompile(`"(held|wait|took|mean|median|p95)": "[^"]+"`), `"$1": "SPAN"`},
	{regexp.MustCompile(`\((?:(?:[0-9.]+(?:h|m|s|ms|µs|ns))+ ago|just now)\)`), "(AGO)"},
	{regexp.MustCompile(`"counts": \[[^]]*\]`), `"counts": [COUNTS]`},
	{regexp.MustCompile(`"worker": "[^"]+"`), `"worker": "WORKER"`},
	{regexp.MustCompile(`again in \S+`), "again in SPAN"},
	{regexp.MustCompile(`  +(?:[0-9.]+(?:h|m|s|ms|µs|ns))+\n`), "  SPAN\n"},
}

// scrub writes a file, or stdout, with all that is volatile made the same:
// scrub FILE NEW
func scrub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: scrub FILE NEW")
	}
	text := []byte(ts.ReadFile(args[0]))
	for _, v := range volatile {
		text = v.pattern.ReplaceAll(text, []byte(v.replacement))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o666))
}
