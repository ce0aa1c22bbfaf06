//go:build !hook

package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
)

func newDB(s *streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "db",
		Short: "Set up a PostgreSQL database, look at it, and bring it up to date",
		Long: `These commands are about the PostgreSQL database that --db or the variable FSMC_DB
names, postgres://… A SQLite file needs none of them.

A password comes from the URL, PGPASSWORD, a service file or .pgpass. No command prints it.`,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	t := &target{streams: s}
	c.AddCommand(newDBInit(t), newDBStatus(t), newDBMigrate(t), newDBRoles(t), newDBArchive(t))
	for _, below := range c.Commands() {
		t.flags(below)
		below.PreRunE = func(*cobra.Command, []string) error { return serverOnly(t.db) }
	}
	return c
}

// serverOnly refuses what is no database of PostgreSQL.
func serverOnly(db string) error {
	switch {
	case db == "":
		return errNoDatabase
	case !postgres.IsURL(db):
		return errors.New("fsmc db is about PostgreSQL: --db postgres://user@host/database; a SQLite file needs no such commands")
	}
	return nil
}

func newDBInit(t *target) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Make the tables",
		Long: `Init makes the schema and the tables, or brings them up to date as fsmc run does.
The first command that runs something also makes them: use init if the workers have
no right to make tables.`,
		Example: "  fsmc db init --db postgres://fsmc@db.example/runs",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := t.with(cmd.Context(), create, "", func(runtime.Store) error { return nil }); err != nil {
				return err
			}
			st, err := postgres.Inspect(cmd.Context(), t.db)
			if err != nil {
				return err
			}
			return t.print(st, false, func() { fmt.Fprintf(t.out, "schema %s has format %d\n", st.Schema, st.Format) })
		},
	}
}

func newDBMigrate(t *target) *cobra.Command {
	apply := false
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the tables up to date, even if older versions can then not use them",
		Long: `Migrate lists the changes of the tables that are missing. With --apply, it makes
them, each in a transaction of its own.

If older versions of fsmc can work with a change, the first command of a newer version
that writes makes it, too. If they cannot, only this command makes it. It then refuses
while a process of an older version has the database open, and names that process. A
process that was killed counts for two more minutes.`,
		Example: `  fsmc db migrate --db postgres://fsmc@db.example/runs
  fsmc db migrate --db postgres://fsmc@db.example/runs --apply`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := postgres.Migrate(cmd.Context(), t.db, apply)
			if errors.Is(err, postgres.ErrOlderHosts) {
				return findingf("%w", err)
			}
			if err != nil {
				return err
			}
			return t.print(&done, false, func() { t.writeMigrated(&done) })
		},
	}
	c.Flags().BoolVar(&apply, "apply", false, "make the changes; without this flag, only list them")
	return c
}

func (t *target) writeMigrated(m *postgres.Migrated) {
	for _, step := range m.Steps {
		fmt.Fprintf(t.out, "format %d: %s%s\n", step.Format, step.Name, contracts(&step))
	}
	if len(m.Steps) == 0 {
		fmt.Fprintf(t.out, "the tables are up to date, at format %d\n", m.After)
		return
	}
	rest := ""
	if !m.Applied {
		rest = "; nothing has been done, --apply does it"
	}
	fmt.Fprintf(t.out, "from format %d to %d%s\n", m.Before, m.After, rest)
}

// contracts says of a migration what it means for older versions.
func contracts(m *postgres.Migration) string {
	if m.Contract {
		return " (older versions cannot work after it)"
	}
	return ""
}

func newDBRoles(t *target) *cobra.Command {
	var roles postgres.Roles
	apply := false
	c := &cobra.Command{
		Use:   "roles",
		Short: "Print or grant what an owner, a worker and a reader may do",
		Long: `Roles prints the SQL that gives roles of the database what they need, and makes the
roles that do not exist yet. With --apply, it runs the SQL in one transaction.

  --owner   has the tables. It brings them up to date, prunes and moves runs.
  --worker  starts runs, sends, works, steers and repairs. It cannot change a table or
            a record of history, or delete a run.
  --reader  only looks.

Name the roles that you want. No role gets a password: set one with \password in psql.`,
		Example: `  fsmc db roles --db postgres://postgres@db.example/runs --worker fsmc_worker
  fsmc db roles --db postgres://postgres@db.example/runs --owner fsmc_owner --worker fsmc_worker --reader fsmc_reader --apply`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (roles == postgres.Roles{}) {
				return errors.New("name at least one of --owner, --worker and --reader")
			}
			return t.grant(cmd.Context(), roles, apply)
		},
	}
	f := c.Flags()
	f.StringVar(&roles.Owner, "owner", "", "the role called `NAME` gets the schema and its tables")
	f.StringVar(&roles.Worker, "worker", "", "the role called `NAME` may run machines")
	f.StringVar(&roles.Reader, "reader", "", "the role called `NAME` may look")
	f.BoolVar(&apply, "apply", false, "run the SQL; without this flag, only print it")
	return c
}

type grantReport struct {
	Statements []string `json:"statements"`
	Applied    bool     `json:"applied"`
}

func (t *target) grant(ctx context.Context, roles postgres.Roles, apply bool) error {
	statements, err := postgres.Grant(ctx, t.db, roles, apply)
	if err != nil {
		return err
	}
	return t.print(&grantReport{statements, apply}, false, func() {
		for _, statement := range statements {
			fmt.Fprintf(t.out, "%s;\n", statement)
		}
	})
}
