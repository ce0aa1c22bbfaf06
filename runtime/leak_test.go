package runtime

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain fails the tests of the package where goroutines are left of what
// they did: an engine that has stopped leaves none behind, nor do the stores.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := leftBehind(30 * time.Second); code == 0 && len(left) > 0 {
		fmt.Fprintf(os.Stderr, "%d goroutines are left behind:\n\n%s\n", len(left), strings.Join(left, "\n\n"))
		code = 1
	}
	os.Exit(code)
}

// leftBehind are the goroutines that run our code, once they have had patience
// to end.
func leftBehind(patience time.Duration) []string {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		var left []string
		for _, g := range goroutines() {
			if strings.Contains(g, "github.com/fsmc-dev/fsmc/runtime") && !strings.Contains(g, "TestMain") {
				left = append(left, g)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

// goroutines are the stacks of all that run.
func goroutines() []string {
	for size := 1 << 20; ; size *= 2 {
		buffer := make([]byte, size)
		if n := runtime.Stack(buffer, true); n < size {
			return strings.Split(string(buffer[:n]), "\n\n")
		}
	}
}

// TestLeakIsSeen is a test of the check: it must find what is left.
func TestLeakIsSeen(t *testing.T) {
	release := make(chan struct{})
	done := make(chan struct{})
	go func() { defer close(done); <-release }()
	// The goroutine of this test is one of ours too.
	if left := leftBehind(0); len(left) < 2 {
		t.Errorf("%d are seen", len(left))
	}
	close(release)
	<-done
}
