package syntax_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	syntax "github.com/fsmc-dev/fsmc/check/rule/syntax"
)

func Test(t *testing.T) { checktest.Run(t, syntax.Rule) }
