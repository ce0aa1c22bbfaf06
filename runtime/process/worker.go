package process

import (
	"bufio"
	"bytes"
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
//	 "idempotency_key": "…", "args": {…}, "checkpoint": null}
//	{"id": 8, "guard": "allowed", "args": {…}}
//	{"id": 7, "cancel": "why"}
//
//	{"id": 7, "heartbeat": true}
//	{"id": 7, "progress": {…}}
//	{"id": 7, "event": "Fetched", "data": {…}}, and the other answers of an executable
//	{"id": 8, "verdict": true}
//
// An attempt that is cancelled must still be answered, with anything: that says
// it has stopped. Where no answer comes for ten seconds the process is killed.
// A process that ends is started anew, and its attempts count as lost by their
// worker; where it has said nothing at all they are given back. Standard input is closed when there is no more work; what the process
// then leaves unanswered is given back.
type Workers struct {
	command string
	stderr  io.Writer

	mu      sync.Mutex
	slots   []*slot
	closing bool
	changed chan struct{} // closed, and made anew, when a process has started or ended
	done    sync.WaitGroup
}

// slot is the place of one process after the other.
type slot struct {
	live   *worker // nil while there is none
	silent int     // processes in a row that ended without a line
	last   error   // how the last one ended
}

// restart is how long is waited before a process is started again, times how
// many in a row have said nothing; after brokenAfter of those, attempts fail,
// until a process has lived for settled: what kept it from starting is over.
const (
	restart     = 200 * time.Millisecond
	brokenAfter = 3
	settled     = 10 * time.Second
)

// StartWorkers starts n processes of a command, which the shell reads. What
// they write to standard error goes to stderr. Close ends them.
func StartWorkers(command string, n int, stderr io.Writer) *Workers {
	w := &Workers{command: command, stderr: stderr, changed: make(chan struct{})}
	for range n {
		s := &slot{}
		w.slots = append(w.slots, s)
		w.done.Go(func() { w.keep(s) })
	}
	return w
}

// Handlers are the activities and guards of m, done by these processes.
func (w *Workers) Handlers(m *runtime.Machine) runtime.Handlers {
	h := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{}, Guards: map[string]runtime.GuardFunc{}}
	for _, a := range m.Definition().Activities {
		h.Activities[a.Name] = w.attempt
	}
	for _, g := range m.Definition().Guards {
		h.Guards[g.Name] = func(ctx context.Context, args json.RawMessage) (bool, error) { return w.ask(ctx, g.Name, args) }
	}
	return h
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
		if s.live = process; process != nil && w.closing {
			process.hangUp()
		}
		w.announce()
		w.mu.Unlock()
		if process != nil {
			trial := time.AfterFunc(settled, func() { w.settle(s, process) })
			err = process.serve()
			trial.Stop()
		}
		w.mu.Lock()
		s.live, s.last = nil, err
		if s.silent++; process != nil && process.spoke {
			s.silent = 0
		}
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

// settle forgives a slot the processes that ended without a line, once one has
// lived for long enough to show that it can.
func (w *Workers) settle(s *slot, process *worker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.live == process {
		s.silent = 0
		w.announce()
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	process.settled = true
}

// pick is the process with the fewest calls under way. Where there is none it
// waits for one, unless the last ones of all slots have ended without a word.
func (w *Workers) pick(ctx context.Context) (*worker, error) {
	for {
		w.mu.Lock()
		var best *worker
		broken := 0
		var last error
		for _, s := range w.slots {
			if s.live != nil && !s.live.over() && (best == nil || s.live.load() < best.load()) {
				best = s.live
			}
			if s.silent >= brokenAfter {
				broken, last = broken+1, s.last
			}
		}
		changed, closing := w.changed, w.closing
		w.mu.Unlock()
		switch {
		case closing:
			return nil, runtime.Decline("the workers are being stopped")
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
		return runtime.Result{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	answer, err := process.call(ctx, func(id int64) any {
		return struct {
			ID int64 `json:"id"`
			attempt
		}{id, attempt{a.Run, a.Machine, a.Activity, a.Number, a.Key, a.Args, a.Checkpoint}}
	}, func(line []byte) bool { return signs(a, line, cancel) })
	if err != nil {
		return runtime.Result{}, err
	}
	return readAnswer(answer)
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
		answer, err := process.call(ctx, question, nil)
		if err == nil || !process.over() {
			return answer, err
		}
	}
}

// worker is one process.
type worker struct {
	group  group
	exited <-chan error
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr *tail
	lines  chan []byte   // to be written to it
	gone   chan struct{} // closed when nothing more will come from it
	spoke  bool          // a line of it was understood; of serve alone until gone

	mu    sync.Mutex
	calls map[int64]*call
	next  int64
	hung  bool // its standard input is closed, or about to be

	settled bool // it has lived for that long
}

// call is an attempt or a question that waits for its answer.
type call struct {
	sign   func(line []byte) bool // heartbeats and checkpoints; nil for a guard
	answer chan []byte            // of length 1
}

func (w *Workers) start() (*worker, error) {
	cmd := shell(w.command)
	said := &tail{}
	cmd.Stderr = io.MultiWriter(said, w.stderr)
	cmd.WaitDelay = drainTime
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// A pipe of our own: Wait would close the one of StdoutPipe before the last
	// lines have been read.
	out, theirs := io.Pipe()
	cmd.Stdout = theirs
	g, exited, err := start(cmd)
	if err != nil {
		return nil, fmt.Errorf("it cannot be started: %w", err)
	}
	ended := make(chan error, 1)
	go func() {
		err := <-exited
		g.kill() // what it has left running
		_ = theirs.Close()
		ended <- err
	}()
	return &worker{
		group: g, exited: ended, stdin: in, stdout: out, stderr: said,
		lines: make(chan []byte, 64), gone: make(chan struct{}), calls: map[int64]*call{},
	}, nil
}

// serve passes lines on in both directions until the process has ended, and
// says how it did.
func (w *worker) serve() error {
	go w.write()
	w.read()
	close(w.gone)
	err := <-w.exited
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	switch said := w.stderr.String(); {
	case err == nil:
		return errors.New("it ended by itself")
	case said != "":
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// write hands lines to the process; a process that does not take them has
// ended, or will be killed for not answering.
func (w *worker) write() {
	defer w.stdin.Close()
	for {
		select {
		case line := <-w.lines:
			if line == nil {
				return
			}
			if _, err := w.stdin.Write(line); err != nil {
				return
			}
		case <-w.gone:
			return
		}
	}
}

// read sorts the lines of the process by their id. Other lines are passed over.
func (w *worker) read() {
	defer w.stdout.Close() // so that what is still written goes nowhere
	lines := bufio.NewScanner(w.stdout)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 || text[0] != '{' {
			continue
		}
		var object map[string]json.RawMessage
		var id int64
		if json.Unmarshal(text, &object) != nil || json.Unmarshal(object["id"], &id) != nil {
			continue
		}
		w.mu.Lock()
		c := w.calls[id]
		w.mu.Unlock()
		if c == nil {
			continue // it has been given up
		}
		w.spoke = true
		delete(object, "id")
		rest, err := line(object) // as it came: nothing is escaped that was not
		if err == nil && (c.sign == nil || !c.sign(rest)) {
			w.forget(id)
			c.answer <- rest
		}
	}
	if lines.Err() != nil {
		w.group.kill() // a line longer than any answer
	}
}

// call sends what ask makes of an id, and waits for the answer. When ctx is done
// it says so, and waits for an answer all the same: it means that the work has
// stopped. The error is then ctx's cause, unless the engine is stopping and the
// work has come to its end.
func (w *worker) call(ctx context.Context, ask func(id int64) any, sign func([]byte) bool) ([]byte, error) {
	c := &call{sign: sign, answer: make(chan []byte, 1)}
	w.mu.Lock()
	w.next++
	id := w.next
	w.calls[id] = c
	w.mu.Unlock()
	defer w.forget(id)
	if err := w.say(ctx, ask(id)); err != nil {
		return nil, err
	}
	select {
	case answer := <-c.answer:
		return answer, nil
	case <-w.gone:
		return w.lost(c)
	case <-ctx.Done():
	}
	if sign == nil {
		return nil, context.Cause(ctx) // a question is not waited for
	}
	patience, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	_ = w.say(patience, struct {
		ID     int64  `json:"id"`
		Cancel string `json:"cancel"`
	}{id, context.Cause(ctx).Error()})
	select {
	case answer := <-c.answer:
		if context.Cause(ctx) == runtime.ErrStopped {
			return answer, nil
		}
	case <-w.gone:
	case <-patience.Done():
		w.group.kill()
	}
	return nil, context.Cause(ctx)
}

// lost is the error of a call whose process has ended, unless it was answered
// before.
func (w *worker) lost(c *call) ([]byte, error) {
	select {
	case answer := <-c.answer:
		return answer, nil
	default:
	}
	return nil, w.end()
}

// end is the error of what a process that has ended did not answer. One that
// could not even start has done nothing: that is no lost worker, which would be
// counted, and is brokenAfter times at most.
func (w *worker) end() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.hung:
		return runtime.Decline("the worker was stopped")
	case !w.spoke && !w.settled:
		return runtime.Decline("the worker ended before it had said a word")
	}
	return runtime.ErrWorkerLost
}

// say queues a line for the process.
func (w *worker) say(ctx context.Context, v any) error {
	text, err := line(v)
	if err != nil {
		return err
	}
	select {
	case w.lines <- text:
		return nil
	case <-w.gone:
		return w.end()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (w *worker) forget(id int64) {
	w.mu.Lock()
	delete(w.calls, id)
	w.mu.Unlock()
}

// over reports whether nothing more will come from the process.
func (w *worker) over() bool {
	select {
	case <-w.gone:
		return true
	default:
		return false
	}
}

func (w *worker) load() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.calls)
}

// hangUp lets the process come to its end, and stops it where it does not.
func (w *worker) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hung {
		return
	}
	w.hung = true
	go func() {
		over, lines := time.After(stopTime), w.lines
		for waiting := true; waiting; {
			select {
			case lines <- nil: // it may not read, and leave no room
				lines = nil
			case <-w.gone:
				return
			case <-over:
				waiting = false
			}
		}
		w.group.terminate()
		select {
		case <-w.gone:
		case <-time.After(time.Second):
			w.group.kill()
		}
	}()
}
