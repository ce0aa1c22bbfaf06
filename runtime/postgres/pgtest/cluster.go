package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// cluster is a server of this process's own, in a folder of its own, which listens on a
// socket in that folder and on nothing else.
type cluster struct {
	bin, dir string
	guardian *exec.Cmd
	hold     io.WriteCloser // while it is open, the server runs, unless it is told something else
}

var own cluster

// guard runs the server for as long as its input is open, and then ends it and takes its
// folder away: also when the process that has started it is killed. A line of the input stops
// the server as a crash does, or starts it again.
const guard = `
bin="$1" dir="$2"
shift 2
server=
begin() {
	rm -f "$dir"/.s.PGSQL.* # of a copy
	"$bin"/postgres -D "$dir" -k "$dir" -c listen_addresses= -c max_connections=200 "$@" </dev/null >>"$dir"/log 2>&1 &
	server=$!
}
end() {
	if [ -n "$server" ]; then kill -"$1" $server; wait $server; fi
	server=
}
begin "$@"
while read -r line; do
	case $line in
	stop) end QUIT ;;
	start) begin "$@" ;;
	esac
done
end INT
rm -rf "$dir"
`

// start makes a cluster with some settings and waits until it answers.
func (c *cluster) start(settings ...string) (string, error) {
	return c.make(settings, "initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
}

// make has a program of the server make the cluster's folder, and starts the server.
func (c *cluster) make(settings []string, program string, args ...string) (at string, err error) {
	if c.bin, err = programs(); err != nil {
		return "", err
	}
	if c.dir, err = os.MkdirTemp(place(), "fsmc-pg-"); err != nil { // a socket's path is short
		return "", err
	}
	if err := unprivileged(&exec.Cmd{}, c.dir); err != nil {
		return "", err
	}
	made := exec.Command(filepath.Join(c.bin, program), append([]string{"-D", c.dir}, args...)...)
	made.Dir = c.dir
	if err := unprivileged(made, c.dir); err != nil {
		return "", err
	}
	if out, err := made.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(out))
	}
	c.guardian = exec.Command("sh", "-c", guard, "sh", c.bin, c.dir)
	for _, setting := range settings {
		c.guardian.Args = append(c.guardian.Args, "-c", setting)
	}
	c.guardian.Dir = c.dir
	if err := unprivileged(c.guardian, c.dir); err != nil {
		return "", err
	}
	if c.hold, err = c.guardian.StdinPipe(); err != nil {
		return "", err
	}
	if err := c.guardian.Start(); err != nil {
		return "", err
	}
	return c.url(), c.answers()
}

// url is that of the cluster's first database.
func (c *cluster) url() string {
	at := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres", RawQuery: url.Values{"host": {c.dir}}.Encode()}
	return at.String()
}

func (c *cluster) answers() error { return answers(c.url(), filepath.Join(c.dir, "log")) }

// tell has the guardian do something.
func (c *cluster) tell(what string) error {
	_, err := io.WriteString(c.hold, what+"\n")
	return err
}

// answers waits until a server does.
func answers(at, log string) error {
	var err error
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err = Exec(ctx, at, "SELECT 1")
		cancel()
		if err == nil {
			return nil
		}
	}
	said, _ := os.ReadFile(log)
	return fmt.Errorf("the server does not answer: %w: %s", err, said)
}

// stop ends the server, if there is one.
func (c *cluster) stop() {
	if c.hold != nil {
		_ = c.hold.Close()
		_ = c.guardian.Wait()
	}
	if c.dir != "" {
		_ = os.RemoveAll(c.dir)
	}
}

// programs is the folder with initdb and postgres: in PATH, where pg_config says, or where
// Debian has them.
func programs() (string, error) {
	var folders []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		folders = append(folders, filepath.Dir(path))
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(debian)
	for _, folder := range append(folders, debian...) {
		_, noInit := os.Stat(filepath.Join(folder, "initdb"))
		_, noServer := os.Stat(filepath.Join(folder, "postgres"))
		if noInit == nil && noServer == nil {
			return folder, nil
		}
	}
	return "", errors.New("FSMC_POSTGRES is not set, and there is no initdb")
}
