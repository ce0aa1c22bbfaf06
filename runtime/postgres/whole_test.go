package postgres_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
)

// TestPlans looks at the plan of every statement that the tests before it have sent. It stands in the last file: tests run in the order
// of their files.
func TestPlans(t *testing.T) {
	var stores []*postgres.Store
	opened.Range(func(s, _ any) bool {
		stores = append(stores, s.(*postgres.Store))
		return true
	})
	statements := sent(stores)
	if len(statements) == 0 {
		t.Skip("no test has run before it")
	}
	t.Logf("%d statements", len(statements))
	testPlans(t, statements)
}
