package nowaytofinish_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	nowaytofinish "github.com/fsmc-dev/fsmc/check/rule/no-way-to-finish"
)

func Test(t *testing.T) { checktest.Run(t, nowaytofinish.Rule) }
