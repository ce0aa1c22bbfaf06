package neverfires_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	neverfires "github.com/fsmc-dev/fsmc/check/rule/never-fires"
)

func Test(t *testing.T) { checktest.Run(t, neverfires.Rule) }
