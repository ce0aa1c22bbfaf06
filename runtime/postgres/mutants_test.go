package postgres_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/internal/mutants"
)

// TestMutants takes the conditions on seq, epoch and token away.
func TestMutants(t *testing.T) { mutants.Test(t, "TestStore|TestLost|TestCut|TestBatch|TestMany", 8) }
