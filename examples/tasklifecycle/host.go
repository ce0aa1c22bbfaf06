package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
)

// hostVariable says to a process of this program that it is a host, and which one.
const hostVariable = "TASKLIFECYCLE_HOST"

// hosting is what a host is told.
type hosting struct {
	Host     int
	World    string // where that listens
	Database string
	Agents   int
	Tasks    int
	Seed     uint64
	Cold     bool
	Calm     bool
	Times    int
	From     time.Time
	Off      time.Duration // by which its clock is ahead
	Right    time.Duration // after how long it jumps to the right time, by the clock of the swarm; 0 for never
}

// beHost is the life of a process that is one host: until its input ends, and its agents are
// done. Then it says what it has counted.
func beHost(ctx context.Context) error {
	var h hosting
	if err := json.Unmarshal([]byte(os.Getenv(hostVariable)), &h); err != nil {
		return err
	}
	if err := hurry(h.Times); err != nil {
		return err
	}
	times := time.Duration(h.Times)
	db, err := postgres.Open(ctx, h.Database, postgres.HostClock(h.wrongClock()))
	if err != nil {
		return err
	}
	defer db.Close()
	w := &farWorld{url: h.World, client: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
	s := newSwarm(ctx, config{agents: h.Agents, tasks: h.Tasks, seed: h.Seed, cold: h.Cold, calm: h.Calm}, w, fastClock{h.From, times})
	w.swarm = s
	it, err := s.add(h.Host, db, times)
	if err != nil {
		return err
	}
	s.lead.engine = it.engine
	s.populate()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		s.work.Wait()
		s.stop(nil)
	}()
	if err := it.run(s.ctx); err != nil {
		return err
	}
	if cause := context.Cause(s.ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return json.NewEncoder(os.Stdout).Encode(&s.tally)
}

// wrongClock is the clock of this host, which is ahead until it jumps.
func (h *hosting) wrongClock() func() time.Time {
	var off atomic.Int64
	off.Store(int64(h.Off))
	if h.Right > 0 {
		time.AfterFunc(h.Right/time.Duration(h.Times), func() { off.Store(0) })
	}
	return func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
}

// farWorld is the world in another process.
type farWorld struct {
	url    string
	client http.Client
	swarm  *swarm
}

// ask implements outside. Without an answer all is over.
func (f *farWorld) ask(q question) (a answer) {
	text, err := json.Marshal(q)
	if err == nil {
		var said *http.Response
		if said, err = f.client.Post(f.url, "application/json", bytes.NewReader(text)); err == nil {
			err = json.NewDecoder(said.Body).Decode(&a)
			_ = said.Body.Close()
		}
	}
	f.swarm.failed(err)
	return a
}

// ServeHTTP answers questions of hosts in other processes.
func (w *world) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	var q question
	err := json.NewDecoder(r.Body).Decode(&q)
	if err == nil && w.tasks[q.Task] == nil {
		err = errors.New("no such task")
	}
	if err != nil {
		http.Error(to, err.Error(), http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(to).Encode(w.ask(q))
}
