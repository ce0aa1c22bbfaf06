package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/codegen/golang"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// runTests writes, or with --check compares, the test file beside output.
func (g *generator) runTests(unit *lang.Unit, path, output string) error {
	name, isGo := strings.CutSuffix(output, ".go")
	if !isGo {
		return errors.New("a test file needs a Go file to stand beside: name it with -o")
	}
	options, err := g.options(unit, path, output)
	if err != nil {
		return err
	}
	covers := map[*ir.Machine]*ir.Cover{}
	for _, m := range unit.Program.Machines {
		if covers[m] = check.Cover(m, explore.DefaultLimit); covers[m] == nil {
			return fmt.Errorf("machine %q can come to more than %d configurations: there is no test that takes every arm", m.Name, explore.DefaultLimit)
		}
	}
	src, list := golang.GenerateTests(unit.Program.Machines, options, func(m *ir.Machine) *ir.Cover { return covers[m] })
	if list.HasErrors() {
		return g.refuse(list, unit.File)
	}
	if g.check {
		return checkFresh(name+"_test.go", src)
	}
	return g.write(name+"_test.go", src)
}
