package guardtoorich_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	guardtoorich "github.com/fsmc-dev/fsmc/check/rule/guard-too-rich"
)

func Test(t *testing.T) { checktest.Run(t, guardtoorich.Rule) }
