package boundwithoutelse_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	boundwithoutelse "github.com/fsmc-dev/fsmc/check/rule/bound-without-else"
)

func Test(t *testing.T) { checktest.Run(t, boundwithoutelse.Rule) }
