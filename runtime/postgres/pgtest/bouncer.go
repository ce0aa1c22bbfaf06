package pgtest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// guardBouncer runs PgBouncer for as long as its input is open, and then takes its folder away.
const guardBouncer = `
"$1" "$2/bouncer.ini" </dev/null >>"$2/log" 2>&1 &
pooler=$!
cat >/dev/null
kill -INT $pooler
wait $pooler
rm -rf "$2"
`

// Bouncer puts PgBouncer before a database, with a connection to the server for each transaction. It gives the
// URL with which the database is opened through it. Without PgBouncer the test is skipped.
func Bouncer(t testing.TB, at string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Skipf("PGBOUNCER WAS NOT TESTED: %v", err)
		}
	}
	to, err := pgx.ParseConfig(at)
	must(t, err)
	dir, err := os.MkdirTemp("", "fsmc-pgb-") // a socket's path is short
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	password := ""
	if to.Password != "" {
		password = "password='" + strings.ReplaceAll(to.Password, "'", "''") + "'"
	}
	config := fmt.Sprintf(`[databases]
%s = host='%s' port=%d user='%s' %s
[pgbouncer]
pool_mode = transaction
default_pool_size = 4
auth_type = any
listen_addr =
listen_port = 6432
unix_socket_dir = %[6]s
pidfile = %[6]s/pid
`, to.Database, to.Host, to.Port, to.User, password, dir)
	must(t, os.WriteFile(filepath.Join(dir, "bouncer.ini"), []byte(config), 0o644))
	guardian := exec.Command("sh", "-c", guardBouncer, "sh", program, dir)
	guardian.Dir = dir
	must(t, unprivileged(guardian, dir))
	hold, err := guardian.StdinPipe()
	must(t, err)
	must(t, guardian.Start())
	t.Cleanup(func() {
		_ = hold.Close()
		_ = guardian.Wait()
	})
	through, err := url.Parse(at)
	must(t, err)
	query := through.Query()
	query.Set("host", dir)
	query.Set("port", "6432")
	query.Set("sslmode", "disable")
	query.Set("default_query_exec_mode", "exec")
	through.Host, through.RawQuery = "", query.Encode()
	must(t, answers(through.String(), filepath.Join(dir, "log")))
	return through.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
