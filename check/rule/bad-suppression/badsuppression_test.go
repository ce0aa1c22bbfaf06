package badsuppression_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/checktest"
	badsuppression "github.com/fsmc-dev/fsmc/check/rule/bad-suppression"
)

func Test(t *testing.T) { checktest.Run(t, badsuppression.Rule) }
