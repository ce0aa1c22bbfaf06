package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/all"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/mermaid"
	"github.com/fsmc-dev/fsmc/codegen/svg"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func newDot(s *streams) *cobra.Command {
	d := &drawer{streams: s}
	c := &cobra.Command{
		Use:   "dot PATH...",
		Short: "Draw a machine: as a picture, for Graphviz or as Mermaid",
		Long: `Dot prints the diagram of a machine. With --db and --run, it highlights the state
of a run and the path that the run took. If the run has another version of the
machine than PATH, dot says so on standard error, and highlights what both
versions have.

With --format svg, the diagram is a picture that a browser shows, and no other
program is needed. If four or more arrows lead to one failure or cancelled terminal,
each becomes a row in the box where it begins: "failed → Failed". With --compact,
boxes have only titles, and arrows only triggers.

A machine that is called is a box with a double border, with its terminals inside. With
--expand, its states are drawn inside, and so are those of the machines that it calls.

Dot also draws a machine that fsmc check refuses. Exit status 1: the text has
errors, so that something may be missing in the diagram.`,
		Example: `  fsmc dot --format svg -o review.svg review.fsm
  fsmc dot review.fsm | dot -Tpdf > review.pdf
  fsmc dot --format mermaid -o review.mmd review.fsm
  fsmc dot --db runs.db --run pr-17 review.fsm | dot -Tpng > pr-17.png`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if !cmd.Flags().Changed("format") {
				if err := refusePicture(d.output, paths); err != nil {
					return err
				}
				d.target = named(d.output, d.target)
			}
			if cmd.Flags().Changed("theme") && d.target.Name != svg.Target.Name {
				return errors.New("--theme is for --format svg alone: other formats have no themes")
			}
			return d.draw(cmd.Context(), paths)
		},
	}
	chooseFlag(c, &d.target, "format", "dot", "how to draw", optionsOf(all.Diagrams, func(t codegen.Target) string { return t.Name })...)
	c.Flags().StringVarP(&d.output, "output", "o", "", "write to `FILE`; - is standard output. Without --format, a name in .svg or .mmd says how to draw")
	machineFlag(c, &d.machine)
	c.Flags().BoolVar(&d.compact, "compact", false, "show only titles and triggers")
	chooseFlag(c, &d.theme, "theme", "auto", "the colours of --format svg; auto leaves them to the reader's browser",
		option[string]{"light", "light"}, option[string]{"dark", "dark"}, option[string]{"auto", "auto"})
	c.Flags().BoolVar(&d.expand, "expand", false, "draw the machines that are called inside the states that call them")
	c.Flags().StringVar(&d.db, "db", "", "the database with the run: a `FILE`, or postgres://…; $FSMC_DB if not given")
	c.Flags().StringVar(&d.run, "run", "", "highlight the path of the run with this `ID`")
	return c
}

// named is how a file with that name is drawn, where its name says so, or else target.
func named(file string, target codegen.Target) codegen.Target {
	switch filepath.Ext(file) {
	case ".svg":
		return svg.Target
	case ".mmd":
		return mermaid.Target
	}
	return target
}

// refusePicture refuses a name of a picture that only Graphviz makes, in which no one looks for a text.
func refusePicture(file string, paths []string) error {
	switch ext := filepath.Ext(file); ext {
	case ".png", ".pdf", ".jpg", ".jpeg", ".gif", ".webp":
		return fmt.Errorf("a %q is made by Graphviz: fsmc dot %s | dot -T%s > %s; a name in .svg needs no other program", ext, strings.Join(paths, " "), ext[1:], file)
	}
	return nil
}

type drawer struct {
	*streams
	target                   codegen.Target
	theme                    string
	output, machine, db, run string
	expand, compact          bool
}

func (d *drawer) draw(ctx context.Context, paths []string) error {
	if d.run != "" {
		d.db = cmp.Or(d.db, os.Getenv(databaseVariable))
	}
	switch {
	case d.db != "" && d.run == "":
		return errors.New("--run ID is missing: it says which run of the database is highlighted")
	case d.run != "" && d.db == "":
		return errNoDatabase
	}
	unit, err := d.load(paths)
	if err != nil {
		return err
	}
	broken := d.refuseUnit(unit)
	m, err := pick(unit.Program, d.machine)
	if err != nil {
		return err
	}
	var highlight *drawing.Highlight
	if d.run != "" {
		var version string
		if highlight, version, err = walked(ctx, d.db, d.run, m.Name); err != nil {
			return err
		}
		if broken == nil {
			d.sayVersion(m, version, highlight.Current)
		}
	}
	text := d.target.Generate(m, codegen.Options{Highlight: highlight, Expand: d.expand, Compact: d.compact, Theme: d.theme})
	if err := d.writeMade(d.output, text); err != nil {
		return err
	}
	return broken
}

// sayVersion says where a run is of another version than the machine that is
// drawn.
func (d *drawer) sayVersion(m *ir.Machine, version, state string) {
	drawn, err := machine.Compile(table.Compile(m))
	if err == nil && drawn.Hash() == version {
		return
	}
	missing := ""
	if err == nil && !slices.ContainsFunc(drawn.Definition().States, func(s machine.State) bool { return s.Path == state }) {
		missing = fmt.Sprintf("; its state %q is not in the diagram", state)
	}
	fmt.Fprintf(d.err, "fsmc: %s has another version of %s: what only that version has is not drawn%s\n", d.run, m.Name, missing)
}

// walked is the way that a stored run of machine took, and the version of the
// machine that the run has.
func walked(ctx context.Context, db, run, name string) (h *drawing.Highlight, version string, err error) {
	store, err := openStore(ctx, db, readOnly)
	if err != nil {
		return nil, "", err
	}
	defer store.Close()
	row, steps, err := wholeHistory(ctx, store, run)
	switch {
	case err != nil:
		return nil, "", runError(ctx, store, run, err)
	case row.Machine != name:
		return nil, "", notOfMachine(run, row.Machine, name)
	}
	h = &drawing.Highlight{Current: row.State}
	for i, s := range steps {
		if i == 0 {
			h.Start = s.To
		}
		if s.From != "" && s.Effect == machine.Moved {
			h.Moves = append(h.Moves, drawing.Move{From: s.From, To: s.To, Arm: s.Arm})
		}
	}
	return h, row.Definition, nil
}
