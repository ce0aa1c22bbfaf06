//go:build !hook

package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
)

func newDBStatus(t *target) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Print the server, the format, the sizes, and who is connected",
		Long: `Status prints what the database and its server say of themselves:
  - the version of the server, and whether it can keep runs
  - the schema, its format, and the changes that are missing
  - the settings with which a server may lose what it has acknowledged, and whether
    it waits for a standby: without one, a failover may lose the last moments
  - the size of the tables, with about how many rows they have, and the archive
  - the processes that can write, with their versions
  - the oldest transaction: while it is open, the dead rows that are younger stay

It also prints these things of a database that other commands refuse. Without the
role pg_read_all_stats it does not see the standbys, or transactions of other roles.

Exit status 1: something is wrong.`,
		Example: "  fsmc db status --db postgres://fsmc@db.example/runs",
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := postgres.Inspect(cmd.Context(), t.db)
			if err != nil {
				return err
			}
			return t.print(st, len(st.Problems) > 0, func() { writeStatus(t.out, st, time.Now()) })
		},
	}
}

func writeStatus(w io.Writer, st *postgres.Status, now time.Time) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, describe.Plain(fmt.Sprintf(format, args...), 300))
	}
	line("server", "PostgreSQL %s, database %s, role %s", st.Server, st.Database, st.Role)
	if st.Format == 0 {
		line("schema", "%s has no tables of fsmc", st.Schema)
	} else {
		line("schema", "%s, format %d of %d", st.Schema, st.Format, st.Known)
	}
	for _, m := range st.Missing {
		line("missing", "format %d: %s%s", m.Format, m.Name, contracts(&m))
	}
	for _, setting := range st.Settings {
		safe := "safe"
		if !setting.Safe {
			safe = "NOT SAFE"
		}
		line(setting.Name, "%s (%s)", setting.Value, safe)
	}
	line("standbys", "%s", standbys(st))
	if o := st.Oldest; o != nil {
		line("oldest transaction", "%s (%s), process %d, role %s, %s", describe.When(o.Since, now), describe.Ago(o.Since, now), o.PID, o.Role, o.Application)
	} else {
		line("oldest transaction", "none")
	}
	line("size", "%s", sizeText(st.Bytes))
	for _, table := range st.Tables {
		line("  "+table.Name, "%s, about %s", sizeText(table.Bytes), describe.Count(int(table.Rows), "row"))
	}
	line("archive", "%s", archived(st))
	for i := range st.Hosts {
		h := &st.Hosts[i]
		gone := ""
		if !h.Alive {
			gone = ", gone"
		}
		line("process", "%d on %s, fsmc %s, knows format %d, seen %s (%s)%s", h.PID, h.Host, h.Version, h.Format, describe.When(h.Seen, now), describe.Ago(h.Seen, now), gone)
	}
	for _, problem := range st.Problems {
		line("PROBLEM", "%s", problem)
	}
	t.Flush()
}

// standbys says whether a commit waits for one.
func standbys(st *postgres.Status) string {
	switch {
	case st.StandbyNames == "":
		return "none is synchronous: a failover may lose the last moments"
	case st.Standbys == nil:
		return fmt.Sprintf("synchronous_standby_names is %q; this role does not see which are connected", st.StandbyNames)
	case *st.Standbys == 0:
		return fmt.Sprintf("synchronous_standby_names is %q, and none is connected: commits wait", st.StandbyNames)
	}
	return fmt.Sprintf("%d synchronous", *st.Standbys)
}
