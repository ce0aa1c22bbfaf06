package runtime

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// write is one durable write in the making: what the pure steps gave.
type write struct {
	*request // that it is made for
	host     *host
	before   *machine.Snapshot
	began    time.Time
	now      time.Time

	after    *machine.Snapshot
	commands []machine.Command
	records  []*machine.Record
	asker    *asker
	ask      machine.Ask // of asker

	// What a repair or a migration writes beside what its steps command, and the tasks
	// that it ends with that; nil for other writes.
	amend func(*store.Commit)
	stops []machine.Command
}

func (e *Engine) newWrite(ctx context.Context, c *request, live *liveRun) write {
	a := e.asker(ctx, live.host)
	return write{request: c, host: live.host, asker: a, ask: a.ask, before: live.snapshot, after: live.snapshot,
		began: e.own.Now(), now: e.now()}
}

// take takes what is due, then the input, then what follows from it. The error
// is the refusal of the input itself; what was due before it stays taken.
func (w *write) take() error {
	if w.start == nil {
		if err := w.settle(); err != nil {
			return err
		}
	}
	if w.input == nil {
		return nil
	}
	m := w.host.machine
	in, err := w.input(m, w.after)
	if err != nil {
		return err
	}
	if err := m.Expected(w.after, &in, w.ifSeq); err != nil {
		return err
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
