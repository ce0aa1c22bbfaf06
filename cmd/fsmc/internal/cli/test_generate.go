package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/codegen/scenarios"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// writeScenarios prints scenarios for the machines of the input.
func (t *tester) writeScenarios(paths []string) error {
	unit, err := t.load(paths)
	if err != nil {
		return err
	}
	if err := t.refuseUnit(unit); err != nil {
		return err
	}
	if len(unit.Program.Machines) == 0 {
		return errNoMachine
	}
	var b strings.Builder
	b.WriteString(importsFor(folderOf(unit.Program.Machines), unit.Program.Machines))
	var whole []string // machines with too many configurations
	for _, m := range unit.Program.Machines {
		cover := check.Cover(m, explore.DefaultLimit)
		if cover == nil {
			whole = append(whole, strconv.Quote(m.Name))
			continue
		}
		prefix := ""
		if len(unit.Program.Machines) > 1 { // titles are unique in a file
			prefix = m.Name + ": "
		}
		g, err := scenarios.Generate(m, cover, prefix)
		if err != nil {
			return t.unsound(unit, err)
		}
		b.WriteString(g.Text(m.Name))
	}
	text, list := lang.Format("generated", []byte(b.String()))
	if list.HasErrors() {
		return fmt.Errorf("what was generated cannot be read, which is a fault of fsmc: %s", list[0].Message)
	}
	if err := t.write("", text); err != nil {
		return err
	}
	if len(whole) > 0 {
		return findingf("there are no scenarios for %s: more than %d configurations", strings.Join(whole, ", "), explore.DefaultLimit)
	}
	return nil
}

// folderOf is the folder of the first machine.
func folderOf(list []*ir.Machine) string { return filepath.Dir(list[0].Span.Start.Filename) }

// relative is the path of a file as seen from a folder.
func relative(folder, file string) (string, error) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// importsFor imports the files of machines, as seen from a folder.
func importsFor(home string, list []*ir.Machine) string {
	var b strings.Builder
	var imported []string
	for _, m := range list {
		name := m.Span.Start.Filename
		if slices.Contains(imported, name) {
			continue
		}
		imported = append(imported, name)
		path, err := relative(home, name)
		if err != nil { // on another volume
			path = name
		}
		fmt.Fprintf(&b, "import %s\n", strconv.Quote(filepath.ToSlash(path)))
	}
	return b.String()
}
