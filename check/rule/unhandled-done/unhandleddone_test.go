package unhandleddone_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	unhandleddone "github.com/fsmc-dev/fsmc/check/rule/unhandled-done"
)

func Test(t *testing.T) { checktest.Run(t, unhandleddone.Rule) }
