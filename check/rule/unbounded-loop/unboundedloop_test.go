package unboundedloop_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	unboundedloop "github.com/fsmc-dev/fsmc/check/rule/unbounded-loop"
)

func Test(t *testing.T) { checktest.Run(t, unboundedloop.Rule) }
