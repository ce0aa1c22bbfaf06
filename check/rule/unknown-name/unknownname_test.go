package unknownname_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	unknownname "github.com/fsmc-dev/fsmc/check/rule/unknown-name"
)

func Test(t *testing.T) { checktest.Run(t, unknownname.Rule) }
