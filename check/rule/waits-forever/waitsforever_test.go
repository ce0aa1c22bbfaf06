package waitsforever_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	waitsforever "github.com/fsmc-dev/fsmc/check/rule/waits-forever"
)

func Test(t *testing.T) { checktest.Run(t, waitsforever.Rule) }
