package nosuccess_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	nosuccess "github.com/fsmc-dev/fsmc/check/rule/no-success"
)

func Test(t *testing.T) { checktest.Run(t, nosuccess.Rule) }
