package unreachablestate_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	unreachablestate "github.com/fsmc-dev/fsmc/check/rule/unreachable-state"
)

func Test(t *testing.T) { checktest.Run(t, unreachablestate.Rule) }
