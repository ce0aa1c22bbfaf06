package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
)

// Status is what a database and its server say of themselves, for an operator. What the role
// may not see is left out.
type Status struct {
	Server   string `json:"server"` // its version
	Database string `json:"database"`
	Role     string `json:"role"`
	Schema   string `json:"schema"`

	Format   int         `json:"format"`  // of the tables; 0 where there are none
	Known    int         `json:"known"`   // the newest format of this version
	Missing  []Migration `json:"missing"` // what Migrate would do
	Problems []string    `json:"problems"`

	Bytes  int64   `json:"bytes"`  // of all tables, with their indexes
	Tables []Table `json:"tables"` // the largest first
	Hosts  []Host  `json:"hosts"`

	Archive string  `json:"archive"` // the setting: month or off
	Months  []Month `json:"months"`  // of the archive, the oldest first

	Settings []Setting `json:"settings"`
	// Standbys says how many connected standbys a commit waits for; nil where the role may not know.
	Standbys     *int         `json:"standbys"`
	StandbyNames string       `json:"standby_names"` // the setting synchronous_standby_names
	Oldest       *Transaction `json:"oldest_transaction"`
}

// Table is a table and its size.
type Table struct {
	Name  string `json:"name"`
	Rows  int64  `json:"rows"` // about so many
	Bytes int64  `json:"bytes"`
}

// Setting is a setting of the server that decides whether it loses what it has acknowledged.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Safe  bool   `json:"safe"`
}

// Transaction is one that others have begun. While it lasts, no dead row behind it is cleared away.
type Transaction struct {
	PID         int64     `json:"pid"` // 0 for one that is prepared
	Role        string    `json:"role"`
	Application string    `json:"application"`
	Since       time.Time `json:"since"`
}

const (
	selectServerText = `SELECT current_setting('server_version'), current_database(), current_user`
	selectSizes      = `
	SELECT coalesce(p.relname, c.relname), sum(greatest(coalesce(s.n_live_tup, 0), c.reltuples :: bigint, 0)) :: bigint,
		sum(pg_total_relation_size(c.oid)) :: bigint
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace LEFT JOIN pg_stat_all_tables AS s ON s.relid = c.oid
		LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid LEFT JOIN pg_class AS p ON p.oid = i.inhparent
	WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') GROUP BY 1 ORDER BY 3 DESC, 1`
	selectStandbys = `
	SELECT current_setting('synchronous_standby_names'),
		CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN (
			SELECT count(*) :: int FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')) END`
	selectOldest = `
	SELECT pid :: bigint, coalesce(usename, ''), application_name, xact_start FROM pg_stat_activity
	WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'
	UNION ALL
	SELECT 0, owner, 'prepared', prepared FROM pg_prepared_xacts WHERE database = current_database()
	ORDER BY 4 LIMIT 1`
)

// Inspect reads the status of the database at a URL. It changes nothing, and also reads those that
// Open refuses.
func Inspect(ctx context.Context, url string, opts ...Option) (*Status, error) {
	s, err := connect(ctx, url, opts...)
	if err != nil {
		return nil, err
	}
	defer s.pool.Close()
	st := Status{Schema: s.schema, Known: len(s.steps()), Problems: []string{}, Missing: []Migration{}, Tables: []Table{}, Hosts: []Host{},
		Archive: ArchiveOff, Months: []Month{}}
	return &st, s.once(ctx, func(ctx context.Context, t *tx) error {
		if err := st.readServer(ctx, t); err != nil {
			return err
		}
		return st.readSchema(ctx, t)
	})
}

func (st *Status) readServer(ctx context.Context, t *tx) error {
	_, _, err := sqlrow.First(ctx, t, func(found sqlrow.Row, _ *struct{}) error {
		return found.Scan(&st.Server, &st.Database, &st.Role)
	}, selectServerText)
	if err != nil {
		return err
	}
	v, err := t.server(ctx)
	if err != nil {
		return err
	}
	if why := v.unfit(&t.s.options); why != "" {
		st.problem("the server cannot keep runs: %s", why)
	}
	st.Settings = []Setting{
		{"fsync", v.fsync, v.fsync == "on"},
		{"full_page_writes", v.pages, v.pages == "on"},
		{"synchronous_commit", v.commit, v.commit != "off"},
	}
	if _, _, err = sqlrow.First(ctx, t, func(found sqlrow.Row, _ *struct{}) error {
		return found.Scan(&st.StandbyNames, &st.Standbys)
	}, selectStandbys); err != nil {
		return err
	}
	oldest, some, err := sqlrow.First(ctx, t, func(found sqlrow.Row, o *Transaction) error {
		return found.Scan(&o.PID, &o.Role, &o.Application, &o.Since)
	}, selectOldest)
	if some {
		st.Oldest = &oldest
	}
	return err
}

func (st *Status) readSchema(ctx context.Context, t *tx) (err error) {
	format, err := t.s.format(ctx, t)
	if st.Format = format; err != nil && code(err) == "" && !lost(err) {
		st.problem("%v", err) // the tables are another program's, or a newer version's
	} else if err != nil {
		return err
	}
	steps := t.s.steps()
	for i := format; i < len(steps) && format > 0; i++ {
		st.Missing = append(st.Missing, Migration{i + 1, steps[i].name, steps[i].contract})
	}
	if err == nil && format > 1 {
		hosts, err := t.hosts(ctx)
		if err != nil {
			return err
		}
		st.Hosts = append(st.Hosts, hosts...)
	}
	if err == nil && format >= archiveFormat {
		if st.Archive, _, err = sqlrow.First(ctx, t, sqlrow.One[string], selectArchive); err != nil {
			return err
		}
		months, err := sqlrow.List(ctx, t, scanMonth, selectMonths)
		if err != nil {
			return err
		}
		st.Months = append(st.Months, months...)
	}
	tables, err := sqlrow.List(ctx, t, func(found sqlrow.Row, s *Table) error {
		return found.Scan(&s.Name, &s.Rows, &s.Bytes)
	}, selectSizes, t.s.schema)
	st.Tables = append(st.Tables, tables...)
	for i := range st.Tables {
		st.Bytes += st.Tables[i].Bytes
	}
	return err
}

func (st *Status) problem(format string, args ...any) {
	st.Problems = append(st.Problems, fmt.Sprintf(format, args...))
}
