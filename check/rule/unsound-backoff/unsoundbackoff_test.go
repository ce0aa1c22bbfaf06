package unsoundbackoff_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	unsoundbackoff "github.com/fsmc-dev/fsmc/check/rule/unsound-backoff"
)

func Test(t *testing.T) { checktest.Run(t, unsoundbackoff.Rule) }
