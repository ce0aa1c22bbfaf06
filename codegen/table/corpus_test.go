package table_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// faulty says which machines the checker has an error for, although their names
// and types may be right: those of its own bad examples, and those without a
// state. The runtime may refuse them.
func faulty(path string, m *ir.Machine) bool {
	example, _ := filepath.Match("check/rule/*/testdata/good*.fsm", path)
	return strings.HasPrefix(path, "check/rule/") && !example || len(m.Root.Children) == 0
}

// TestEveryMachineCompiles takes every machine of the repository whose names
// and types are right through the runtime's own check, and through the JSON
// form of its definition: a missing name, index or type shows there.
func TestEveryMachineCompiles(t *testing.T) {
	compiled := 0
	for _, s := range langtest.Repository(t, "../..") {
		again := load(s.Name, s.Src)
		for i, m := range load(s.Name, s.Src) {
			compiled++
			t.Run(s.Name+" "+m.Name, func(t *testing.T) { compiles(t, m, again[i], faulty(s.Name, m)) })
		}
	}
	if compiled < 50 {
		t.Errorf("only %d machines were found", compiled)
	}
}

// compiles checks the definition of m; again is the same machine, loaded again.
func compiles(t *testing.T, m, again *ir.Machine, faulty bool) {
	d := table.Compile(m)
	if diff := cmp.Diff(string(d.Encode()), string(table.Compile(again).Encode())); diff != "" {
		t.Errorf("it compiles differently each time:\n%s", diff)
	}
	if _, err := machine.Compile(d); err != nil && !faulty {
		t.Error(err)
	}
	parsed, err := machine.ParseDefinition(d.Encode())
	must(t, err)
	if diff := cmp.Diff(d, parsed); diff != "" {
		t.Errorf("the definition reads back otherwise (-written +read):\n%s", diff)
	}
	namesAreUnique(t, d)
}

// FuzzCompile: whatever the front end finds no fault with compiles to a
// definition that reads back the same and that the runtime accepts or refuses.
func FuzzCompile(f *testing.F) {
	for _, s := range langtest.Repository(f, "../..") {
		f.Add(s.Src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		again := load("fuzz.fsm", src)
		for i, m := range load("fuzz.fsm", src) {
			compiles(t, m, again[i], true)
		}
	})
}

func namesAreUnique(t *testing.T, d *machine.Definition) {
	t.Helper()
	seen := map[string]bool{}
	for _, arm := range d.Arms {
		seen["arm "+arm.Name] = true
	}
	for _, do := range d.Dos {
		seen["do "+do.Name] = true
	}
	for _, timer := range d.Timers {
		seen["timer "+timer.Name] = true
	}
	if want := len(d.Arms) + len(d.Dos) + len(d.Timers); len(seen) != want {
		t.Errorf("%d names for %d arms, dos and timers", len(seen), want)
	}
}

// load gives the machines of src whose names and types are right.
func load(path string, src []byte) []*ir.Machine {
	unit := lang.Load([]lang.Source{{Name: path, Src: src}})
	wrong := map[string]bool{}
	for _, d := range unit.Diags {
		if d.Severity == diag.Error {
			wrong[d.Machine] = true
		}
	}
	var out []*ir.Machine
	for _, m := range unit.Program.Machines {
		if !wrong[m.Name] && !wrong[""] && !m.Broken {
			out = append(out, m)
		}
	}
	return out
}
