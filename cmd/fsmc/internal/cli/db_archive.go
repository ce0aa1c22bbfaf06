//go:build !hook

package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
)

type archiveReport struct {
	Archive string           `json:"archive"`
	Months  []postgres.Month `json:"months"`
}

func newDBArchive(t *target) *cobra.Command {
	return &cobra.Command{
		Use:   "archive [month|off]",
		Short: "Print or set whether ended runs are moved to tables by month",
		Long: `Archive is for databases that keep more than some ten million ended runs. After
"archive month", the workers move runs that ended an hour ago to tables of the month
in which they ended. Prune then drops a whole month at once. All commands read both.
A retry or a repair moves a run back, with all of its tree. A tree is not moved while
one of its runs has something to do, or a message that is not delivered.

After "archive off", nothing more is moved. What is in the archive stays there.
Without an argument, archive prints the setting and the months.

Only the owner of the tables can set it. Versions of fsmc that do not know the archive
cannot work with the database after "archive month". The command refuses it while a
process of one has the database open.`,
		Example: `  fsmc db archive --db postgres://fsmc@db.example/runs
  fsmc db archive month --db postgres://fsmc_owner@db.example/runs`,
		ValidArgs: []string{postgres.ArchiveMonth, postgres.ArchiveOff},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				switch err := postgres.SetArchive(cmd.Context(), t.db, args[0]); {
				case errors.Is(err, postgres.ErrOlderHosts):
					return findingf("%w", err)
				case err != nil:
					return err
				}
			}
			st, err := postgres.Inspect(cmd.Context(), t.db)
			if err != nil {
				return err
			}
			return t.print(&archiveReport{st.Archive, st.Months}, false, func() {
				fmt.Fprintf(t.out, "archive %s\n", st.Archive)
				for _, m := range st.Months {
					fmt.Fprintf(t.out, "%s  %s, about %s\n", monthText(m), sizeText(m.Bytes), describe.Count(int(m.Runs), "run"))
				}
			})
		},
	}
}

func monthText(m postgres.Month) string { return m.Month.UTC().Format("2006-01") }

// archived says what is in the archive.
func archived(st *postgres.Status) string {
	if len(st.Months) == 0 {
		return st.Archive
	}
	var runs, bytes int64
	for _, m := range st.Months {
		runs, bytes = runs+m.Runs, bytes+m.Bytes
	}
	return fmt.Sprintf("%s: %s since %s, %s, about %s", st.Archive, describe.Count(len(st.Months), "month"),
		monthText(st.Months[0]), sizeText(bytes), describe.Count(int(runs), "run"))
}
