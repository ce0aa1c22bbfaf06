package deadend_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	deadend "github.com/fsmc-dev/fsmc/check/rule/dead-end"
)

func Test(t *testing.T) { checktest.Run(t, deadend.Rule) }
