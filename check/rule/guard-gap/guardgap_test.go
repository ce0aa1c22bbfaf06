package guardgap_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	guardgap "github.com/fsmc-dev/fsmc/check/rule/guard-gap"
)

func Test(t *testing.T) { checktest.Run(t, guardgap.Rule) }
