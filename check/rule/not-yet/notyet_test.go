package notyet_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	notyet "github.com/fsmc-dev/fsmc/check/rule/not-yet"
)

func Test(t *testing.T) { checktest.Run(t, notyet.Rule) }
