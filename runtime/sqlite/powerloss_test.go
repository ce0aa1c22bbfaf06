//go:build linux && cgo

package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/sqlite/faultfs"
)

// TestPowerLoss records what steps write, and looks at what a loss of power at
// any moment may leave of it: all that was acknowledged is there, and nothing
// by halves.
func TestPowerLoss(t *testing.T) {
	lost, damaged := losePower(t, images(t))
	t.Logf("figure: losses of power = %d", images(t))
	if lost+damaged > 0 {
		t.Errorf("%d images lost a step that had been acknowledged, %d are damaged", lost, damaged)
	}
}

// TestPowerLossRelaxed is the test of the test above: with synchronous=NORMAL,
// which is what kill -9 cannot tell from FULL, acknowledged steps must be seen
// to be lost, and still nothing may be damaged.
func TestPowerLossRelaxed(t *testing.T) {
	lost, damaged := losePower(t, images(t), Relaxed())
	t.Logf("figure: losses of power under NORMAL = %d", images(t))
	t.Logf("figure: of which lost an acknowledged step = %d", lost)
	if lost == 0 || damaged > 0 {
		t.Errorf("%d images lost a step that had been acknowledged, %d are damaged", lost, damaged)
	}
}

// images is how many moments of the loss are tried: FSMC_POWER_LOSSES, or a few.
func images(t *testing.T) int {
	if text := os.Getenv("FSMC_POWER_LOSSES"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		return n
	}
	return 100
}

func losePower(t *testing.T, images int, opts ...Option) (lost, damaged int) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))

	path := made(t)
	before := map[string][]byte{path: read(t, path)}
	steps, ops := recordSteps(t, path, opts...)
	syncs := 0
	for i := range ops {
		if ops[i].Kind == faultfs.Sync {
			syncs++
		}
	}
	t.Logf("%d steps, %d calls, %d of them syncs", len(steps), len(ops), syncs)

	for range images {
		n := rnd.IntN(len(ops) + 1)
		acknowledged := map[string]int64{}
		for i := range ops[:n] {
			if ops[i].Kind == faultfs.Marked {
				step := steps[ops[i].Offset]
				acknowledged[step.run] = max(acknowledged[step.run], step.seq)
			}
		}
		dir := t.TempDir()
		for name, content := range faultfs.Lost(before, ops, n, rnd) {
			if strings.HasSuffix(name, "-wal") { // and the zeros ahead of the log, or a part of them
				content = append(content, zeros[:rnd.IntN(2)*rnd.IntN(leastRoom)]...)
			}
			must(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), content, 0o600))
		}
		short, err := inspectLost(t.Context(), filepath.Join(dir, filepath.Base(path)), acknowledged)
		if err != nil {
			damaged++
			t.Logf("power lost after call %d of %d: %v", n, len(ops), err)
		}
		if short {
			lost++
		}
		must(t, os.RemoveAll(dir))
	}
	return lost, damaged
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	return content
}

type step struct {
	run string
	seq int64
}

// recordSteps lets several callers step runs of their own, while the log is moved
// into the database beside them, and marks each step when it has been acknowledged.
func recordSteps(t *testing.T, path string, opts ...Option) ([]step, []faultfs.Op) {
	t.Helper()
	must(t, faultfs.Register())
	faultfs.Record()
	s := openAt(t, path, append(opts, FileLayer(faultfs.Name))...)
	shortLog(s)
	var mu sync.Mutex
	var steps []step
	var wait sync.WaitGroup
	for i := range killedRuns {
		wait.Go(func() {
			c := firstStep(fmt.Sprintf("r%d", i))
			for range 250 {
				if err := s.Commit(context.Background(), c); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				steps = append(steps, step{c.Run.Run, c.Run.Seq})
				faultfs.Mark(int64(len(steps) - 1))
				mu.Unlock()
				c = nextStep(c.Run)
			}
		})
	}
	wait.Wait()
	ops := faultfs.Recorded()
	must(t, s.Close())
	return steps, ops
}

// inspectLost reports whether a database lacks steps that were acknowledged;
// its error says what is wrong with those that are there.
func inspectLost(ctx context.Context, path string, acknowledged map[string]int64) (short bool, err error) {
	s, err := Open(ctx, path)
	if err != nil {
		return false, err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	return inspectSteps(ctx, s, acknowledged)
}
