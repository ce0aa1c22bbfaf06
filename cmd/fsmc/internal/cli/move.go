//go:build !hook

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

type mover struct {
	target
	from, to string
}

func newMove(s *streams) *cobra.Command {
	m := mover{target: target{streams: s}}
	c := &cobra.Command{
		Use:   "move --from FILE --to URL",
		Short: "Move all runs from a SQLite file to PostgreSQL",
		Long: `Move copies everything in a SQLite file to a PostgreSQL database: all runs, live
ones too, with their history, attempts, timers, checkpoints, event ids, messages,
counts and limits, and the definitions of their machines. The runs continue there
where they were.

End all workers and commands that use the file first. The schema of the target must
have no runs; move makes its tables if there are none.

All is one transaction. Before it commits, every run is replayed there. If a replay
differs from what is stored, move prints the difference, nothing is moved, and the
exit status is 1; fsmc repair repairs a run.

At the end, the file is renamed to FILE.moved-TIME, so that no worker continues its runs
a second time. You can look at it, and delete it.`,
		Example: "  fsmc move --from runs.db --to postgres://fsmc@db.example/runs",
		RunE:    func(cmd *cobra.Command, _ []string) error { return m.move(cmd.Context()) },
	}
	c.Flags().StringVar(&m.from, "from", "", "the SQLite `FILE` with the runs")
	c.Flags().StringVar(&m.to, "to", "", "the `URL` of the database that gets them: postgres://…")
	formatFlag(c, &m.asJSON)
	return c
}

type moveReport struct {
	Moved bool   `json:"moved"`
	Kept  string `json:"kept,omitempty"` // what the file is called now
	replayReport
}

// errDiffers takes a move back.
var errDiffers = errors.New("the replay of a run differs from what is stored")

// usage refuses flags that do not go together.
func (m *mover) usage() error {
	switch {
	case m.from == "":
		return errors.New("--from FILE is missing: it names the SQLite file with the runs")
	case m.to == "":
		return errors.New("--to URL is missing: it names the PostgreSQL database that gets the runs")
	case postgres.IsURL(m.from):
		return errors.New("--from is a SQLite file: there is no move from PostgreSQL")
	case errors.Is(checkDatabase(m.from), errNotFile):
		return errors.New("--from is a SQLite file, and no URL")
	case !postgres.IsURL(m.to):
		return errors.New("--to is a PostgreSQL database: postgres://user@host/database")
	}
	if _, err := os.Stat(m.from); errors.Is(err, os.ErrNotExist) {
		return noDatabase(m.from)
	}
	return nil
}

func (m *mover) move(ctx context.Context) error {
	if err := m.usage(); err != nil {
		return err
	}
	replayed := newReplayer(target{streams: m.streams, asJSON: true}) // and says nothing itself
	m.db = m.to
	report := moveReport{}
	err := m.with(ctx, create, "", func(db store.Store) (err error) {
		report.Kept, err = sqlite.Move(ctx, m.from, func(ctx context.Context, from store.Exporter) error {
			return db.(*postgres.Store).Import(ctx, from, func(ctx context.Context, in *postgres.Store) error {
				if err := replayed.each(ctx, in, ""); err != nil {
					return err
				}
				if len(replayed.report.Differences) > 0 {
					return errDiffers
				}
				return nil
			})
		})
		return err
	})
	report.Moved, report.replayReport = err == nil, replayed.report
	var held *sqlite.HeldError
	switch {
	case errors.Is(err, errDiffers):
		err = nil
	case errors.As(err, &held):
		return findingf("nothing is moved: %w", err)
	case errors.Is(err, postgres.ErrNotEmpty):
		return findingf("nothing is moved: %w; if an earlier move was interrupted at its end, they are the runs of the file: compare the lists of both before a worker continues one", err)
	case err != nil:
		return err
	}
	return m.print(&report, !report.Moved, func() { m.write(&report) })
}

func (m *mover) write(r *moveReport) {
	for _, d := range r.Differences {
		fmt.Fprintln(m.out, describe.Plain(d.Error(), 1000))
	}
	if !r.Moved {
		fmt.Fprintf(m.out, "%s replayed, %d with a difference: nothing is moved\n", describe.Count(r.Replayed, "run"), len(r.Differences))
		return
	}
	fmt.Fprintf(m.out, "%s moved and replayed, no difference\nthe file is kept as %q\n", describe.Count(r.Replayed, "run"), r.Kept)
}
