package postgres

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
)

// Roles are those of the database who have to do with runs; an empty name is left out.
type Roles struct {
	// Owner has the tables: it changes them, prunes, and moves runs.
	Owner string
	// Worker starts runs, sends, works and repairs. It changes no table and no record of history, and
	// deletes no run.
	Worker string
	// Reader only looks.
	Reader string
}

// Tables of which a worker may not do everything. All others it may read and write.
var workerMay = map[string]string{
	"history":     "INSERT",
	"inbox":       "INSERT",
	"definitions": "INSERT",
	"runs":        "INSERT, UPDATE",
	"tags":        "INSERT, UPDATE",
	"meta":        "",
	"prunings":    "",
	"settings":    "",
}

const (
	selectOwner = `
	SELECT pg_get_userbyid(nspowner), current_database() FROM pg_namespace WHERE nspname = $1`
	hasRole = `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)`

	// selectOwned is what has an owner of its own, as ALTER names it. The sequence of a column
	// belongs to its table.
	selectOwned = `
	SELECT CASE c.relkind WHEN 'v' THEN 'VIEW ' WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || format('%I.%I', n.nspname, c.relname)
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'S')
		AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype IN ('i', 'a') AND d.refobjsubid > 0)
	UNION ALL
	SELECT 'FUNCTION ' || p.oid :: regprocedure FROM pg_proc AS p WHERE p.pronamespace = $1 :: regnamespace
	ORDER BY 1`
	selectTables = `
	SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') ORDER BY 1`
)

// Grant gives the statements that make roles, as far as there are none of their names, and give
// them what they need at the database of a URL, and nothing else of its tables. With apply it runs them, in one
// transaction. No statement has a password. ErrMissing where there are no tables.
func Grant(ctx context.Context, url string, r Roles, apply bool, opts ...Option) (statements []string, err error) {
	s, err := connect(ctx, url, opts...)
	if err != nil {
		return nil, err
	}
	defer s.pool.Close()
	if err := s.once(ctx, func(ctx context.Context, t *tx) error {
		format, err := s.format(ctx, t)
		if err == nil && format == 0 {
			err = fmt.Errorf("schema %q: %w", s.schema, ErrMissing)
		}
		if err == nil {
			statements, err = t.grants(ctx, r)
		}
		return err
	}); err != nil || !apply {
		return statements, err
	}
	return statements, s.write(ctx, func(ctx context.Context, t *tx) error {
		if _, err := t.exec(ctx, lockSchema, s.schema); err != nil {
			return err
		}
		for _, statement := range statements {
			if _, err := t.conn.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

// distinct refuses a worker or a reader who is someone else, too: what it gets would take away what that has.
func (r *Roles) distinct(owner string) error {
	switch {
	case r.Worker == owner, r.Reader == owner:
		return fmt.Errorf("role %q has the tables, and can be no worker or reader beside that: name another one", owner)
	case r.Worker != "" && r.Worker == r.Reader:
		return fmt.Errorf("role %q cannot be a worker and a reader: a worker may read", r.Worker)
	}
	return nil
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// grants are the statements for roles.
func (t *tx) grants(ctx context.Context, r Roles) (all []string, err error) {
	var owner, database string
	if _, _, err := sqlrow.First(ctx, t, func(found sqlrow.Row, _ *struct{}) error {
		return found.Scan(&owner, &database)
	}, selectOwner, t.s.schema); err != nil {
		return nil, err
	}
	if err := r.distinct(cmp.Or(r.Owner, owner)); err != nil {
		return nil, err
	}
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, role := range []string{r.Owner, r.Worker, r.Reader} {
		if role == "" {
			continue
		}
		there, _, err := sqlrow.First(ctx, t, sqlrow.One[bool], hasRole, role)
		if err != nil {
			return nil, err
		}
		if !there {
			add("CREATE ROLE %s LOGIN", quoted(role))
		}
		add("GRANT CONNECT ON DATABASE %s TO %s", quoted(database), quoted(role))
	}
	if r.Owner != "" && r.Owner != owner {
		owned, err := sqlrow.List(ctx, t, sqlrow.One[string], selectOwned, t.s.schema)
		if err != nil {
			return nil, err
		}
		for _, thing := range append([]string{"SCHEMA " + t.s.schema}, owned...) {
			add("ALTER %s OWNER TO %s", thing, quoted(r.Owner))
		}
		owner = r.Owner
	}
	tables, err := sqlrow.List(ctx, t, sqlrow.One[string], selectTables, t.s.schema)
	if err != nil {
		return nil, err
	}
	for _, role := range []string{r.Worker, r.Reader} {
		if role != "" {
			all = append(all, t.s.readerGrants(quoted(owner), quoted(role))...)
		}
	}
	if r.Worker != "" {
		all = append(all, t.s.workerGrants(quoted(owner), quoted(r.Worker), tables)...)
	}
	return all, nil
}

// readerGrants let a role look, and take away what it had beside.
func (s *Store) readerGrants(owner, role string) []string {
	in, later := "IN SCHEMA "+s.schema, "ALTER DEFAULT PRIVILEGES FOR ROLE "+owner+" IN SCHEMA "+s.schema
	return []string{
		"GRANT USAGE ON SCHEMA " + s.schema + " TO " + role,
		"REVOKE ALL ON ALL TABLES " + in + " FROM " + role,
		"GRANT SELECT ON ALL TABLES " + in + " TO " + role,
		later + " GRANT SELECT ON TABLES TO " + role,
	}
}

// workerGrants let a role who may look work.
func (s *Store) workerGrants(owner, role string, tables []string) []string {
	later := "ALTER DEFAULT PRIVILEGES FOR ROLE " + owner + " IN SCHEMA " + s.schema
	var everything []string
	all := []string{"GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + s.schema + " TO " + role}
	for _, table := range tables {
		rights, some := workerMay[table]
		some = some || strings.HasPrefix(table, "archived_")
		switch full := s.schema + "." + quoted(table); {
		case !some:
			everything = append(everything, full)
		case rights != "":
			all = append(all, "GRANT "+rights+" ON "+full+" TO "+role)
		}
	}
	return append(all,
		"GRANT INSERT, UPDATE, DELETE ON "+strings.Join(everything, ", ")+" TO "+role,
		later+" GRANT INSERT, UPDATE, DELETE ON TABLES TO "+role,
		later+" GRANT USAGE ON SEQUENCES TO "+role)
}
