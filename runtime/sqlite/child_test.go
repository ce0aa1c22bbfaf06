//go:build cgo

package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A child is this test binary started again, told by its environment what to do.
const (
	childPath = "FSMC_TEST_DATABASE"
	childRole = "FSMC_TEST_ROLE"
)

func child(role, path string) int {
	if role == "restore over it" {
		_, err := Restore(context.Background(), path, path, nil)
		fmt.Println(err)
		return 0
	}
	s, err := Open(context.Background(), path)
	if err == nil {
		switch role {
		case "commit until killed":
			err = commitUntilKilled(s)
		case "open":
			err = s.Close()
		case "compete":
			err = compete(s, competitions)
		case "feed one", "feed two":
			err = feedAll(s, role)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func startChild(t *testing.T, role, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childPath+"="+path, childRole+"="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

const killedRuns = 4

// commitUntilKilled steps a few runs, each on its own, and says so of each step
// when it has been acknowledged.
func commitUntilKilled(s *Store) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	for i := range killedRuns {
		wait.Go(func() {
			for {
				row, err := s.Load(context.Background(), fmt.Sprintf("r%d", i))
				if err != nil {
					return
				}
				c := nextStep(row)
				if s.Commit(context.Background(), c) != nil {
					return
				}
				mu.Lock()
				fmt.Printf("%s %d\n", c.Run.Run, c.Run.Seq)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return errors.New("a commit failed before the kill")
}

// TestKill kills a process in the middle of its commits, again and again, and
// looks that all it had acknowledged is there, and nothing by halves.
func TestKill(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 5
	}
	path := filepath.Join(t.TempDir(), "runs.db")
	s := openAt(t, path)
	putDefinition(t, s)
	for i := range killedRuns {
		commit(t, s, firstStep(fmt.Sprintf("r%d", i)))
	}
	must(t, s.Close())
	acknowledged, commits := map[string]int64{}, 0
	for range kills {
		cmd, out := startChild(t, "commit until killed", path)
		var once sync.Once
		for out.Scan() {
			once.Do(func() {
				time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() {
					if err := cmd.Process.Kill(); err != nil {
						t.Error(err)
					}
				})
			})
			var run string
			var seq int64
			if n, _ := fmt.Sscanf(out.Text(), "%s %d\n", &run, &seq); n == 2 {
				acknowledged[run] = seq
				commits++
			}
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the child ended by itself: %v", err)
		}
		inspectKilled(t, path, acknowledged)
	}
	if commits < kills { // on a slow disk it is hardly more
		t.Errorf("only %d commits: the test saw nothing", commits)
	}
}

func inspectKilled(t *testing.T, path string, acknowledged map[string]int64) {
	t.Helper()
	s := openAt(t, path)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if short, err := inspectSteps(t.Context(), s, acknowledged); short || err != nil {
		t.Fatalf("acknowledged steps are missing: %t; %v", short, err)
	}
}

// inspectSteps looks whether each run has the steps that were acknowledged, and
// whether the last step of each is whole.
func inspectSteps(ctx context.Context, s *Store, acknowledged map[string]int64) (short bool, err error) {
	var verdict string
	if err := s.readers.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		return false, fmt.Errorf("integrity_check: %q, %v", verdict, err)
	}
	var broken int
	if err := s.readers.QueryRowContext(ctx, brokenLinks).Scan(&broken); err != nil || broken > 0 {
		return false, fmt.Errorf("%d links of history are broken: %v", broken, err)
	}
	for i := range killedRuns {
		run := fmt.Sprintf("r%d", i)
		row, err := s.Load(ctx, run)
		if errors.Is(err, store.ErrNotFound) {
			short = short || acknowledged[run] > 0
			continue
		}
		if err != nil {
			return false, err
		}
		short = short || row.Seq < acknowledged[run]
		for text, want := range map[string]int64{
			`SELECT count(*) FROM history WHERE run = ?`:                                    row.Seq,
			`SELECT max(seq) FROM history WHERE run = ?`:                                    row.Seq,
			`SELECT count(*) FROM inbox WHERE run = ?`:                                      row.Seq,
			`SELECT count(*) FROM outbox WHERE run = ?`:                                     row.Seq,
			`SELECT count(*) FROM outbox WHERE run = ? AND next = 1`:                        1,
			`SELECT snapshot ->> '$.seq' FROM runs WHERE run = ?`:                           row.Seq,
			`SELECT (due - (SELECT started FROM runs)) / 1000000 FROM timers WHERE run = ?`: row.Seq,
		} {
			var got int64
			if err := s.readers.QueryRowContext(ctx, text, run).Scan(&got); err != nil || got != want {
				return false, fmt.Errorf("%s: %s: got %d, want %d: %v", run, text, got, want, err)
			}
		}
	}
	return short, nil
}

// TestOpenTogether has several processes make one database at one time.
func TestOpenTogether(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "runs.db")
		var children []*exec.Cmd
		for range 3 {
			cmd, _ := startChild(t, "open", path)
			children = append(children, cmd)
		}
		for _, cmd := range children {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
		putDefinition(t, openAt(t, path))
	}
}

const competitions = 60

// compete takes one run n steps on, against all others who do.
func compete(s *Store, n int) error {
	for won := 0; won < n; {
		row, err := s.Load(context.Background(), "r")
		if err != nil {
			return err
		}
		switch err := s.Commit(context.Background(), nextStep(row)); {
		case err == nil:
			won++
		case errors.Is(err, store.ErrConflict) || errors.Is(err, machine.ErrDuplicate):
		default:
			return err
		}
	}
	return nil
}

// TestProcesses has several processes step one run: no step is lost, and none
// is there twice.
func TestProcesses(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	var children []*exec.Cmd
	for range 2 {
		cmd, _ := startChild(t, "compete", path)
		children = append(children, cmd)
	}
	if err := compete(s, competitions); err != nil {
		t.Error(err)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	rows, err := s.History(t.Context(), "r", 0, 0)
	if err != nil || len(rows) != 1+3*competitions {
		t.Errorf("%d records after %d steps: %v", len(rows), 1+3*competitions, err)
	}
}
