package assertionviolated_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	assertionviolated "github.com/fsmc-dev/fsmc/check/rule/assertion-violated"
)

func Test(t *testing.T) { checktest.Run(t, assertionviolated.Rule) }
