package ambiguouslabel_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	ambiguouslabel "github.com/fsmc-dev/fsmc/check/rule/ambiguous-label"
)

func Test(t *testing.T) { checktest.Run(t, ambiguouslabel.Rule) }
