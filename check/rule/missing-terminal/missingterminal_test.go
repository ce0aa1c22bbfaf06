package missingterminal_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	missingterminal "github.com/fsmc-dev/fsmc/check/rule/missing-terminal"
)

func Test(t *testing.T) { checktest.Run(t, missingterminal.Rule) }
