package retrywithoutactivity_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	retrywithoutactivity "github.com/fsmc-dev/fsmc/check/rule/retry-without-activity"
)

func Test(t *testing.T) { checktest.Run(t, retrywithoutactivity.Rule) }
