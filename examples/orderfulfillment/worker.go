package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/fsmc-dev/fsmc/examples/orderfulfillment/outside"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// How the engines of the story live, in its own time. Services choose a longer
// lease; here nobody should wait for what a killed worker held.
const (
	lease = 5 * time.Second
	poll  = 250 * time.Millisecond
)

// worker is a process that runs activities, and is killed.
type worker struct {
	dir, name, outside string
	clock              storyClock
}

// run works on all runs until the process that started it is gone: its end of
// standard input closes then.
func (w *worker) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		io.Copy(io.Discard, os.Stdin) //nolint:errcheck // either way the other end is gone
		cancel()
	}()
	store, err := sqlite.Open(ctx, database(w.dir))
	switch {
	case ctx.Err() != nil:
		return nil // sent home before it could begin
	case err != nil:
		return err
	}
	defer store.Close()
	engine := runtime.NewEngine(store, runtime.WithClock(w.clock), runtime.WithWorker(w.name),
		runtime.WithLease(lease), runtime.WithPoll(poll))
	client := outside.Client{URL: w.outside, HTTP: &http.Client{Timeout: 10 * time.Second}}
	if err := register(engine, &services{client}); err != nil {
		return err
	}
	return engine.Run(ctx)
}

func database(dir string) string { return filepath.Join(dir, "orders.db") }
