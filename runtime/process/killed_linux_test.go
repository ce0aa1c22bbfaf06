package process

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets this program stand for an engine that is killed: with the
// variable set it does nothing but run one executable.
func TestMain(m *testing.M) {
	if path := os.Getenv("FSMC_TEST_RUN"); path != "" {
		out := newOutput(func(line []byte, _ bool) bool { os.Stdout.Write(append(line, '\n')); return true })
		if err := run(context.Background(), exec.Command(path), nil, out); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestDiesWithTheEngine: the executable does, and so does what it has started.
func TestDiesWithTheEngine(t *testing.T) {
	t.Run("both", func(t *testing.T) { diesWithTheEngine(t, `sleep 300 & echo $$ $!; wait`) })
	t.Run("nothing to wait for", func(t *testing.T) { diesWithTheEngine(t, `echo $$ $$; exec sleep 300`) })
	t.Run("it minds no signal", func(t *testing.T) {
		diesWithTheEngine(t, `trap '' TERM INT HUP; (trap '' TERM INT HUP; while :; do sleep 1; done) & echo $$ $!; wait`)
	})
}

func diesWithTheEngine(t *testing.T, script string) {
	dir := folder(t, map[string]string{"work": script})
	engine := exec.Command(os.Args[0])
	engine.Env = append(os.Environ(), "FSMC_TEST_RUN="+filepath.Join(dir, "work"))
	out, err := engine.StdoutPipe()
	must(t, err)
	must(t, engine.Start())
	defer time.AfterFunc(hangs, func() { engine.Process.Kill() }).Stop() // which ends the reading
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	must(t, engine.Process.Kill())
	_ = engine.Wait() // killed
	for _, word := range strings.Fields(line) {
		pid, err := strconv.Atoi(word)
		must(t, err)
		for deadline := time.Now().Add(hangs); syscall.Kill(pid, 0) == nil && !zombie(pid); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d outlives the engine", pid)
			}
		}
	}
}

// TestMembersThatNoOneAsksFor: members of the group that have ended are not waited
// for, though their entries stay: this process is made their parent, and does not ask
// for them.
func TestMembersThatNoOneAsksFor(t *testing.T) {
	const setChildSubreaper = 36
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, setChildSubreaper, 1, 0, 0, 0, 0); err != 0 {
		t.Skip(err)
	}
	defer syscall.RawSyscall6(syscall.SYS_PRCTL, setChildSubreaper, 0, 0, 0, 0, 0)
	pid := filepath.Join(t.TempDir(), "child")
	dir := folder(t, map[string]string{"work": `sleep 300 & echo $! > ` + pid + `; exec sleep 300`})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stopped time.Time
	go func() {
		for text := []byte(nil); !bytes.HasSuffix(text, []byte("\n")) && ctx.Err() == nil; text, _ = os.ReadFile(pid) {
			time.Sleep(time.Millisecond)
		}
		stopped = time.Now()
		cancel()
	}()
	_ = run(ctx, exec.Command(filepath.Join(dir, "work")), nil, newOutput(func([]byte, bool) bool { return false }))
	if took := time.Since(stopped); took > stopTime/2 {
		t.Errorf("it took %s", took)
	}
	if _, err := syscall.Wait4(readPID(t, pid), nil, 0, nil); err != nil {
		t.Errorf("no member was left: %v", err)
	}
}
