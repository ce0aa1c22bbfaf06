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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// worker is one process.
type worker struct {
	group  group
	exited <-chan error
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr *tail // the end of it, for why the process has ended
	errors *errorPipe
	lines  chan []byte   // to be written to it
	gone   chan struct{} // closed when nothing more will come from it
	spoke  bool          // a line of it was understood; of serve alone until gone
	fault  error         // why it was killed, where that is its own fault; likewise
	tell   io.Writer     // standard error of all

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
	stderr io.Writer              // of the attempt; nil for a guard
}

func (w *Workers) start() (*worker, error) {
	cmd := shell(w.command)
	cmd.WaitDelay = drainTime
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	made := &worker{
		tell: w.stderr, stdin: in, stderr: &tail{},
		lines: make(chan []byte, 64), gone: make(chan struct{}), calls: map[int64]*call{},
	}
	if made.errors, cmd.Stderr, err = pipeErrors(io.MultiWriter(made.stderr, speech{made})); err != nil {
		return nil, err
	}
	out, theirs := io.Pipe()
	answers, err := drainTo(cmd, theirs)
	if err != nil {
		made.errors.close()
		return nil, err
	}
	g, exited, err := start(cmd)
	answers.started()
	if err != nil {
		answers.end()
		made.errors.close()
		return nil, err
	}
	made.errors.started()
	ended := make(chan error, 1)
	go func() {
		err := <-exited
		g.kill() // what it has left running
		g.over()
		answers.end()
		made.errors.close()
		_ = theirs.Close()
		ended <- err
	}()
	made.group, made.exited, made.stdout = g, ended, out
	return made, nil
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
	case w.fault != nil:
		return w.fault
	case err == nil:
		return errors.New("it ended by itself")
	case said != "":
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// unasked reports whether it has been given nothing.
func (w *worker) unasked() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next == 0
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
		if json.Unmarshal(text, &object) != nil {
			continue
		}
		id, ok := readID(object["id"])
		if !ok {
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
		// What is given twice the map has lost, and decode refuses.
		if twice, ok := errors.AsType[givenTwice](exact(text)); ok {
			rest = fmt.Appendf(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte("}")), ",%q:null}", string(twice))
		}
		w.errors.catchUp() // what it has said before belongs to the call, and stands before what it logs
		if err == nil && (c.sign == nil || !c.sign(rest)) {
			w.forget(id)
			c.answer <- rest
		}
	}
	if lines.Err() != nil {
		w.fault = fmt.Errorf("a line of it is longer than %d bytes", maxLine)
		fmt.Fprintf(w.tell, "fsmc: a worker is killed: %v\n", w.fault)
		w.group.kill()
	}
}

// readID reads the number that an answer repeats, also as languages write it that know
// no integers, or whose programs took it for a text.
func readID(text json.RawMessage) (int64, bool) {
	number, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	return int64(number), err == nil && number == float64(int64(number))
}

// call sends what ask makes of an id, and waits for the answer. When ctx is done
// it says so, and waits for an answer all the same: it means that the work has
// stopped. Asked is then ctx's cause, which is the error, too, where no answer
// comes.
func (w *worker) call(ctx context.Context, ask func(id int64) any, c *call) (answer []byte, asked, err error) {
	c.answer = make(chan []byte, 1)
	w.mu.Lock()
	w.next++
	id := w.next
	w.calls[id] = c
	w.mu.Unlock()
	defer w.forget(id)
	if err := w.say(ctx, ask(id)); err != nil {
		return nil, nil, err
	}
	select {
	case answer := <-c.answer:
		return answer, nil, nil
	case <-w.gone:
		answer, err := w.lost(c)
		return answer, nil, err
	case <-ctx.Done():
		asked = context.Cause(ctx)
	}
	if c.sign == nil {
		return nil, asked, asked // a question is not waited for
	}
	patience, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	_ = w.say(patience, struct {
		ID     int64  `json:"id"`
		Cancel string `json:"cancel"`
	}{id, asked.Error()})
	select {
	case answer := <-c.answer:
		return answer, asked, nil
	case <-w.gone:
		if answer, err := w.lost(c); err == nil {
			return answer, asked, nil
		}
	case <-patience.Done():
		w.group.kill()
	}
	return nil, asked, asked
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

// hangUp lets the process end, and stops it where it does not.
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
