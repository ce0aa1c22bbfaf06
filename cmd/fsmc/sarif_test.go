package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sarifLog is what the tests read of a log.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []json.RawMessage `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	} `json:"runs"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	Level               string            `json:"level"`
	Message             json.RawMessage   `json:"message"`
	Locations           json.RawMessage   `json:"locations"`
	RelatedLocations    json.RawMessage   `json:"relatedLocations,omitempty"`
	CodeFlows           json.RawMessage   `json:"codeFlows,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
}

// sarifOf runs fsmc check on one file with text, and holds the log that it
// prints against the schema.
func sarifOf(t *testing.T, text string) sarifLog {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "machine.fsm"), []byte(text), 0o644))
	c := exec.Command("fsmc", "check", "--format", "sarif", "machine.fsm")
	c.Dir = dir
	out, err := c.Output()
	var exited *exec.ExitError
	if err != nil && (!errors.As(err, &exited) || exited.ExitCode() != 1) {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile("../../lang/diag/testdata/sarif-schema-2.1.0.json")
	must(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	must(t, err)
	if err := schema.Validate(value); err != nil {
		t.Errorf("the log is not valid: %v", err)
	}
	var log sarifLog
	must(t, json.Unmarshal(out, &log))
	if len(log.Runs) != 1 || len(log.Runs[0].Tool.Driver.Rules) < 30 {
		t.Fatalf("the log has %d runs, or too few rules", len(log.Runs))
	}
	return log
}

// faulty is a machine with a trap, whose second place and cycle are shown, and
// with the same fault in two states.
const faulty = `machine Faulty {
    event Go
    event Give
    initial A
    state A {
        on Go -> B
        on Give -> X
        after 1h -> Done
    }
    state B { after 1m -> C }
    state C { after 1m -> B unbounded }
    state X { on Go -> X max 1  after 1h -> Y }
    state Y { on Go -> Y max 1  after 1h -> Done }
    terminal Done
}
`

// TestSARIF holds the results of the real command against a golden file.
func TestSARIF(t *testing.T) {
	sarifOf(t, "machine Fine { initial A  state A { after 1h -> Done }  terminal Done }\n")
	got, err := json.MarshalIndent(sarifOf(t, faulty).Runs[0].Results, "", "  ")
	must(t, err)
	golden := filepath.Join("testdata", "sarif.golden")
	if *update {
		must(t, os.WriteFile(golden, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// TestFingerprintsStay: lines added above move the findings, and leave their
// fingerprints as they were.
func TestFingerprintsStay(t *testing.T) {
	marks := func(text string) (marks []string) {
		for _, r := range sarifOf(t, text).Runs[0].Results {
			for name, mark := range r.PartialFingerprints {
				marks = append(marks, r.RuleID+" "+name+" "+mark)
			}
		}
		return marks
	}
	before := marks(faulty)
	if len(before) < 3 {
		t.Fatalf("%d findings: the test sees nothing", len(before))
	}
	seen := map[string]bool{}
	for _, mark := range before {
		if seen[mark] {
			t.Errorf("two findings share %s", mark)
		}
		seen[mark] = true
	}
	moved := strings.Replace("// one\n// two\n\n"+faulty, "    state B", "\n    // in the middle\n    state B", 1)
	if diff := cmp.Diff(before, marks(moved)); diff != "" {
		t.Errorf("fingerprints (-before +moved):\n%s", diff)
	}
}
