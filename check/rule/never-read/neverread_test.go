package neverread_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	neverread "github.com/fsmc-dev/fsmc/check/rule/never-read"
)

func Test(t *testing.T) { checktest.Run(t, neverread.Rule) }
