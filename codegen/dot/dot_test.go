package dot_test

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/dot"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

func TestGolden(t *testing.T) { codegentest.Run(t, dot.Target, ".dot") }

func TestGoldenRun(t *testing.T) {
	h := &drawing.Highlight{Start: "Idle", Current: "PostingComments", Moves: []drawing.Move{
		{From: "Idle", To: "FetchingDiff"},
		{From: "FetchingDiff", To: "Analyzing"},
		{From: "Analyzing", To: "PostingComments"},
		{From: "PostingComments", To: "AwaitingRetry"},
		{From: "AwaitingRetry", To: "PostingComments"},
	}}
	text := dot.Target.Generate(codegentest.Load(t, "review"), codegen.Options{Highlight: h})
	codegentest.Golden(t, "review-run.dot", text)
}

func TestGoldenExpanded(t *testing.T) {
	text := dot.Target.Generate(codegentest.Load(t, "nightly"), codegen.Options{Expand: true})
	codegentest.Golden(t, "nightly-expanded.dot", text)
}

// One more state in the middle adds lines, and changes none.
func TestNewStateRenamesNothing(t *testing.T) {
	const before = `machine M {
    event E
    initial A
    state A { on E -> C }
    state C { on E -> Done }
    terminal Done
}`
	after := strings.Replace(before, "    state C", "    state B { on E -> C }\n    state C", 1)
	text := print(t, after)
	for _, line := range strings.Split(print(t, before), "\n") {
		if !strings.Contains(text, line+"\n") && line != "}" {
			t.Errorf("gone: %s", line)
		}
	}
}

func print(t *testing.T, src string) string {
	t.Helper()
	return string(dot.Print(drawing.Plan(codegentest.Parse(t, "m.fsm", src), nil)))
}

func TestLargeMachinesAreLaidOutCheaply(t *testing.T) {
	for n, want := range map[int]bool{50: false, 200: true} {
		text := string(dot.Print(drawing.Plan(codegentest.Chain(t, n), nil)))
		for _, setting := range []string{`nslimit="2"`, `mclimit="0.5"`, `splines="line"`} {
			if strings.Contains(text, setting) != want {
				t.Errorf("%d states: %s present is %v, want %v", n, setting, !want, want)
			}
		}
	}
}

func BenchmarkDot1000(b *testing.B) {
	m := codegentest.Chain(b, 1000)
	for b.Loop() {
		dot.Target.Generate(m, codegen.Options{})
	}
}
