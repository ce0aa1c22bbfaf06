package missinginitial_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	missinginitial "github.com/fsmc-dev/fsmc/check/rule/missing-initial"
)

func Test(t *testing.T) { checktest.Run(t, missinginitial.Rule) }
