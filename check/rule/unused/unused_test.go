package unused_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	unused "github.com/fsmc-dev/fsmc/check/rule/unused"
)

func Test(t *testing.T) { checktest.Run(t, unused.Rule) }
