//go:build unix && cgo

package reliability

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// ledger is what the world outside of the database has seen: a file to which
// processes append a line, in one write, when something has happened. A killed
// process loses none that it has written. Words are separated by tabs.
//
// SIGKILL may cut the last write of a process off where it crosses a page: then it
// was killed before it could note this, and what there is of the line is dropped.
// So that it can be told, each line ends with a word of its own, and begins with
// the end of the line before.
type ledger struct {
	file   *os.File
	worker string // who writes; empty for several
}

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errOf is the error of a call, for must, where nothing else of it is wanted.
func errOf[T any](_ T, err error) error { return err }

func openLedger(path string) (*ledger, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return &ledger{file: f}, err
}

// The first words of lines, and what follows them.
const (
	started   = "started"   // run: its start has been acknowledged
	sent      = "sent"      // run, event id: it is about to be sent
	accepted  = "accepted"  // run, event id: it has been acknowledged
	called    = "called"    // call, run, activity, key, attempt, checkpoint, worker: an activity has begun
	used      = "used"      // call, cost, amount: an activity has used that, and has yet to say so
	reached   = "reached"   // call, key, checkpoint: it has been acknowledged
	claimed   = "claimed"   // run, do, seq, epoch, worker: a task has been leased
	ended     = "ended"     // run, do, seq, epoch, worker: a commit under this claim was acknowledged
	delivered = "delivered" // run, message id
	finishing = "finishing" // run, lines: a commit of these lines of history, by which the run finishes, is tried
	finished  = "finished"  // run, lines: it was acknowledged
)

// begun notes a call, and gives it a name for what it reaches.
func (l *ledger) begun(a *runtime.Attempt, checkpoint int) (name string) {
	name = strconv.FormatUint(rand.Uint64(), 36)
	l.note(called, name, a.Run, a.Activity, a.Key, a.Number, checkpoint, l.worker)
	return name
}

func (l *ledger) note(words ...any) {
	var line strings.Builder
	line.WriteByte('\n')
	for _, word := range words {
		fmt.Fprint(&line, word, "\t")
	}
	line.WriteString(whole + "\n")
	if _, err := l.file.WriteString(line.String()); err != nil {
		panic(err) // without the ledger the test sees nothing
	}
}

// whole is the last word of a line.
const whole = "."

// evidence is a ledger as read.
type evidence struct {
	started   map[string]bool
	sent      map[eventID]bool
	accepted  map[eventID]bool
	calls     []call
	claims    []claim
	ended     []claim
	delivered map[string][]string // by run: message ids, in order
	finishes  []finish            // in order
}

type eventID struct{ run, id string }

// call is a call of an activity. Past is the highest checkpoint that had been
// acknowledged for its execution before. It counts where the call was held to be in
// its right afterwards: one that had lost its claim before it could note anything may
// have been handed an older one.
type call struct {
	name, run, activity, key string
	attempt                  int
	checkpoint, past         int
	right                    bool
	worker                   string
	used                     account
	acked                    account // of that, what was said with an acknowledged checkpoint
}

// attempts counts the attempts of a run that have begun, by activity.
func (e *evidence) attempts(run string) map[string]int64 {
	n, seen := map[string]int64{}, map[string]bool{}
	for _, c := range e.calls {
		if id := attemptOf(c.key, c.attempt); c.run == run && !seen[id] {
			seen[id] = true
			n[c.activity]++
		}
	}
	return n
}

type claim struct {
	task   [3]string // run, do, seq
	epoch  int64
	worker string
}

// ledgerLines gives the words of each line that is whole.
func ledgerLines(path string) (lines [][]string, err error) {
	text, err := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if last := len(words) - 1; words[last] == whole {
			lines = append(lines, words[:last])
		}
	}
	return lines, err
}

