package neverset_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	neverset "github.com/fsmc-dev/fsmc/check/rule/never-set"
)

func Test(t *testing.T) { checktest.Run(t, neverset.Rule) }
