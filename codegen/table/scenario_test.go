package table_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestScenarios holds the language's rules against the runtime. Each archive in
// testdata opens with the rule, in the words of the language's reference, and
// has a machine and scripts that take runs of it through inputs. A line at the
// margin of a script is an input (see player.play); the lines below it, which
// are indented, are everything that came of it:
//
//   - each record of history: the input, what it did, the arm taken, and the
//     arms passed over; below it the commands of that step, in order;
//   - what changed of data, counters, kept events and executions;
//   - or the error.
//
// Nothing that a step does is left out, so whatever changes shows. With -update
// the indented lines are written again.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(strings.TrimSuffix(name, ".txtar"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			must(t, err)
			codegentest.Golden(t, name, playAll(t, src, compile))
		})
	}
}

// playAll plays every script of an archive on the machine before it.
func playAll(t *testing.T, src []byte, compile func(t *testing.T, name, src string) *machine.Machine) []byte {
	t.Helper()
	archive := txtar.Parse(src)
	var m *machine.Machine
	for i := range archive.Files {
		f := &archive.Files[i]
		switch {
		case strings.HasSuffix(f.Name, ".fsm"):
			m = compile(t, f.Name, string(f.Data))
		case m == nil:
			t.Fatalf("%s stands before any machine", f.Name)
		default:
			f.Data = []byte(newPlayer(t, m).playScript(string(f.Data)))
		}
	}
	return txtar.Format(archive)
}

// compile takes a machine from its text to the runtime.
func compile(t *testing.T, name, src string) *machine.Machine {
	t.Helper()
	m, err := machine.Compile(table.Compile(codegentest.Parse(t, name, src)))
	must(t, err)
	return m
}
