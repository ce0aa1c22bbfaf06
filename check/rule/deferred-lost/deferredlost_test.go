package deferredlost_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	deferredlost "github.com/fsmc-dev/fsmc/check/rule/deferred-lost"
)

func Test(t *testing.T) { checktest.Run(t, deferredlost.Rule) }
