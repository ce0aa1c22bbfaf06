package badtarget_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	badtarget "github.com/fsmc-dev/fsmc/check/rule/bad-target"
)

func Test(t *testing.T) { checktest.Run(t, badtarget.Rule) }
