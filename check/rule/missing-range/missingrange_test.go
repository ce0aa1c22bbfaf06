package missingrange_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	missingrange "github.com/fsmc-dev/fsmc/check/rule/missing-range"
)

func Test(t *testing.T) { checktest.Run(t, missingrange.Rule) }
