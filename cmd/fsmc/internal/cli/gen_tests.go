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

// testFile is the test that stands beside output.
func (g *generator) testFile(unit *lang.Unit, options golang.Options, output string) (goFile, error) {
	name, isGo := strings.CutSuffix(output, ".go")
	if !isGo {
		return goFile{}, errors.New("a test file needs a Go file to stand beside: name it with -o")
	}
	covers := map[*ir.Machine]*ir.Cover{}
	for _, m := range unit.Program.Machines {
		if covers[m] = check.Cover(m, explore.DefaultLimit); covers[m] == nil {
			return goFile{}, fmt.Errorf("machine %q can come to more than %d configurations: there is no test that takes every arm", m.Name, explore.DefaultLimit)
		}
	}
	text, list := golang.GenerateTests(unit.Program.Machines, options, func(m *ir.Machine) *ir.Cover { return covers[m] })
	if list.HasErrors() {
		return goFile{}, g.refuse(list, unit.File)
	}
	return goFile{name + "_test.go", text}, nil
}
