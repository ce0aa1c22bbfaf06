package golang_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/golang"
	"github.com/fsmc-dev/fsmc/codegen/table"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
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
	out, list := golang.Generate(unit.Program.Machines, codegen.SourceOptions{
		Base:       "m",
		Package:    pkg,
		Source:     name,
		Core:       core,
		Definition: func(m *ir.Machine) []byte { return table.Compile(m).Encode() },
		Text:       func(*ir.Machine) string { return src },
	})
	for _, d := range list {
		tb.Fatalf("%s: %s: %s", d.Span, d.Rule, d.Message)
	}
	return out[0].Content
}

// TestBounds shows the constants for what is proved of a machine.
func TestBounds(t *testing.T) {
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte("machine M {\n    initial A\n    state A { after 1s -> B }\n    terminal B\n}\n")}})
	bounds := &ir.Bounds{
		Steps:    ir.Bound{Most: big.NewRat(21, 1), Exact: true},
		Time:     ir.Bound{Most: big.NewRat(90_000_000_000, 1)},
		Costs:    []ir.Bound{{Name: "usd", Most: big.NewRat(17, 100), Exact: true}, {Name: "tokens", Why: "A waits\nfor ever"}},
		Attempts: []ir.Bound{{Name: "fetch_diff", Most: big.NewRat(4, 1), Exact: true}},
	}
	out, list := golang.Generate(unit.Program.Machines, codegen.SourceOptions{
		Package: "p", Source: "m.fsm", Core: true, Bounds: func(*ir.Machine) *ir.Bounds { return bounds }})
	if len(list) > 0 {
		t.Fatal(list)
	}
	want := `
const (
	MMaxSteps   = 21               // some run takes that many
	MMaxTime    = 90 * time.Second // at most: 1m30s
	MMaxCostUsd = 0.17             // some run takes that many
	// MMaxCostTokens: no bound: A waitsfor ever
	MMaxAttemptsFetchDiff = 4 // some run takes that many
)
`
	if !strings.Contains(string(out[0].Content), want) {
		t.Errorf("not in it:%s\n%s", want, out[0].Content)
	}
}
