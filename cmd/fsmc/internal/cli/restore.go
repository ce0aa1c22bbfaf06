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
		Short: "Put a backup in the place of the database",
		Long: `Restore puts a copy of BACKUP in the place of the database that --db names, or makes
that where there is none. No process may have the database open: end all workers
first. The copy is checked before anything is moved: SQLite's integrity check finds
nothing, and every run in it is replayed.

What was there is kept beside it under another name, with its write-ahead log, and can
be looked at and deleted. With cp the log would stay, and undo or destroy what was
copied.

A run whose history does not give what is stored is printed, and is exit status 1; the
backup is put in place all the same.`,
		Example: "  fsmc restore --db runs.db runs-2026-11-21.db",
		Args:    arguments("BACKUP"),
		RunE:    func(cmd *cobra.Command, args []string) error { return t.restore(cmd.Context(), args[0]) },
	}
	t.flags(c)
	return c
}

// restoreReport is what restore --format json prints.
type restoreReport struct {
	backupReport
	Before string `json:"before,omitempty"` // where the database is that was there
}

func (t *target) restore(ctx context.Context, backup string) error {
	switch _, err := os.Stat(backup); {
	case t.db == "":
		return errNoDatabase
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no database %q", backup)
	}
	replayed := replayer{target: target{streams: t.streams, asJSON: true}}
	replayed.report.Differences = []jsonDifference{}
	restored, err := sqlite.Restore(ctx, backup, t.db, func(ctx context.Context, copied *sqlite.Store) error {
		return replayed.each(ctx, copied, "")
	})
	if err != nil {
		return err
	}
	report := restoreReport{backupReport{File: t.db, Bytes: restored.Bytes, replayReport: replayed.report}, restored.Before}
	if t.asJSON {
		err = printJSON(t.out, &report)
	} else if err = t.writeBackup(&report.backupReport, "in the backup"); err == nil && report.Before != "" {
		_, err = fmt.Fprintf(t.out, "what was there is kept as %q\n", report.Before)
	}
	if err == nil && len(report.Differences) > 0 {
		err = errFinding
	}
	return err
}
