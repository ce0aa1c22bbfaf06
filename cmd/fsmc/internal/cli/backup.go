package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

func newBackup(s *streams) *cobra.Command {
	t := target{streams: s}
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database while it is in use, and verify the copy",
		Long: `Backup copies the database, as it is at one moment, into FILE. Other processes can
read and write while it copies. FILE must not exist.

FILE appears when the copy is complete, is on the disk, and has passed three
checks: the copy opens, SQLite's integrity check finds nothing, and every run in
it was replayed.

If the replay of a run differs from what is stored, backup prints the difference
and ends with exit status 1. The copy is kept: it is exact, and you may want it
before fsmc repair.`,
		Example: "  fsmc backup --db runs.db runs-2026-11-21.db",
		RunE:    func(cmd *cobra.Command, args []string) error { return t.backUp(cmd.Context(), args[0]) },
	}
	t.flags(c)
	return c
}

type backupReport struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	replayReport
}

func (t *target) backUp(ctx context.Context, file string) error {
	if err := refuseServer(t.db, "backup"); err != nil {
		return err
	}
	if isAddress(file) {
		return errors.New("FILE is a file, and no URL")
	}
	// What is found is printed when there is a backup of which it can be said.
	replayed := newReplayer(target{streams: t.streams, asJSON: true})
	var size int64
	err := t.with(ctx, readOnly, "", func(store runtime.Store) (err error) {
		size, err = store.(*sqlite.Store).Backup(ctx, file, func(ctx context.Context, copied *sqlite.Store) error {
			return replayed.each(ctx, copied, "")
		})
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("file %q exists: name a new file, because a backup overwrites nothing", file)
	}
	if err != nil {
		return err
	}
	report := backupReport{File: file, Bytes: size, replayReport: replayed.report}
	return t.print(&report, len(report.Differences) > 0, func() { t.writeBackup(&report, "in the database") })
}

// writeBackup says what has become of a copy; of is what it is a copy of.
func (t *target) writeBackup(r *backupReport, of string) {
	for _, d := range r.Differences {
		fmt.Fprintln(t.out, describe.Plain(d.Error(), 1000))
	}
	how := "no difference"
	if n := len(r.Differences); n > 0 {
		how = fmt.Sprintf("%d with a difference, as %s", n, of)
	}
	fmt.Fprintf(t.out, "%s: %s, sound; %s replayed, %s\n", r.File, sizeText(r.Bytes), describe.Count(r.Replayed, "run"), how)
}

// sizeText is a size for people: "312 KiB", "1.4 GiB".
func sizeText(bytes int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	size, unit := float64(bytes)/1024, 0
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	if size >= 10 || unit == 0 {
		return fmt.Sprintf("%.0f %s", size, units[unit])
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}
