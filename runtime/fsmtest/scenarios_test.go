package fsmtest_test

import (
	"path/filepath"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// TestScenarios plays the scenarios of the examples.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*_test.fsm")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { fsmtest.Scenarios(t, file) })
	}
}
