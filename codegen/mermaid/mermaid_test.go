package mermaid_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/mermaid"
)

// The golden files were accepted by mermaid.parse of mermaid 11.17.2, and by its
// mermaid.render in jsdom. Among them hostile.mmd has states called end, state,
// note, class, fork, default, __proto__ and so on, and labels with colons,
// semicolons, quotes, #, <, %%, list marks and emoji.
func TestGolden(t *testing.T) { codegentest.Run(t, mermaid.Target, ".mmd") }

func TestGoldenExpanded(t *testing.T) {
	text := mermaid.Target.Generate(codegentest.Load(t, "nightly"), codegen.Options{Expand: true})
	codegentest.Golden(t, "nightly-expanded.mmd", text)
}

func TestGoldenRun(t *testing.T) {
	h := &drawing.Highlight{Start: "Working.Outlining", Current: "Working.Authoring.Judging", Moves: []drawing.Move{
		{From: "Working.Outlining", To: "Working.Authoring.Drafting"},
		{From: "Working.Authoring.Drafting", To: "Working.Authoring.Judging"},
	}}
	text := mermaid.Target.Generate(codegentest.Load(t, "document"), codegen.Options{Highlight: h})
	codegentest.Golden(t, "document-run.mmd", text)
}

func BenchmarkMermaid1000(b *testing.B) {
	m := codegentest.Chain(b, 1000)
	for b.Loop() {
		mermaid.Target.Generate(m, codegen.Options{})
	}
}
