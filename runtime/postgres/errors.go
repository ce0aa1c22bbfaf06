package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Errors of Open that callers tell apart with errors.Is.
var (
	// ErrForeign is the error for a schema that has tables, and not those of fsmc.
	ErrForeign = errors.New("the schema is not one of fsmc")
	// ErrNewer is the error for tables that a newer version of fsmc has made.
	ErrNewer = errors.New("the database is from a newer version of fsmc")
	// ErrOlder is the error of Open with ReadOnly for tables that have to be brought up to date first.
	ErrOlder = errors.New("the database is from an older version of fsmc, and cannot be brought up to date read-only")
	// ErrContract is the error for tables that have to be brought up to date by Migrate first.
	ErrContract = errors.New("the database waits for a change that takes something away from older versions: fsmc db migrate --apply makes it")
	// ErrOlderHosts is the error of Migrate while a process of an older version has the database open.
	ErrOlderHosts = errors.New("processes of an older version have the database open, and could not go on: end them first")
	// ErrMissing is the error of Open with Existing or ReadOnly where there are no tables.
	ErrMissing = errors.New("there are no tables of fsmc yet, which fsmc db init makes")
	// ErrUnfit is the error for a server that would lose what it has acknowledged, or that
	// cannot keep runs: its version, its encoding, its settings.
	ErrUnfit = errors.New("the server cannot keep runs")

	// ErrRights is the error of what the role may not do.
	ErrRights = errors.New("the role has no right to do this: fsmc db roles says what a worker and a reader need, and the owner of the tables brings them up to date")

	// ErrPooler is the error where a pooler gives the connection of one client to another after each transaction.
	ErrPooler = errors.New("what fsmc has prepared is not there, or of another client, as behind a pooler of transactions: add default_query_exec_mode=exec to the URL")

	// ErrReadOnly is the error of a write to a store opened with ReadOnly.
	ErrReadOnly = errors.New("the database was opened read-only")
)

// ErrServer is wrapped by errors of a server that cannot be reached or cannot write now.
var ErrServer = store.Unavailable("the PostgreSQL server cannot do it now")

// translate puts an error of the driver in our words; ctx is that of the call.
func (s *Store) translate(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.closed.Load():
		return store.ErrClosed
	case errors.Is(err, store.ErrUnknown):
		return err
	case context.Cause(ctx) != nil && ended(err):
		if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
			return fmt.Errorf("%w: %s", context.Cause(ctx), words(err))
		}
		return context.Cause(ctx)
	case code(err) == "42501":
		return fmt.Errorf("%w: %s", ErrRights, words(err))
	case slices.Contains(unprepared, code(err)):
		return fmt.Errorf("%w: %s", ErrPooler, words(err))
	case passes(err):
		return fmt.Errorf("%w: %s", ErrServer, words(err))
	}
	return err
}

// ended reports whether err can be of a context that is done.
func ended(err error) bool {
	return lost(err) || code(err) == "57014"
}

// code is the SQLSTATE of an answer of the server, empty for other errors.
func code(err error) string {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answer.Code
	}
	return ""
}

// unprepared are the codes of SQLSTATE for a prepared statement that is there already, or that is not there.
var unprepared = []string{"42P05", "26000"}

// Classes and codes of SQLSTATE for what passes: the connection, resources, the intervention
// of an operator, a lock that is not to be had, a server that has become a standby.
var passing = []string{"08", "53", "57", "55P03", "25006", idleTooLong}

// idleTooLong is the SQLSTATE of a transaction that the server has taken back since it heard nothing for so long.
const idleTooLong = "25P03"

// passes reports whether an error of the driver is one that passes.
func passes(err error) bool {
	if c := code(err); c != "" {
		return slices.ContainsFunc(passing, func(prefix string) bool { return strings.HasPrefix(c, prefix) })
	}
	return lost(err)
}

// lost reports whether err is of the connection, and no answer of the server.
func lost(err error) bool {
	_, broken := errors.AsType[*brokenError](err)
	return broken
}

// brokenError is an error of a connection that is lost, or of one that could not be made.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

// undecided reports whether the error of a COMMIT leaves open whether that was made. All do
// but an answer of a server that stays: pgconn.SafeToRetry says yes of a connection that was
// lost between a COMMIT and its reply ("conn closed"), and is not asked.
func undecided(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return !ok || answer.Code != idleTooLong && (answer.Severity == "FATAL" || answer.Severity == "PANIC")
}

// words are an error's, in one line. What the driver has tried twice, with TLS and without, is said once.
func words(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i := range lines {
		lines[i] = strings.Join(strings.Fields(lines[i]), " ")
	}
	return strings.TrimSpace(strings.Join(slices.Compact(lines), " "))
}
