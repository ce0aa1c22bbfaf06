// Package codegentest holds what the tests of all targets share: the machines
// under codegen/testdata, and golden files. Only tests import it.
package codegentest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var update = flag.Bool("update", false, "write the golden files again")

// Run holds what target makes of each machine under codegen/testdata against a
// golden file, called like the machine's source with the given ending. The same
// machine must give the same bytes again.
func Run(t *testing.T, target codegen.Target, ending string) {
	for _, name := range Names(t) {
		t.Run(name, func(t *testing.T) {
			m := Load(t, name)
			text, again := target.Generate(m, codegen.Options{}), target.Generate(m, codegen.Options{})
			Golden(t, name+ending, text)
			if !bytes.Equal(text, again) {
				t.Error("the same machine gave different bytes")
			}
		})
	}
}

// Names are the machines under codegen/testdata, without the ending.
func Names(tb testing.TB) []string {
	tb.Helper()
	paths, err := filepath.Glob("../testdata/*.fsm")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no machines: %v", err)
	}
	for i, p := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(p), ".fsm")
	}
	return paths
}

// Load is the machine called name under codegen/testdata.
func Load(tb testing.TB, name string) *ir.Machine {
	tb.Helper()
	src, err := os.ReadFile(filepath.Join("..", "testdata", name+".fsm"))
	if err != nil {
		tb.Fatal(err)
	}
	return Parse(tb, name+".fsm", string(src))
}

// Parse is the last machine in src, which must have no errors.
func Parse(tb testing.TB, name, src string) *ir.Machine {
	tb.Helper()
	unit := lang.Load([]lang.Source{{Name: name, Src: []byte(src)}})
	for _, d := range unit.Diags {
		tb.Errorf("%s: %s: %s", d.Span, d.Rule, d.Message)
	}
	all := unit.Program.Machines
	if tb.Failed() || len(all) == 0 {
		tb.Fatalf("%s: want a machine without faults", name)
	}
	return all[len(all)-1]
}

// Chain is a machine of n states in groups of ten, each group a composite, with
// a retry and a way to fail in every state.
func Chain(tb testing.TB, n int) *ir.Machine {
	tb.Helper()
	var b strings.Builder
	b.WriteString("machine Chain {\n    event Next\n    activity work() -> Worked\n    event Worked\n    initial G0\n    on failed -> Failed\n")
	for i := range n {
		if i%10 == 0 {
			fmt.Fprintf(&b, "    state G%d {\n        initial S%d\n", i/10, i)
		}
		next := fmt.Sprintf("S%d", i+1)
		switch {
		case i == n-1:
			next = "Done"
		case i%10 == 9:
			next = fmt.Sprintf("G%d", (i+1)/10)
		}
		fmt.Fprintf(&b, "        state S%d {\n            do work() timeout 30s\n            on Worked -> %s\n", i, next)
		b.WriteString("            on failed(timeout) retry 3 backoff 1s..1m else -> Failed\n        }\n")
		if i%10 == 9 || i == n-1 {
			b.WriteString("    }\n")
		}
	}
	b.WriteString("    terminal Done success\n    terminal Failed failure\n}\n")
	return Parse(tb, "chain.fsm", b.String())
}

// Golden compares got with testdata/name; with -update it writes that file.
func Golden(tb testing.TB, name string, got []byte) {
	tb.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("%v; run the test with -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		tb.Errorf("%s differs (-golden +now); run the test with -update if that is right:\n%s", path, diff)
	}
}

// Broken is what was understood of src, faults and all.
func Broken(src string) []*ir.Machine {
	return lang.Load([]lang.Source{{Name: "broken.fsm", Src: []byte(src)}}).Program.Machines
}
