package check_test

import (
	"slices"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// aboutWhatStands are the rules that speak in a machine with a syntax error too:
// what they find is written there, whatever the part that could not be read holds.
var aboutWhatStands = []string{"ambiguous-label", "bad-suppression", "unsound-backoff"}

// FuzzRun checks whatever could be understood of a text: nothing panics, every
// finding has a rule that is listed, a place and a message, and a machine with
// a syntax error has no finding about what is missing in it.
func FuzzRun(f *testing.F) {
	for _, s := range langtest.Sources(f, "rule/*/testdata/*.fsm", "testdata/codereview.fsm") {
		f.Add(s.Src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		unit := lang.Load([]lang.Source{{Name: "fuzz.fsm", Src: src}})
		for _, d := range slices.Concat(unit.Diags, check.RunUpTo(unit.Program, all.Rules, fuzzLimit)) {
			listed := slices.ContainsFunc(all.Rules, func(r *check.Rule) bool { return r.Name == d.Rule })
			if !listed || !d.Span.IsValid() || d.Message == "" {
				t.Errorf("%s: %q: %q", d.Span, d.Rule, d.Message)
			}
		}
		for _, m := range unit.Program.Machines {
			if !m.Incomplete {
				continue
			}
			for _, d := range check.RunUpTo(&ir.Program{Machines: []*ir.Machine{m}}, all.Rules, fuzzLimit) {
				if slices.Contains(aboutWhatStands, d.Rule) {
					continue
				}
				t.Errorf("%s: %s in a machine with a syntax error: %s", d.Span, d.Rule, d.Message)
			}
		}
	})
}
