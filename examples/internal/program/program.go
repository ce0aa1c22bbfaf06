// Package program is what the programs of the examples have in common: how they
// end, how they start and kill their workers, and how they give account of what they promised.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// ErrWrong ends a program that has said itself what is wrong.
var ErrWrong = errors.New("something is wrong")

// Main calls run, with a context that an interrupt ends. An error is printed
// behind the program's name, unless it is ErrWrong, and ends the process with 1.
func Main(name string, run func(context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err == nil {
		return
	}
	if !errors.Is(err, ErrWrong) {
		fmt.Fprintln(os.Stderr, name+":", err)
	}
	os.Exit(1)
}

// Folder makes dir, or a temporary folder called after the program where it is empty. It is
// refused where the database, which is in dir, is there already: it holds what another call left.
func Folder(dir, program, database, holds string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", program+"-")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if _, err := os.Stat(database); err == nil {
		return "", fmt.Errorf("%s holds %s; choose another -dir", dir, holds)
	}
	return dir, nil
}

// Say prints a heading of the story.
func Say(text string) { fmt.Printf("\n%s\n", text) }

// Sleep waits for d, or until ctx is done, which is the error.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Serve answers on a free port of loopback, until the server is closed.
func Serve(handler http.Handler) (url string, server *http.Server, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server = &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(listener) //nolint:errcheck // it always ends with ErrServerClosed, by Close
	return "http://" + listener.Addr().String(), server, nil
}

// Replay replays the history of every run. It counts the runs by machine, and those that
// differ from what is stored.
func Replay(ctx context.Context, engine *runtime.Engine) (runs map[string]int, differ int, err error) {
	runs = map[string]int{}
	err = engine.ReplayAll(ctx, runtime.RunFilter{}, func(run *runtime.RunRow, differs error) error {
		runs[run.Machine]++
		if differs != nil {
			differ++
		}
		return nil
	})
	return runs, differ, err
}

// Promise is something that must be so at the end, with what was found.
type Promise struct {
	Kept bool
	Text string
}

// Keep prints promises with what has become of them, and gives ErrWrong where one
// is broken.
func Keep(out io.Writer, promises []Promise) error {
	var broken error
	for _, p := range promises {
		mark := "ok  "
		if !p.Kept {
			mark, broken = "FAIL", ErrWrong
		}
		fmt.Fprintf(out, "  %s  %s\n", mark, p.Text)
	}
	return broken
}
