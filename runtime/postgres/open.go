package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Store is a store.Store in a schema of a PostgreSQL database. It is safe for concurrent
// use, and any number of processes may have one on the same schema.
type Store struct {
	pool      *pgxpool.Pool
	schema    string
	options   options
	leaving   atomic.Bool // Close has been called
	closed    atomic.Bool
	texts     sync.Map     // of statements: with the schema, by the text without
	commits   atomic.Int64 // since the start
	present   presence
	lanes     lanes
	loads     loads
	found     atomic.Bool // the last claim has found something
	standings standings
	hints     *hints
	within    *within // nil where the store has connections of its own
	clock     serverClock

	noTimeline bool // the server does not say which is its own
}

var _ interface {
	store.Store
	store.Clocked
	store.Watcher
} = (*Store)(nil)

const (
	// maxConnections is how many connections a process has, unless the URL says
	// pool_max_conns.
	maxConnections = 5
	connectTimeout = 5 * time.Second

	// patience is for how long a call tries again while the server cannot be reached, if
	// its context does not end before.
	patience = 10 * time.Second
)

// IsURL reports whether name is what Open takes, and not the path of a file.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// Open opens the database at a URL (postgres://user@host/database?fsmc_schema=name), and
// makes the tables where there are none, or brings them up to date. The schema is fsmc,
// unless the URL names another. A password that the URL does not have comes from the
// environment, a service file or .pgpass, as libpq has it. Errors are those of errors.go, and
// what the server says; none has the password.
func Open(ctx context.Context, url string, opts ...Option) (*Store, error) {
	s, err := connect(ctx, url, opts...)
	if err != nil {
		return nil, err
	}
	err = s.once(ctx, s.checkServer)
	if err == nil {
		err = s.prepare(ctx)
	}
	if err != nil {
		s.pool.Close()
		return nil, err
	}
	return s, nil
}

// connect is Open without a look at what is there. Who has called it closes the pool.
func connect(ctx context.Context, url string, opts ...Option) (*Store, error) {
	s := &Store{lanes: lanes{moving: map[string]struct{}{}}, hints: newHints()}
	for _, opt := range opts {
		opt(&s.options)
	}
	s.clock.host = s.options.host
	config, err := s.configure(url)
	if err != nil {
		return nil, err
	}
	s.pool, err = pgxpool.NewWithConfig(ctx, config)
	return s, err
}

var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// configure reads the URL.
func (s *Store) configure(url string) (*pgxpool.Config, error) {
	if !IsURL(url) {
		return nil, errors.New("a PostgreSQL database is named by a URL: postgres://user@host/database")
	}
	config, err := parseURL(url)
	if err != nil {
		return nil, fmt.Errorf("the URL of the database: %w", err)
	}
	params := config.ConnConfig.RuntimeParams
	s.schema = cmp.Or(params["fsmc_schema"], "fsmc")
	delete(params, "fsmc_schema")
	if !schemaName.MatchString(s.schema) {
		return nil, fmt.Errorf("the schema %q: a name has small letters, digits and _", s.schema)
	}
	for name := range params {
		if strings.HasPrefix(name, "fsmc_") {
			return nil, fmt.Errorf("the URL of the database: there is no setting %q; the one that begins with fsmc_ is fsmc_schema", name)
		}
	}
	params["application_name"] = cmp.Or(params["application_name"], "fsmc")
	config.AfterConnect = registerArrays
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = maxConnections
	}
	if !strings.Contains(url, "connect_timeout") {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.DialFunc = dial
	return config, nil
}

// server is what a server says of itself.
type server struct {
	version                        int
	encoding, fsync, pages, commit string
	standby                        bool
}

const selectServer = `
	SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), current_setting('fsync'),
		current_setting('full_page_writes'), current_setting('synchronous_commit'), pg_is_in_recovery()`

// checkServer refuses a server that would lose what it has acknowledged.
func (s *Store) checkServer(ctx context.Context, t *tx) error {
	v, err := t.server(ctx)
	if err != nil {
		return err
	}
	if unfit := v.unfit(&s.options); unfit != "" {
		return fmt.Errorf("%w: %s", ErrUnfit, unfit)
	}
	// Some services do not say.
	if _, _, err := sqlrow.First(ctx, t, sqlrow.One[int64], selectEpoch); err != nil {
		if code(err) == "" {
			return err
		}
		s.noTimeline = true
	}
	return s.setClock(ctx, t)
}

// server asks the server what it is.
func (t *tx) server(ctx context.Context) (server, error) {
	v, _, err := sqlrow.First(ctx, t, func(found sqlrow.Row, v *server) error {
		return found.Scan(&v.version, &v.encoding, &v.fsync, &v.pages, &v.commit, &v.standby)
	}, selectServer)
	return v, err
}

// unfit is why a server will not do, empty where it will.
func (v *server) unfit(o *options) string {
	switch {
	case v.version < 14_00_00:
		return fmt.Sprintf("it is version %d, and 14 is the oldest that will do", v.version/1_00_00)
	case v.encoding != "UTF8":
		return "the encoding of the database is " + v.encoding + ", and not UTF8"
	case o.readOnly:
		return ""
	case v.standby:
		return "it is a standby, which takes no writes: add target_session_attrs=read-write to the URL"
	case v.fsync != "on":
		return "it has fsync=" + v.fsync
	case v.pages != "on":
		return "it has full_page_writes=" + v.pages
	case v.commit == "off" && !o.relaxed:
		return "it has synchronous_commit=off"
	}
	return ""
}

func (s *Store) Close() error {
	if s.within != nil {
		s.closed.Store(true)
	} else if !s.leaving.Swap(true) {
		s.hints.close()
		s.leave()
		s.closed.Store(true)
		s.pool.Close()
	}
	return nil
}
