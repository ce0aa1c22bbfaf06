package golang_test

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/golang"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestImports holds that a file imports what it uses, and that no parameter hides that.
func TestImports(t *testing.T) {
	const src = `machine M(d duration) {
    event Go { x float }
    guard big(math float)
    initial A
    state A { on Go when big(event.x) -> B else ignore }
    terminal B
}`
	core := string(generate(t, "p", "m.fsm", src, true))
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	files, _ := golang.Generate(unit.Program.Machines, codegen.SourceOptions{
		Base: "m", Package: "p", Source: "m.fsm",
		Definition: func(m *ir.Machine) []byte { return table.Compile(m).Encode() },
		Cover:      func(*ir.Machine) *ir.Cover { return &ir.Cover{Runs: []ir.CoverRun{{}}} },
	})
	for text, wants := range map[string][]string{
		core:                     {"\t\"math\"\n", "math.IsInf(math_, 0)"},
		string(files[1].Content): {"\t\"time\"\n", "D: time.Hour"},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in:\n%s", want, text)
			}
		}
	}
}
