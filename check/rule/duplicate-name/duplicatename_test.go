package duplicatename_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	duplicatename "github.com/fsmc-dev/fsmc/check/rule/duplicate-name"
)

func Test(t *testing.T) { checktest.Run(t, duplicatename.Rule) }
