package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// Workers are processes of one command that live on and take attempts one line
// of JSON each, several at a time, for programs that are slow to start. What
// they are told and what they answer are the objects of an executable, with an
// "id" that the answer repeats:
//
//	{"id": 7, "run": "r1", "machine": "M", "activity": "fetch", "attempt": 1,
//	 "idempotency_key": "…", "fence": 12, "args": {…}, "checkpoint": null}
//	{"id": 8, "guard": "allowed", "args": {…}}
//	{"id": 7, "cancel": "why"}
//
//	{"id": 7, "heartbeat": true}
//	{"id": 7, "progress": {…}}
//	{"id": 7, "event": "Fetched", "data": {…}}, and the other answers of an executable
//	{"id": 8, "verdict": true}
//
// An attempt that is cancelled must still be answered, with anything: that says
// it has stopped. An answer with more than an id is passed on, as what comes too
// late, with its cost. Where no answer comes for ten seconds the process is killed.
// A process that ends is started again, and its attempts count as lost by their
// worker; where it has said nothing at all they are released. Standard input is
// closed when there is no more work; what the process then leaves unanswered is
// released.
type Workers struct {
	command string
	stderr  io.Writer

	mu      sync.Mutex
	slots   []*slot
	closing bool
	changed chan struct{} // closed, and made again, when a process has started or ended
	lived   bool          // a process has said something, or lived for settled
	broken  chan struct{} // closed when why is set
	why     error         // the command cannot be started
	done    sync.WaitGroup
}

// slot is the place of one process after the other.
type slot struct {
	live   *worker // nil while there is none
	silent int     // processes in a row that ended without a line
	last   error   // how the last one ended
	dud    bool    // it was none: the command could not be started, or ended before it was given anything
	tried  bool    // the live one is given something: the one before it has said something, or it has lived for trial
}

// restart is how long is waited before a process is started again, times how
// many in a row have said nothing; after brokenAfter of those, attempts fail, or
// are released where the command could not even be started,
// until a process has lived for settled: what kept it from starting is over. A process
// after one that has said nothing is given nothing for trial: if it ends so, it is not what it
// was given that ends it.
const (
	restart     = 200 * time.Millisecond
	brokenAfter = 3
	trial       = 500 * time.Millisecond
	settled     = 10 * time.Second
)

// StartWorkers starts n processes of a command, which the shell reads. What one writes
// to standard error while it makes one attempt is that of the attempt, see
// runtime.Attempt.Stderr; the rest goes to stderr, one piece at a time. Close ends them.
func StartWorkers(command string, n int, stderr io.Writer) *Workers {
	w := &Workers{command: command, stderr: &shared{to: stderr}, changed: make(chan struct{}), broken: make(chan struct{})}
	for range n {
		w.slots = append(w.slots, &slot{})
	}
	for _, s := range w.slots { // keep asks about all of them
		w.done.Go(func() { w.keep(s) })
	}
	return w
}

// shared is a writer for several processes, which os/exec serves each by a goroutine.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}

// Handlers are the activities and guards of m, done by these processes.
func (w *Workers) Handlers(m *runtime.Machine) runtime.Handlers {
	return runtime.HandlersOf(m.Definition(), func(string) runtime.ActivityFunc { return w.attempt }, func(name string) runtime.GuardFunc {
		return func(ctx context.Context, args json.RawMessage) (bool, error) { return w.ask(ctx, name, args) }
	})
}

// Close closes the processes' standard input, waits until they have ended, and
// stops those that have not after ten seconds.
func (w *Workers) Close() {
	w.mu.Lock()
	w.closing = true
	for _, s := range w.slots {
		if s.live != nil {
			s.live.hangUp()
		}
	}
	w.announce()
	w.mu.Unlock()
	w.done.Wait()
}

// announce wakes those who wait for a change. The caller holds the lock.
func (w *Workers) announce() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// keep has one process of a slot after the other, until Close.
func (w *Workers) keep(s *slot) {
	for {
		process, err := w.start()
		w.mu.Lock()
		s.tried = s.silent == 0
		if s.live = process; process != nil && w.closing {
			process.hangUp()
		}
		w.announce()
		w.mu.Unlock()
		if process != nil {
			tried := time.AfterFunc(trial, func() { w.try(s, process) })
			settles := time.AfterFunc(settled, func() { w.settle(s, process) })
			err = process.serve()
			tried.Stop()
			settles.Stop()
		}
		w.mu.Lock()
		s.live, s.last, s.dud = nil, err, process == nil || notStarted(err) || process.unasked()
		if s.silent++; process != nil && process.spoke {
			s.silent, w.lived = 0, true
		}
		w.judge()
		w.announce()
		closing, changed, wait := w.closing, w.changed, restart*time.Duration(min(s.silent, 20)+1)
		w.mu.Unlock()
		for deadline := time.Now().Add(wait); !closing && time.Now().Before(deadline); {
			select {
			case <-changed:
			case <-time.After(time.Until(deadline)):
			}
			w.mu.Lock()
			closing, changed = w.closing, w.changed
			w.mu.Unlock()
		}
		if closing {
			return
		}
	}
}

