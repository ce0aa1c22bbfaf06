package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

func newRestore(s *streams) *cobra.Command {
	t := target{streams: s}
	c := &cobra.Command{
		Use:   "restore BACKUP",
		Short: "Replace the database by a backup",
		Long: `Restore replaces the database that --db names by a copy of BACKUP. If there is no
database, it makes one. No process may have the database open: end all workers
first.

Restore checks the copy before it moves anything: SQLite's integrity check finds
nothing, and every run in the copy was replayed. It keeps the old database beside
the new one, under another name and with its write-ahead log. You can look at it,
and delete it. Do not use cp instead: the log would stay, and would undo or
destroy the copy.

If the replay of a run differs from what is stored, restore prints the difference
and ends with exit status 1. It restores the backup anyway.`,
		Example: "  fsmc restore --db runs.db runs-2026-11-21.db",
		RunE:    func(cmd *cobra.Command, args []string) error { return t.restore(cmd.Context(), args[0]) },
	}
	t.flags(c)
	return c
}

type restoreReport struct {
	backupReport
	Before string `json:"before,omitempty"` // where the database is that was there
}

func (t *target) restore(ctx context.Context, backup string) error {
	if err := refuseServer(t.db, "restore"); err != nil {
		return err
	}
	switch _, err := os.Stat(backup); {
	case checkDatabase(t.db) != nil:
		return checkDatabase(t.db)
	case isAddress(backup):
		return errors.New("BACKUP is a file, and no URL")
	case errors.Is(err, os.ErrNotExist):
		return noDatabase(backup)
	}
	replayed := newReplayer(target{streams: t.streams, asJSON: true})
	restored, err := sqlite.Restore(ctx, backup, t.db, func(ctx context.Context, copied *sqlite.Store) error {
		return replayed.each(ctx, copied, "")
	})
	if err != nil {
		return err
	}
	report := restoreReport{backupReport{File: t.db, Bytes: restored.Bytes, replayReport: replayed.report}, restored.Before}
	return t.print(&report, len(report.Differences) > 0, func() {
		t.writeBackup(&report.backupReport, "in the backup")
		if report.Before != "" {
			fmt.Fprintf(t.out, "the old database is kept as %q\n", report.Before)
		}
	})
}
