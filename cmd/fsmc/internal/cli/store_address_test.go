//go:build !hook

package cli

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// password is what no message may have.
const password = "lfsrudel"

// addresses are texts that are meant as the address of a server, and are no URL of one.
func addresses(password string) []string {
	user := "u:" + password + "@h"
	return []string{
		"postgres:/" + user + "/db", "postgres:" + user, "postgres//" + user, "postgres/" + user, "postgresql:/" + user, "Postgres:/" + user,
		"POSTGRES//" + user, "postgres;//" + user + "/db", "//" + user + "/db", "/" + user, user, user + ":5432/db", "./" + user, ":" + password + "@h",
		"temporal:/" + user, "temporal//" + user, "Temporal:" + user, "mysql://" + user, "postgress://" + user,
		"postgres:u%3A" + password + "%40h", "host=h password=" + password, "host=h PASSWORD = " + password, "//h/db?sslpassword=" + password,
	}
}

// onDatabases are command lines of all commands that take --db.
var onDatabases = []string{
	"breaking --against m.fsm m.fsm", "simulate --run r", "dot --run r m.fsm", "run --detach m.fsm", "run --activities . m.fsm", "run --activities .", "run --activities . --follow",
	"send r Go", "complete r d T", "cancel r", "cancel --where machine=M", "pause r", "pause --where machine=M", "resume r", "resume --where machine=M", "retry r",
	"retry --where machine=M", "repair r", "migrate m.fsm", "prune --older-than 1d", "list", "show r", "history r", "watch", "watch r", "wait r", "stats", "health", "replay",
	"replay r", "backup copy.db", "restore m.fsm", "serve --addr 127.0.0.1:0", "mcp", "db init", "db status", "db migrate", "db roles --worker w", "db archive x",
}

// printed is what a command line prints, and its exit status.
func printed(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	status := make(chan int, 1)
	go func() { status <- Main(args, strings.NewReader(""), &out, &out) }()
	select {
	case code := <-status:
		return out.String(), code
	case <-time.After(time.Minute):
		t.Fatalf("%q does not end", args)
		return "", 0
	}
}

func inFolder(t testing.TB) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv(databaseVariable, "")
	if err := os.WriteFile("m.fsm", []byte("machine M { event Go  initial A  state A { on Go -> Done }  terminal Done }"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAddressIsNotPrinted: a database that is meant as one of a server is refused without saying it, by every
// command, and nothing is made that is called so.
func TestAddressIsNotPrinted(t *testing.T) {
	inFolder(t)
	for _, address := range addresses(password) {
		lines := [][]string{
			{"list", address}, {"breaking", "--against", address, "m.fsm"}, {"backup", "--db", "m.fsm", address}, {"restore", "--db", "new.db", address},
			{"move", "--from", address, "--to", "postgres://u@127.0.0.1:1/d"}, {"move", "--from", "m.fsm", "--to", address},
		}
		for _, line := range onDatabases {
			lines = append(lines, append(strings.Fields(line), "--db", address))
		}
		for _, line := range lines {
			if text, status := printed(t, line...); strings.Contains(text, password) || status != exitUsage || text == "" {
				t.Errorf("%q: status %d\n%s", line, status, text)
			}
		}
		t.Setenv(databaseVariable, address)
		for _, line := range []string{"list", "list --help", "run --detach m.fsm"} {
			if text, _ := printed(t, strings.Fields(line)...); strings.Contains(text, password) || text == "" {
				t.Errorf("%s with %s=%q:\n%s", line, databaseVariable, address, text)
			}
		}
		t.Setenv(databaseVariable, "")
	}
	files, err := os.ReadDir(".")
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

// TestOnDatabases: the commands of TestAddressIsNotPrinted are all that have --db.
func TestOnDatabases(t *testing.T) {
	var tested []string
	for _, line := range onDatabases {
		words := strings.Fields(line)
		tested = append(tested, words[0])
		if words[0] == "db" {
			tested = append(tested, words[1])
		}
	}
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		if c.Flags().Lookup("db") != nil && !slices.Contains(tested, c.Name()) {
			t.Error("not tested:", c.CommandPath())
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(newRoot(&streams{}))
}

// TestFilesThatLookLikeAddresses: a file or folder that is there is one, however it is called.
func TestFilesThatLookLikeAddresses(t *testing.T) {
	inFolder(t)
	if err := os.MkdirAll("sftp:host,user=ada@h/a", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sftp:host,user=ada@h", "sftp:host,user=ada@h/new.db", "sftp:host,user=ada@h/a/new.db", "postgres.db", "temporal/runs.db", "ada@h.db", "12:00.db", "/a@b:c.db"} {
		if isAddress(name) {
			t.Errorf("%q is taken for an address", name)
		}
	}
}

// FuzzAddressIsNotPrinted is TestAddressIsNotPrinted for any password, by one command that reads and one that makes.
func FuzzAddressIsNotPrinted(f *testing.F) {
	for _, text := range []string{"", "/", "@", ":", "%", "\x00", "?password=", " ", "\n", "é", "..", "../../"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		inFolder(t)
		for _, address := range addresses(text + password) {
			for _, line := range []string{"list", "run --detach m.fsm"} {
				args := append(strings.Fields(line), "--db", address)
				if text, status := printed(t, args...); strings.Contains(text, password) || status != exitUsage {
					t.Errorf("%q: status %d\n%s", args, status, text)
				}
			}
		}
	})
}
