package unhandledresult_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	unhandledresult "github.com/fsmc-dev/fsmc/check/rule/unhandled-result"
)

func Test(t *testing.T) { checktest.Run(t, unhandledresult.Rule) }
