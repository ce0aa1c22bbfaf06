package golang_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/golang"
	"github.com/fsmc-dev/fsmc/lang"
)

// TestCollision holds that two names that become one in Go are reported, both
// of them, and that nothing is generated.
func TestCollision(t *testing.T) {
	src := "machine M {\n    event Stepper\n    initial A\n    state A { on Stepper -> B }\n    terminal B\n}\n" +
		"machine MState {\n    event A\n    initial X\n    state X { on A -> Y }\n    terminal Y\n}\n"
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	out, list := golang.Generate(unit.Program.Machines, codegen.SourceOptions{Package: "p", Source: "m.fsm", Core: true})
	if out != nil {
		t.Error("a file was generated")
	}
	var places []string
	for _, d := range list {
		if d.Rule != "duplicate-name" || len(d.Related) != 1 {
			t.Errorf("%+v", d)
			continue
		}
		places = append(places, d.Message+" at "+d.Span.String()+" and "+d.Related[0].Span.String())
	}
	got := strings.Join(places, "\n")
	for _, want := range []string{`"MStepper"`, `"MStateA"`} {
		if !strings.Contains(got, want) {
			t.Errorf("nothing about %s in:\n%s", want, got)
		}
	}
}

// TestStable holds that the same machine gives the same bytes, and that a
// change in one state changes only the lines of that state.
func TestStable(t *testing.T) {
	src := readFile(t, "../testdata/review.fsm")
	a, b := generate(t, "p", "m.fsm", src, true), generate(t, "p", "m.fsm", src, true)
	if !bytes.Equal(a, b) {
		t.Error("not the same bytes")
	}
	more := strings.Replace(src, "on SummaryDone -> Completed", "on SummaryDone -> Completed\n        on failed(timeout) retry 2 else -> Expired", 1)
	b = generate(t, "p", "m.fsm", more, true)
	if bytes.Equal(a, b) {
		t.Fatal("the machine has not changed")
	}
	if diff := cmp.Diff(linesBeside(string(a), "Summarizing"), linesBeside(string(b), "Summarizing")); diff != "" {
		t.Errorf("a change in Summarizing changes other lines (-before +after):\n%s", diff)
	}
}

// linesBeside are the lines that neither name state nor stand in a case of it,
// without the spaces that align them.
func linesBeside(src, state string) []string {
	var out []string
	inside, indent := false, ""
	for line := range strings.Lines(src) {
		margin := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
		if inside && len(margin) <= len(indent) {
			inside = false
		}
		switch {
		case inside:
		case strings.Contains(line, state):
			inside, indent = strings.Contains(line, "case "), margin
		default:
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
	}
	return out
}
