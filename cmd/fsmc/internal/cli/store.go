package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	osuser "os/user"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// mode says how a database is opened.
type mode int

const (
	readOnly  mode = iota // it must exist, and is not changed
	readWrite             // it must exist
	create                // it is made where it does not exist
)

// writing is how a command opens the database that only then writes, as with --apply.
func writing(writes bool) mode {
	if writes {
		return readWrite
	}
	return readOnly
}

var errNoDatabase = errors.New("--db FILE is missing: it names the database with the runs, as does the variable FSMC_DB")

// databaseVariable names the variable that stands in for --db.
const databaseVariable = "FSMC_DB"

// openStore opens the database that is a file, or the one that a URL names.
func openStore(ctx context.Context, path string, m mode) (runtime.Store, error) {
	if err := checkDatabase(path); err != nil {
		return nil, err
	}
	if isServer(path) {
		return openPostgres(ctx, path, m)
	}
	if m != create {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return nil, noDatabase(path)
		}
	}
	options := map[mode][]sqlite.Option{readOnly: {sqlite.ReadOnly()}, readWrite: {sqlite.Existing()}}
	return sqlite.Open(ctx, path, options[m]...)
}

// errNotFile is the error of a --db that is meant as a database of a server. It does not say it again,
// because there may be a password in it.
var errNotFile = errors.New("--db is a FILE, or a URL that begins with postgres:// or temporal://")

// checkDatabase refuses what names no database.
func checkDatabase(db string) error {
	switch {
	case db == "":
		return errNoDatabase
	case !isServer(db) && isAddress(db):
		return errNotFile
	}
	return nil
}

// noDatabase is the error of a file that is not there.
func noDatabase(path string) error { return fmt.Errorf("there is no database %q", path) }

// refuseServer is the error of a command about the file of a database, where that is none.
func refuseServer(db, command string) error {
	if !isServer(db) {
		return nil
	}
	return fmt.Errorf("%s is about a SQLite file: of PostgreSQL make copies with pg_dump or continuous archiving, and prove one with fsmc replay", command)
}

// target is what the commands about stored runs have in common.
type target struct {
	*streams
	db     string
	asJSON bool
	waits  bool // for a server that does not answer yet
}

func (t *target) flags(c *cobra.Command) {
	dbFlag(c, &t.db)
	formatFlag(c, &t.asJSON)
}

// print prints report, as JSON or with text. Where something is wrong the command then
// ends with exitFinding.
func (t *target) print(report any, wrong bool, text func()) error {
	if !t.asJSON {
		text()
	} else if err := printJSON(t.out, report); err != nil {
		return err
	}
	if wrong {
		return errFinding
	}
	return nil
}

// with opens the database for f, and says of an error of f which run it is
// about.
func (t *target) with(ctx context.Context, m mode, run string, f func(runtime.Store) error) (err error) {
	defer t.catchSignals()()
	store, err := t.open(ctx, m)
	if err != nil {
		return err
	}
	defer func() {
		if closed := store.Close(); err == nil {
			err = closed
		}
	}()
	return runError(ctx, store, run, f(store))
}

// askAgain is how long it takes until a server that does not answer is asked again.
const askAgain = time.Second

// open opens the database. With waits, it asks a server again and again until that answers; what
// ends it then is that ctx is done.
func (t *target) open(ctx context.Context, m mode) (runtime.Store, error) {
	for said := false; ; said = true {
		store, err := openStore(ctx, t.db, m)
		if !t.waits || !errors.Is(err, errServer) || ctx.Err() != nil {
			return store, err
		}
		if !said {
			fmt.Fprintf(t.err, "fsmc: %s; it is asked again until it can\n", describe.Plain(err.Error(), 1000))
		}
		select {
		case <-ctx.Done():
		case <-time.After(askAgain):
		}
	}
}

func dbFlag(c *cobra.Command, db *string) {
	c.Flags().StringVar(db, "db", "", "") // databaseInHelp says what it is
	*db = os.Getenv(databaseVariable)     // and no default, which --help would print
}

// databaseInHelp says in the help of a command which databases it takes.
func databaseInHelp(c *cobra.Command) {
	f := c.Flags().Lookup("db")
	if f == nil || f.Usage != "" {
		return
	}
	kinds := "a `FILE` or postgres://…"
	switch path := c.CommandPath(); {
	case path == "fsmc backup", path == "fsmc restore":
		kinds = "a `FILE`"
	case strings.HasPrefix(path, "fsmc db "):
		kinds = "a `URL`, postgres://…"
	case worksOnTemporal(c):
		kinds = "a `FILE`, postgres://… or temporal://…"
	}
	f.Usage = "the database: " + kinds + "; $FSMC_DB if not given"
}

// runError puts an error about one run into words: what the run refuses, and
// that there is none, is no fault of the database.
func runError(ctx context.Context, store runtime.Store, run string, err error) error {
	var refused *runtime.Rejected
	switch {
	case errors.As(err, &refused), errors.Is(err, runtime.ErrFinished):
		return findingf("%w", err)
	case errors.Is(err, runtime.ErrNotFound):
		return findingf("there is no run %q in the database%s", run, runtime.NewEngine(store).DidYouMean(ctx, run))
	case errors.Is(err, runtime.ErrUnknown):
		return fmt.Errorf("%w: fsmc history says whether it was, and an event that has an --event-id can be sent again", err)
	}
	return err
}

// notOfMachine is said where a run is asked for together with a machine that is
// not its own.
func notOfMachine(run, machine, wanted string) error {
	return findingf("%s", describe.OtherMachine(run, machine, wanted))
}

// user is who is logged in, as the system's variables have it, or the system
// itself where they are not set, as in cron and in containers.
func user() string {
	name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME"))
	if name != "" {
		return name
	}
	if u, err := osuser.Current(); err == nil {
		name = cmp.Or(u.Username, u.Uid)
	}
	return name
}

// What is in an address of a server, however it is misspelt: a scheme, a password that has a name, or one in
// front of a host.
var (
	addressWords = regexp.MustCompile(`(?i)://|pass[a-z]*\s*=|^\s*(postgres(ql)?|temporal)(:|//)`)
	userAndHost  = regexp.MustCompile(`(?s):.*@`)
)

// isAddress reports whether a text that should be a file, and is none, is meant as the address of a server. No
// message says such a text, because there may be a password in it.
func isAddress(text string) bool {
	if _, err := os.Stat(text); err == nil {
		return false
	}
	folder, name := filepath.Split(text)
	if _, err := os.Stat(folder); err != nil { // else it may be called so itself
		name = text
	}
	return addressWords.MatchString(text) || userAndHost.MatchString(name)
}
