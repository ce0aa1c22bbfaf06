package overlappingguards_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	overlappingguards "github.com/fsmc-dev/fsmc/check/rule/overlapping-guards"
)

func Test(t *testing.T) { checktest.Run(t, overlappingguards.Rule) }
