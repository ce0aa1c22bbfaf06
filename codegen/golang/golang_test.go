package golang_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/golang"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// generate is the Go for the machines in src.
func generate(tb testing.TB, pkg, name, src string, core bool) []byte {
	tb.Helper()
	unit := lang.Load([]lang.Source{{Name: name, Src: []byte(src)}})
	for _, d := range unit.Diags {
		tb.Fatalf("%s: %s: %s", d.Span, d.Rule, d.Message)
	}
	out, list := golang.Generate(unit.Program.Machines, golang.Options{
		Package:    pkg,
		Source:     name,
		Core:       core,
		Definition: func(m *ir.Machine) []byte { return table.Compile(m).Encode() },
		Text:       func(*ir.Machine) string { return src },
	})
	for _, d := range list {
		tb.Fatalf("%s: %s: %s", d.Span, d.Rule, d.Message)
	}
	return out
}
