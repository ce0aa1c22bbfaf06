package typemismatch_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	typemismatch "github.com/fsmc-dev/fsmc/check/rule/type-mismatch"
)

func Test(t *testing.T) { checktest.Run(t, typemismatch.Rule) }
