package readbeforeset_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	readbeforeset "github.com/fsmc-dev/fsmc/check/rule/read-before-set"
)

func Test(t *testing.T) { checktest.Run(t, readbeforeset.Rule) }
