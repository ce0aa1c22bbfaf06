package badliteral_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	badliteral "github.com/fsmc-dev/fsmc/check/rule/bad-literal"
)

func Test(t *testing.T) { checktest.Run(t, badliteral.Rule) }
