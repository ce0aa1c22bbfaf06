package runtime

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// write is one durable write in the making: what the pure steps gave.
type write struct {
	host   *host
	before *machine.Snapshot
	began  time.Time
	now    time.Time

	after    *machine.Snapshot
	commands []machine.Command
	records  []*machine.Record
	asker    *asker
	ask      machine.Ask // of asker

	claim   *store.Claim
	hears   *store.Report
	child   *childOf
	attempt *AttemptInfo
	eventID string

	// What a repair or a migration writes beside what its steps command, and the tasks
	// that it ends with that; nil for other writes.
	amend func(*store.Commit)
	stops []machine.Command
}

func (e *Engine) newWrite(ctx context.Context, c *request, live *liveRun) write {
	a := e.asker(ctx, live.host)
	return write{
		host:    live.host,
		asker:   a,
		ask:     a.ask,
		before:  live.snapshot,
		after:   live.snapshot,
		began:   e.clock.Now(),
		now:     e.now(),
		claim:   c.claim,
		hears:   c.hears,
		child:   c.child,
		attempt: c.attempt,
		eventID: c.eventID,
	}
}

// take takes what is due, then the input, then what follows from it. The error
// is the refusal of the input itself; what was due before it stays taken.
func (w *write) take(c *request) error {
	if c.start == nil {
		if err := w.settle(); err != nil {
			return err
		}
	}
	if c.input == nil {
		return nil
	}
	m := w.host.machine
	in, err := c.input(m, w.after)
	if err != nil {
		return err
	}
	if why := badNote(in.Actor, in.Reason); why != "" {
		return m.Reject(w.after, &in, why, nil)
	}
	if c.ifSeq != 0 && w.after.Seq != c.ifSeq {
		steps := "steps"
		if w.after.Seq == 1 {
			steps = "step"
		}
		why := fmt.Sprintf("the run has taken %d %s, not %d", w.after.Seq, steps, c.ifSeq)
		return m.Reject(w.after, &in, why, ErrConflict)
	}
	return w.add(m.Advance(w.after, in, w.now, w.ask))
}

func (w *write) settle() error { return w.add(w.host.machine.Settle(w.after, w.now, w.ask)) }

// add takes what further steps gave. Of a refused input that is what was due before it.
func (w *write) add(after *machine.Snapshot, commands []machine.Command, records []*machine.Record, err error) error {
	w.after = after
	if w.commands == nil {
		w.commands, w.records = commands, records
		return err
	}
	w.commands, w.records = append(w.commands, commands...), append(w.records, records...)
	return err
}

// badNote says what is wrong with who did something, or why, or nothing.
func badNote(actor, reason string) string {
	for _, note := range []struct{ name, text string }{{"actor", actor}, {"reason", reason}} {
		if !utf8.ValidString(note.text) {
			return fmt.Sprintf("its %s is not valid UTF-8", note.name)
		}
		if len(note.text) > machine.MaxNote {
			return fmt.Sprintf("its %s has %d bytes, more than the %d that are allowed", note.name, len(note.text), machine.MaxNote)
		}
	}
	return ""
}
