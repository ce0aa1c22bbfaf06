package cli

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Imports of stored texts
//
// A database has the text of a version's own file. The files that this imports are read as they are now,
// from where the file of the new machine imports them. Of a machine that the version calls the database
// has the text, too, and that replaces the file in which the machine is declared now. All this is a
// guess, and the hash decides: only a text whose definition has the hash of the version is compared.

// storedName is how messages call the text of a version.
func storedName(row *store.DefinitionRow) string {
	return fmt.Sprintf("%s@%.12s.fsm", row.Machine, row.Hash)
}

// definition loads one version of a machine from the text that is kept with it.
func (b *breaker) definition(all *versions, row *store.DefinitionRow, new *ir.Machine) (*lang.Unit, error) {
	version := fmt.Sprintf("version %.12s of %q", row.Hash, row.Machine)
	instead := fmt.Sprintf("compare with --against git:REF --db %s", b.against)
	if isServer(b.against) { // which may have a password in it
		instead = "compare with --against git:REF, and give the database as --db"
	}
	if row.Source == "" {
		return nil, fmt.Errorf("the database has no text of %s: %s", version, instead)
	}
	callees, err := all.callees(row)
	if err != nil {
		return nil, err
	}
	text := lang.Source{Name: storedName(row), Src: []byte(row.Source)}
	b.sources.from[text.Name] = b.sources.from[new.Span.Start.Filename]
	unit := lang.LoadFrom([]lang.Source{text}, func(from, path string) ([]lang.Source, error) {
		found, err := b.sources.find(from, path)
		return b.asStored(found, callees), err
	})
	if unit.Diags.HasErrors() {
		return nil, fmt.Errorf("the text of %s cannot be read (%s): %s", version, unit.Diags[0].Message, instead)
	}
	of := func(m *ir.Machine) bool { return m.Name == row.Machine && m.Span.Start.Filename == text.Name }
	if i := slices.IndexFunc(unit.Program.Machines, of); i >= 0 && len(unit.Sources) > 1 {
		if x, err := machine.Compile(table.Compile(unit.Program.Machines[i])); err != nil || x.Hash() != row.Hash {
			return nil, fmt.Errorf("what %s imports is not as it was: %s", version, instead)
		}
	}
	unit.Program.Machines = slices.DeleteFunc(slices.Clone(unit.Program.Machines), func(m *ir.Machine) bool { return !of(m) })
	return unit, nil
}

// asStored puts the stored text of a callee in the place of the file that declares it now.
func (b *breaker) asStored(files []lang.Source, callees map[string]*store.DefinitionRow) []lang.Source {
	files = slices.Clone(files)
	for i, now := range files {
		tree, _, _ := lang.Parse(now.Name, now.Src)
		for _, decl := range tree.Decls {
			m, ok := decl.(*ast.Machine)
			if !ok || m.Name == nil || callees[m.Name.Text] == nil {
				continue
			}
			row := callees[m.Name.Text]
			files[i] = lang.Source{Name: storedName(row), Src: []byte(row.Source)}
			b.sources.from[files[i].Name] = b.sources.from[now.Name]
			break
		}
	}
	return files
}

// callees are the versions that one calls, and those that these call, by the names of their machines: those
// of which there is a text.
func (v *versions) callees(row *store.DefinitionRow) (map[string]*store.DefinitionRow, error) {
	out := map[string]*store.DefinitionRow{}
	for queue := []*store.DefinitionRow{row}; len(queue) > 0; queue = queue[1:] {
		var definition machine.Definition
		if err := json.Unmarshal(queue[0].Definition, &definition); err != nil {
			return nil, fmt.Errorf("the definition %.12s of %q cannot be read: %w", queue[0].Hash, queue[0].Machine, err)
		}
		for _, a := range definition.Activities {
			i := slices.IndexFunc(v.rows, func(r store.DefinitionRow) bool { return a.Callee != "" && r.Hash == a.Callee })
			if i < 0 || out[v.rows[i].Machine] != nil {
				continue
			}
			if v.rows[i].Source != "" {
				out[v.rows[i].Machine] = &v.rows[i]
			}
			queue = append(queue, &v.rows[i])
		}
	}
	return out, nil
}
