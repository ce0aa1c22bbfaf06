package unhandledcase_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	unhandledcase "github.com/fsmc-dev/fsmc/check/rule/unhandled-case"
)

func Test(t *testing.T) { checktest.Run(t, unhandledcase.Rule) }
