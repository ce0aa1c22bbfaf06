package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestWitnessScenarios: the witnesses of rules are scenarios that can be read. They pass, but for those
// whose run halts or refuses the last input: these fail there.
func TestWitnessScenarios(t *testing.T) {
	passed, failed := 0, 0
	for _, rule := range []string{"assertion-violated", "guard-gap", "no-way-to-finish", "unbounded-loop", "unhandled-case", "unhandled-failure", "unhandled-result"} {
		path := filepath.Join("..", "..", "..", "..", "check", "rule", rule, "testdata", "bad.fsm")
		src, err := os.ReadFile(path)
		must(t, err)
		machines := lang.Source{Name: "bad.fsm", Src: src}
		unit := lang.Load([]lang.Source{machines})
		var b bytes.Buffer
		if err := writeScenarios(&b, report{unit: unit, list: findings(unit, explore.DefaultLimit)}); err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
		written := lang.Load([]lang.Source{machines, {Name: "bad_test.fsm", Src: b.Bytes()}})
		if written.Diags.HasErrors() {
			t.Fatalf("%s: %v\n%s", rule, written.Diags, b.String())
		}
		tests, err := table.Tests(written.Program.Scenarios, func(*ir.Scenario) bool { return true }, textIn(written))
		if err != nil || len(tests) == 0 {
			t.Fatalf("%s: %d scenarios: %v\n%s", rule, len(tests), err, b.String())
		}
		for _, test := range tests {
			f := test.Play().Failure
			switch {
			case f == nil:
				passed++
			case strings.Contains(f.Is, "it has halted") || strings.Contains(f.Is, "is refused"):
				failed++
			default:
				t.Errorf("%s: %q: %s: %s", rule, test.Plan.Title, f.Line, f.Is)
			}
		}
	}
	t.Logf("%d pass, %d fail", passed, failed)
	if passed < 20 || failed < 10 {
		t.Errorf("%d scenarios pass and %d fail: too few to say much", passed, failed)
	}
}
