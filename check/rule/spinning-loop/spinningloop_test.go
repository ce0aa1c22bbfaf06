package spinningloop_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	spinningloop "github.com/fsmc-dev/fsmc/check/rule/spinning-loop"
)

func Test(t *testing.T) { checktest.Run(t, spinningloop.Rule) }
