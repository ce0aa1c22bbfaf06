package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// covers are the runs of each machine for the test that stands beside output.
func covers(unit *lang.Unit, output string) (func(*ir.Machine) *ir.Cover, error) {
	if !strings.HasSuffix(output, ".go") {
		return nil, errors.New("a test file needs a Go file to stand beside: name it with -o")
	}
	found := map[*ir.Machine]*ir.Cover{}
	for _, m := range unit.Program.Machines {
		if found[m] = check.Cover(m, explore.DefaultLimit); found[m] == nil {
			return nil, fmt.Errorf("machine %q can reach more than %d configurations: there is no test that takes every arm", m.Name, explore.DefaultLimit)
		}
	}
	return func(m *ir.Machine) *ir.Cover { return found[m] }, nil
}
