//go:build unix && cgo

package reliability

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A child is this test binary, started again and told by its environment what to
// do, in which directory, and under which name.
const (
	childRole = "FSMC_TEST_ROLE"
	childDir  = "FSMC_TEST_DIR"
	childName = "FSMC_TEST_NAME"
)

func TestMain(m *testing.M) {
	role := os.Getenv(childRole)
	if role == "" {
		os.Exit(pgtest.Main(m))
	}
	if err := roles[role](os.Getenv(childDir), os.Getenv(childName)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// roles are what a child may do.
var roles = map[string]func(dir, name string) error{
	"trade":    func(dir, name string) error { return orders.in(dir, name, 1) },
	"trade on": func(dir, name string) error { return orders.in(dir, name, 1000) },
	"haul":     func(dir, name string) error { return convoys.in(dir, name, 1) },
	"haul on":  func(dir, name string) error { return convoys.in(dir, name, 1000) },
	"hold":     hold,
	"bid":      bid,
	"attend":   func(dir, name string) error { return attend(os.Stdout, dir, name) },
}

// in does the work on the runs of dir for some rounds, and brings to their end
// those that are left. It says so on its standard output when it begins.
func (w *work) in(dir, name string, rounds int) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s, err := w.open(dir, name, 1)
	if err != nil {
		return err
	}
	defer s.close()
	fmt.Println("begun")
	wait := s.serve(ctx)
	for round := 0; round < rounds && err == nil; round++ {
		err = s.trade(ctx, name+"."+strconv.Itoa(round), w.runs)
	}
	if err == nil {
		err = s.finishRuns(ctx)
	}
	stop()
	return errors.Join(err, wait())
}

// process is a child that runs.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr *strings.Builder
}

// spawn starts a child and waits for its first line: until it has begun, or has
// died.
func spawn(t *testing.T, role, dir, name, failpointAt string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0]), stderr: &strings.Builder{}}
	p.cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir, childName+"="+name,
		failpoint.Variable+"="+failpointAt)
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	must(t, err)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	must(t, p.cmd.Start())
	p.out = bufio.NewScanner(out)
	p.out.Scan()
	return p
}

// says waits for a line of the child.
func (p *process) says(t *testing.T, want string) {
	t.Helper()
	if !p.out.Scan() || p.out.Text() != want {
		t.Fatalf("the child says %q, expected %q\n%s", p.out.Text(), want, p.stderr)
	}
}

// tell gives the child a line.
func (p *process) tell(t *testing.T, line string) {
	t.Helper()
	must(t, errOf(fmt.Fprintln(p.in, line)))
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	must(t, p.cmd.Process.Signal(s))
}

// ended waits for the child, and reports whether it was killed. One that failed
// is a failure of the test.
func (p *process) ended(t *testing.T) (killed bool) {
	t.Helper()
	err := p.cmd.Wait()
	if err == nil {
		return false
	}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return true
	}
	t.Fatalf("the child failed: %v\n%s", err, p.stderr)
	return false
}

// inspectDir inspects the database of dir, on which no one works.
func inspectDir(t *testing.T, w *work, dir string, allDone bool) {
	t.Helper()
	deserted(t, dir)
	s, err := w.open(dir, "inspector", 0)
	must(t, err)
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	e, err := readLedger(ledgerIn(dir))
	if err == nil {
		if err = inspect(t.Context(), s.store, w.model(), e, allDone); err != nil {
			histories(t, s.store, err)
		}
	}
	if err == nil {
		err = soundIn(t, dir)
	}
	must(t, err)
}

// finishDir brings all runs of dir to their end in this process, and inspects
// them.
func finishDir(t *testing.T, w *work, dir string) {
	t.Helper()
	s, err := w.open(dir, "finisher", 0)
	must(t, err)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	if err := s.finish(ctx); err != nil {
		report(t, s)
		t.Errorf("the runs were not brought to their end: %v", err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	inspectDir(t, w, dir, !t.Failed())
}

// histories says what happened to the runs of which a fault speaks.
func histories(t *testing.T, db runtime.Store, fault error) {
	t.Helper()
	err := store.EachRun(t.Context(), db, runtime.RunFilter{}, 100, func(row *runtime.RunRow) error {
		if !strings.Contains(fault.Error(), fmt.Sprintf("%q", row.Run)) {
			return nil
		}
		rows, err := db.History(t.Context(), row.Run, 0, 0)
		for _, r := range rows {
			t.Logf("%s %d %s", row.Run, r.Seq, r.Record)
		}
		t.Logf("%s %s", row.Run, row.Snapshot)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// report says which runs have not ended, and what they wait for.
func report(t *testing.T, s *station) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, status := range append([]runtime.Status{runtime.Halted}, unfinished...) {
		rows, err := s.List(ctx, runtime.RunFilter{Status: status, Limit: 5})
		if err != nil {
			t.Error(err)
		}
		for _, row := range rows {
			t.Logf("%s", row.Snapshot)
			tasks, err := s.store.Tasks(ctx, row.Run)
			if err != nil {
				t.Error(err)
			}
			for i := range tasks {
				t.Logf("%s has %+v", row.Run, tasks[i])
			}
		}
	}
}

// count is a number from the environment, or usual.
func count(t *testing.T, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}
