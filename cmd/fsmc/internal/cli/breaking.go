package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/check/breaking"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

func newBreaking(s *streams) *cobra.Command {
	b := &breaker{target: target{streams: s}}
	c := &cobra.Command{
		Use:   "breaking --against OLD PATH...",
		Short: "Say whether the machines may replace older ones",
		Long: `Breaking compares each machine in PATH with the machine of the same name in OLD, and
reports what breaks:

  wire      what senders, activities and consumers of messages would notice
  runs      what would go wrong for unfinished runs; fsmc migrate needs an answer
  promises  a worst case, a budget or an assert that got worse; and the shortest run in
            which the old and the new machine do different things

OLD is one of:
  a file or a folder
  git:REF       the files of PATH as they were at REF; nothing is checked out
  git:REF:PATH  the same, from another file or folder of the repository
  a database    the definitions that unfinished runs have: a FILE, or postgres://…

With --db, or if OLD is a database, each point says how many unfinished runs of that
database it concerns, and names a few. --write-map writes a draft of the file for fsmc
migrate --map. Fill in what is "?" there: a name ("" drops a field), or below "set" a
value.

A comment above the place, or above the whole machine, allows a change:

  //fsmc:allow-breaking event-removed because nobody sends it any more

The rules have pages: fsmc explain RULE.

Exit status 1: something breaks that is not allowed; or a question is undecided; or
the machines in OLD or PATH have errors.`,
		Example: `  fsmc breaking --against git:main review.fsm
  fsmc breaking --against old/ --format github machines/
  fsmc breaking --against runs.db --write-map moves.json review.fsm`,
		RunE: func(cmd *cobra.Command, paths []string) error { return b.run(cmd.Context(), paths) },
	}
	c.Flags().StringVar(&b.against, "against", "", "the older machines, `OLD`: a file, a folder, git:REF or a database")
	dbFlag(c, &b.db)
	c.Flags().StringVar(&b.mapFile, "write-map", "", "write a draft of the mapping for fsmc migrate to a new `FILE`")
	c.Flags().StringVar(&b.machine, "machine", "", "with --write-map: the machine called `NAME`, if several have changed")
	c.Flags().IntVar(&b.limit, "max-configurations", breaking.DefaultLimit, "explore at most `N` pairs of configurations of a machine; a question that is then open is \"undecided\"")
	chooseFlag(c, &b.write, "format", "text", "how to print",
		option[breakingFormat]{"text", writeBreakingText},
		option[breakingFormat]{"json", writeBreakingJSON},
		option[breakingFormat]{"github", writeBreakingGitHub},
	)
	return c
}

type breakingFormat func(io.Writer, *breakingReport) error

type breaker struct {
	target
	against string
	sources *reader              // of the new side
	called  map[*ir.Machine]bool // machines of a database that its unfinished runs call
	mapFile string
	machine string // of the mapping
	limit   int
	write   breakingFormat
}

func (b *breaker) run(ctx context.Context, paths []string) error {
	switch {
	case b.against == "":
		return errors.New("--against OLD is missing: a file, a folder, git:REF or a database with the older machines")
	case !strings.HasPrefix(b.against, gitPrefix) && !isServer(b.against) && isAddress(b.against):
		return errors.New("--against is a file, a folder, git:REF, or a URL that begins with postgres://")
	case b.limit < 1:
		return fmt.Errorf("--max-configurations is %d; it is at least 1", b.limit)
	}
	if _, err := os.Lstat(b.mapFile); b.mapFile != "" && err == nil {
		return b.mapThere()
	}
	collectSeldom()
	var err error
	if b.sources, err = b.readSources(paths); err != nil {
		return err
	}
	new, err := b.sound(loadLean(b.sources.sources, b.sources.find), nil)
	if err != nil {
		return err
	}
	if len(new.Program.Machines) == 0 {
		return errNoMachine
	}
	old, err := b.older(ctx, paths, new.Program)
	if err != nil {
		return err
	}
	if len(old) == 1 && len(old[0].Program.Machines) == 0 {
		return findingf("there is no machine in %s", b.against)
	}
	report := &breakingReport{Result: b.compare(old, new), texts: textsOf(append([]*lang.Unit{new}, old...))}
	if isDatabase(b.against) {
		report.stored = true
		report.Added = nil // its versions are those of one machine each
		b.db = cmp.Or(b.db, b.against)
	}
	if b.db != "" {
		if err := b.count(ctx, report); err != nil {
			return err
		}
	}
	var changed *ir.Machine
	var versions []*ir.Machine
	if b.mapFile != "" {
		if changed, versions, err = b.mapped(report.Result); err != nil {
			return err
		}
	}
	if err := b.write(b.out, report); err != nil {
		return err
	}
	if b.mapFile != "" {
		if err := b.writeMap(changed, versions, new.Program); err != nil {
			return err
		}
	}
	if report.list().HasErrors() { // a fault of a comment is none
		return errFinding
	}
	return nil
}

// sound gives unit on where it has no errors of syntax, names or types; else it prints
// these. Nothing is to be believed of a comparison with it.
func (b *breaker) sound(unit *lang.Unit, err error) (*lang.Unit, error) {
	if err == nil {
		err = b.refuseUnit(unit)
	}
	return unit, err
}

func (b *breaker) compare(old []*lang.Unit, new *lang.Unit) *breaking.Result {
	var results []*breaking.Result
	for _, u := range old {
		results = append(results, breaking.Compare(u.Program, new.Program, breaking.Options{Limit: b.limit, Called: b.called}))
	}
	return joined(results)
}

// textsOf finds the texts of files of all sides. Of one that several have it is the same.
func textsOf(units []*lang.Unit) func(string) *token.File {
	return func(name string) *token.File {
		for _, u := range units {
			if f := u.File(name); f != nil {
				return f
			}
		}
		return nil
	}
}
