package nestedterminal_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	nestedterminal "github.com/fsmc-dev/fsmc/check/rule/nested-terminal"
)

func Test(t *testing.T) { checktest.Run(t, nestedterminal.Rule) }
