package outofrange_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	outofrange "github.com/fsmc-dev/fsmc/check/rule/out-of-range"
)

func Test(t *testing.T) { checktest.Run(t, outofrange.Rule) }