// try lets a process be given something.
func (w *Workers) try(s *slot, process *worker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.live == process {
		s.tried = true
		w.announce()
	}
}

// settle forgives a slot the processes that ended without a line, once one has
// lived for long enough to show that it can.
func (w *Workers) settle(s *slot, process *worker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.live == process {
		s.silent, w.lived = 0, true
		w.announce()
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	process.settled = true
}

// Broken is closed when the command cannot be started: when the shell has ended
// every first process with the status that says so and without a word; or when
// brokenAfter of each in a row have ended so, or before they were given anything.
// It is for whoever can fix it: attempts are released meanwhile, and the command
// is tried again.
func (w *Workers) Broken() <-chan struct{} { return w.broken }

// Err says why Broken is closed, and is nil until then.
func (w *Workers) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why
}

// judge closes broken if it is so. The caller holds the lock.
func (w *Workers) judge() {
	if w.closing || w.why != nil {
		return
	}
	for _, s := range w.slots {
		enough := brokenAfter // it may be away for a moment, while a new one is put there
		if !w.lived && notStarted(s.last) {
			enough = 1
		}
		if s.silent < enough || !s.dud {
			return
		}
	}
	last := w.slots[0].last
	what := "cannot be started"
	if !notStarted(last) {
		what = "ends before it is given anything"
	}
	w.why = fmt.Errorf("the worker command %s: %w", what, last)
	close(w.broken)
}

// notStarted reports whether the shell says that it could not find a command, or
// not execute it (POSIX, XCU 2.8.2).
func notStarted(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && (exit.ExitCode() == 126 || exit.ExitCode() == 127)
}

// errNotStarted is the error of what no process can be asked.
var errNotStarted = startError{why: "the worker command cannot be started"}

// pick is the process with the fewest calls under way. Where there is none it
// waits for one, unless the last ones of all slots have ended without a word.
func (w *Workers) pick(ctx context.Context) (*worker, error) {
	for {
		w.mu.Lock()
		var best *worker
		broken, duds := 0, 0
		var last error
		for _, s := range w.slots {
			if s.live != nil && s.tried && !s.live.over() && (best == nil || s.live.load() < best.load()) {
				best = s.live
			}
			if s.silent >= brokenAfter {
				broken, last = broken+1, s.last
				if s.dud {
					duds++
				}
			}
		}
		changed, closing := w.changed, w.closing
		w.mu.Unlock()
		switch {
		case closing:
			return nil, runtime.Decline("the workers are being stopped")
		case duds == len(w.slots):
			return nil, errNotStarted
		case broken == len(w.slots):
			return nil, fmt.Errorf("the worker %q ends without a word: %w", w.command, last)
		case best != nil:
			return best, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-changed:
		}
	}
}

// attempt implements runtime.ActivityFunc.
func (w *Workers) attempt(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
	process, err := w.pick(ctx)
	if err != nil {
		return runtime.Result{}, uncounted(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	said := reports{}
	answer, asked, err := process.call(ctx, func(id int64) any {
		return struct {
			ID int64 `json:"id"`
			attempt
		}{id, told(a)}
	}, &call{stderr: a.Stderr(), sign: func(line []byte) bool { return signs(a, said, line, false, cancel) }})
	if err != nil {
		return runtime.Result{}, err
	}
	if string(answer) == "{}\n" && asked != nil {
		return runtime.Result{}, asked // an answer of which nothing is left but that it has stopped
	}
	return late(ctx)(said.rest(readAnswer(answer)))
}

// ask implements runtime.GuardFunc.
func (w *Workers) ask(ctx context.Context, name string, args json.RawMessage) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, GuardTimeout, fmt.Errorf("no answer within %s", GuardTimeout))
	defer cancel()
	answer, err := w.answerTo(ctx, func(id int64) any {
		return struct {
			ID    int64           `json:"id"`
			Guard string          `json:"guard"`
			Args  json.RawMessage `json:"args"`
		}{id, name, args}
	})
	if err != nil {
		return false, err
	}
	var said struct {
		Verdict *bool `json:"verdict"`
	}
	if err := decode(answer, &said); err != nil || said.Verdict == nil {
		return false, fmt.Errorf("guard %q: its answer has no \"verdict\": %s", name, beginning(answer))
	}
	return *said.Verdict, nil
}

// answerTo asks a process, and the next one where that ends before it has
// answered: a question has no effect, and one without an answer halts the run.
func (w *Workers) answerTo(ctx context.Context, question func(id int64) any) ([]byte, error) {
	for {
		process, err := w.pick(ctx)
		if err != nil {
			return nil, err
		}
		answer, _, err := process.call(ctx, question, &call{})
		if err == nil || !process.over() {
			return answer, err
		}
	}
}
