package requireviolated_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	requireviolated "github.com/fsmc-dev/fsmc/check/rule/require-violated"
)

func Test(t *testing.T) { checktest.Run(t, requireviolated.Rule) }
