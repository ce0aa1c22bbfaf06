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
	dir      string
	guardian *exec.Cmd
	hold     io.Closer // while it is open, the server runs
}

var own cluster

// guard runs the server for as long as its input is open, and then ends it and takes its
// folder away: also when the process that has started it is killed.
const guard = `
bin="$1" dir="$2"
shift 2
"$bin"/postgres -D "$dir" -k "$dir" -c listen_addresses= -c max_connections=200 "$@" </dev/null >"$dir"/log 2>&1 &
server=$!
cat >/dev/null
kill -INT $server
wait $server
rm -rf "$dir"
`

// start makes a cluster with some settings and waits until it answers.
func (c *cluster) start(settings ...string) (string, error) {
	bin, err := programs()
	if err != nil {
		return "", err
	}
	if c.dir, err = os.MkdirTemp("", "fsmc-pg-"); err != nil { // a socket's path is short
		return "", err
	}
	if err := unprivileged(&exec.Cmd{}, c.dir); err != nil {
		return "", err
	}
	made := exec.Command(filepath.Join(bin, "initdb"), "-D", c.dir, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	made.Dir = c.dir
	if err := unprivileged(made, c.dir); err != nil {
		return "", err
	}
	if out, err := made.CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out))
	}
	c.guardian = exec.Command("sh", "-c", guard, "sh", bin, c.dir)
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
	at := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres", RawQuery: url.Values{"host": {c.dir}}.Encode()}
	return at.String(), answers(at.String(), filepath.Join(c.dir, "log"))
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
