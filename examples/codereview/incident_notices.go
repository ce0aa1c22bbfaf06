package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
)

// notice tells a developer that a review has failed, and why.
type notice struct {
	ID, Run, Reason string
}

// notifier hands what the machine publishes to the developer's inbox.
type notifier struct {
	url    string
	engine *runtime.Engine
}

// notify adds the reason, which stands in the history, and delivers. An error
// makes the outbox try again.
func (n *notifier) notify(ctx context.Context, m *runtime.Message) error {
	why, err := reason(ctx, n.engine, m.Run)
	if err != nil {
		return err
	}
	body, err := json.Marshal(notice{ID: m.ID, Run: m.Run, Reason: why})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the inbox answered %s", resp.Status)
	}
	return nil
}

// reason is what the last step of a run says about why it was taken.
func reason(ctx context.Context, engine *runtime.Engine, run string) (string, error) {
	view, err := engine.Get(ctx, run)
	if err != nil {
		return "", err
	}
	steps, err := engine.History(ctx, run, view.Seq-1, 1)
	if err != nil || len(steps) == 0 {
		return "", err
	}
	step := steps[0]
	switch {
	case step.Message != "":
		return step.Input + ": " + step.Message, nil
	case len(step.Passed) > 0:
		return fmt.Sprintf("%s: %q: %s", step.Input, step.Passed[0].Text, step.Passed[0].Why), nil
	}
	return step.Input, nil
}

// inbox is where notices arrive. It loses its first answer to each of them, as
// networks do: the sender cannot know that it was read, and must send it again.
type inbox struct {
	url    string
	server *http.Server

	mu      sync.Mutex
	arrived map[string]int    // how often each message came, by its id
	reasons map[string]string // by run
}

func openInbox() (b *inbox, err error) {
	b = &inbox{arrived: map[string]int{}, reasons: map[string]string{}}
	b.url, b.server, err = program.Serve(http.HandlerFunc(b.take))
	return b, err
}

func (b *inbox) close() error { return b.server.Close() }

func (b *inbox) take(w http.ResponseWriter, r *http.Request) {
	var n notice
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&n); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived[n.ID]++
	b.reasons[n.Run] = n.Reason
	if b.arrived[n.ID] == 1 {
		http.Error(w, "the answer was lost", http.StatusBadGateway)
	}
}

// counts is how many notices there were, and how often they were delivered.
func (b *inbox) counts() (notices, deliveries int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, times := range b.arrived {
		deliveries += times
	}
	return len(b.arrived), deliveries
}