func readLedger(path string) (*evidence, error) {
	lines, err := ledgerLines(path)
	if err != nil {
		return nil, err
	}
	e := &evidence{
		started: map[string]bool{}, sent: map[eventID]bool{}, accepted: map[eventID]bool{},
		delivered: map[string][]string{},
	}
	past, names := map[string]int{}, map[string]int{}
	for _, w := range lines {
		number := func(i int) int {
			n, failed := strconv.Atoi(w[i])
			if failed != nil {
				err = fmt.Errorf("the ledger has %q: %w", w, failed)
			}
			return n
		}
		switch w[0] {
		case started:
			e.started[w[1]] = true
		case sent:
			e.sent[eventID{w[1], w[2]}] = true
		case accepted:
			e.accepted[eventID{w[1], w[2]}] = true
		case called:
			names[w[1]] = len(e.calls)
			e.calls = append(e.calls, call{
				name: w[1], run: w[2], activity: w[3], key: w[4], attempt: number(5), checkpoint: number(6), past: past[w[4]],
				worker: w[7], used: account{},
			})
		case used:
			if i, ok := names[w[1]]; ok { // else its process was killed as it noted the call
				e.calls[i].used.add(w[2], w[3])
			}
		case reached:
			past[w[2]] = max(past[w[2]], number(3))
			if i, ok := names[w[1]]; ok {
				e.calls[i].right, e.calls[i].acked = true, e.calls[i].used.clone()
			}
		case delivered:
			e.delivered[w[1]] = append(e.delivered[w[1]], w[2])
		case claimed:
			e.claims = append(e.claims, claim{[3]string(w[1:4]), int64(number(4)), w[5]})
		case ended:
			e.ended = append(e.ended, claim{[3]string(w[1:4]), int64(number(4)), w[5]})
		case finishing, finished:
			e.finishes = append(e.finishes, finish{w[1], w[2], w[0] == finished})
		default:
			return nil, fmt.Errorf("the ledger has %q", w)
		}
	}
	return e, err
}

// witness is a store that notes in the ledger which claims it gave, and which of
// them ended with a commit.
type witness struct {
	runtime.Store
	ledger *ledger
	worker string
}

// witnessed is a witness with what its store can do besides: it may have a clock, and give hints.
func witnessed(w *witness) runtime.Store {
	if of, ok := w.Store.(shared); ok {
		return &sharedWitness{w, of}
	}
	return w
}

// shared is a store of several hosts.
type shared interface {
	store.Clocked
	store.Watcher
}

type sharedWitness struct {
	*witness
	of shared
}

func (s *sharedWitness) Clock() (store.Clock, store.Store) {
	clock, by := s.of.Clock()
	return clock, &witness{Store: by, ledger: s.ledger, worker: s.worker}
}

func (s *sharedWitness) Watch(ctx context.Context, hint func(run string)) error {
	return s.of.Watch(ctx, hint)
}

func (w *witness) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	rows, err := w.Store.Claim(ctx, q)
	for i := range rows {
		w.note(claimed, rows[i].Claim())
	}
	return rows, err
}

func (w *witness) Commit(ctx context.Context, c *store.Commit) error {
	note := finishOf(c)
	note(w.ledger, finishing)
	err := w.Store.Commit(ctx, c)
	if err == nil {
		note(w.ledger, finished)
	}
	if c.Claim != nil && err == nil {
		w.note(ended, *c.Claim)
	}
	if c.Parent != nil && err == nil {
		w.ledger.note(started, c.Run.Run)
	}
	return err
}

func (w *witness) note(what string, c store.Claim) {
	w.ledger.note(what, c.Run, c.Do, c.Seq, c.Epoch, w.worker)
}

// TestTornLedger: what a killed process has not written to its end is dropped,
// and takes nothing with it that others write behind it.
func TestTornLedger(t *testing.T) {
	path := ledgerIn(t.TempDir())
	l, err := openLedger(path)
	must(t, err)
	defer l.file.Close()
	l.note(reached, "before", "k", 12)
	before, err := os.ReadFile(path)
	must(t, err)
	for cut := range before {
		must(t, os.WriteFile(path, before[:cut], 0o600))
		l.note(started, "r")
		l.begun(&runtime.Attempt{Run: "r", Activity: "work", Key: "k", Number: 1}, 0)
		e, err := readLedger(path)
		if err != nil || !e.started["r"] || len(e.calls) != 1 {
			t.Fatalf("cut off at %d: %v, %v", cut, e, err)
		}
		if past := e.calls[0].past; past != 0 && cut < len(before)-1 || past == 0 && cut == len(before)-1 {
			t.Errorf("cut off at %d: a checkpoint of %d", cut, past)
		}
	}
}
