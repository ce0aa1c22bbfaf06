package undecided_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	undecided "github.com/fsmc-dev/fsmc/check/rule/undecided"
)

func Test(t *testing.T) { checktest.Run(t, undecided.Rule) }
