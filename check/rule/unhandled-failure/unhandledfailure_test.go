package unhandledfailure_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	unhandledfailure "github.com/fsmc-dev/fsmc/check/rule/unhandled-failure"
)

func Test(t *testing.T) { checktest.Run(t, unhandledfailure.Rule) }
