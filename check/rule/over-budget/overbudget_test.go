package overbudget_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	overbudget "github.com/fsmc-dev/fsmc/check/rule/over-budget"
)

func Test(t *testing.T) { checktest.Run(t, overbudget.Rule) }
