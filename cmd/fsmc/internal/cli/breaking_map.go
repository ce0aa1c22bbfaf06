package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/fsmc-dev/fsmc/check/breaking"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// mapped is the one machine that has changed, or the one that is named, with its older versions: a
// mapping is for one machine. With none, nothing has changed.
func (b *breaker) mapped(r *breaking.Result) (new *ir.Machine, old []*ir.Machine, err error) {
	for _, p := range r.Pairs {
		if b.machine != "" && p.New.Name != b.machine {
			continue
		}
		if new != nil && p.New != new {
			return nil, nil, fmt.Errorf("machines %q and %q have changed, and a mapping is for one machine; choose it with --machine", new.Name, p.New.Name)
		}
		new, old = p.New, append(old, p.Old)
	}
	return new, old, nil
}

// mapThere refuses a file that is there: a person may have filled it in.
func (b *breaker) mapThere() error {
	return fmt.Errorf("--write-map: %q is there already, and may be filled in: remove it, or name another file", b.mapFile)
}

// writeMap writes the mapping of a machine, if there is one. What a person has already filled in
// is not written over.
func (b *breaker) writeMap(new *ir.Machine, old []*ir.Machine, input *ir.Program) error {
	if new == nil {
		fmt.Fprintf(b.err, "fsmc: no machine has changed: fsmc migrate needs no mapping, and %q is not written\n", b.mapFile)
		return nil
	}
	m := breaking.MapOf(new, old...)
	var text bytes.Buffer
	if err := printJSON(&text, m); err != nil {
		return err
	}
	switch err := createFile(b.mapFile, text.Bytes(), 0o644); {
	case errors.Is(err, fs.ErrExist):
		return b.mapThere()
	case err != nil:
		return fmt.Errorf("--write-map: file %q cannot be written: %w", b.mapFile, reason(err))
	}
	open := m.Open()
	if len(open) == 0 {
		choose := ""
		if len(input.Machines) > 1 {
			choose = "--machine " + new.Name + " "
		}
		fmt.Fprintf(b.err, "fsmc: %q is written: fsmc migrate %s--map %s takes it\n", b.mapFile, choose, b.mapFile)
		return nil
	}
	fmt.Fprintf(b.err, "fsmc: %q is written; fill in, where it says %q: %s\n", b.mapFile, breaking.FillIn, strings.Join(open, ", "))
	return nil
}
