package deadarm_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	deadarm "github.com/fsmc-dev/fsmc/check/rule/dead-arm"
)

func Test(t *testing.T) { checktest.Run(t, deadarm.Rule) }
