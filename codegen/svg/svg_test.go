package svg_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/svg"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
)

func TestGolden(t *testing.T) { codegentest.Run(t, svg.Target, ".svg") }

func benchmark(b *testing.B, states int) {
	m := codegentest.Chain(b, states)
	for b.Loop() {
		svg.Target.Generate(m, codegen.Options{})
	}
}

func BenchmarkChain200(b *testing.B)  { benchmark(b, 200) }
func BenchmarkChain1000(b *testing.B) { benchmark(b, 1000) }
