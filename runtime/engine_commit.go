package runtime

import (
	"fmt"
	"time"
)

// commit turns the write into what the store is asked to keep. Where taken is
// false the input was refused, and the write is only of what was due before:
// the claim and the event id of the input are not part of it.
//
// The commands of several steps are netted: a task or timer that one step
// starts and a later one ends has never been in the store. All names are those
// of the definition, so that equal steps give equal writes.
func (w *write) commit(taken bool) (*Commit, error) {
	c := &Commit{Run: w.host.machine.row(w.after), Expect: w.before.Seq}
	if taken {
		c.Claim, c.EventID = w.claim, w.eventID
	}
	if c.EventID != "" {
		var err error
		if c.Answer, err = w.answer(); err != nil {
			return nil, fmt.Errorf("the answer to event id %q: %w", c.EventID, err)
		}
	}
	c.History = make([]HistoryRow, len(w.records))
	for i, r := range w.records {
		c.History[i] = w.historyRow(r)
	}
	w.netTasks(c)
	w.netTimers(c)
	w.messages(c)
	return c, nil
}

// row is the run of a snapshot, as stores have it.
func (m *Machine) row(s *Snapshot) RunRow {
	return RunRow{
		Run:        s.Run,
		Machine:    m.Definition().Name,
		Definition: m.Hash(),
		State:      m.Definition().States[s.State].Path,
		Status:     s.Status,
		Outcome:    s.Outcome,
		Paused:     !s.PausedAt.IsZero(),
		Seq:        s.Seq,
		Snapshot:   m.EncodeSnapshot(s),
		Started:    s.Started,
		Entered:    s.Entered,
		Updated:    s.Now,
	}
}

func (w *write) historyRow(r *Record) HistoryRow {
	m := w.host.machine
	row := HistoryRow{
		Run:    w.after.Run,
		Seq:    r.Seq,
		At:     r.At,
		Kind:   r.Input.Kind,
		Input:  m.Describe(r.Input),
		To:     m.Definition().States[r.To].Path,
		Effect: r.Effect,
		Record: m.EncodeRecord(r),
	}
	if r.Input.Migration != nil {
		row.From = r.Input.Migration.From
	}
	if r.From >= 0 {
		row.From = m.Definition().States[r.From].Path
	}
	return row
}

// netTasks fills Start and Cancel. A do has at most one open task, so what
// matters is what happens to the one in the store, and which one is left. The
// task that the claim is of ends with it; one that someone else has ended, such
// as an operator, may be held, and its worker has yet to stop.
func (w *write) netTasks(c *Commit) {
	dos := w.host.machine.Definition().Dos
	started := map[int]int{} // by do: its place in c.Start
	for i := range w.commands {
		cmd := &w.commands[i]
		do := cmd.Task.Do
		at, fresh := started[do]
		switch cmd.Kind {
		case StartTask:
			started[do] = len(c.Start)
			c.Start = append(c.Start, w.taskRow(cmd))
		case CancelTask, EndTask:
			switch {
			case fresh:
				c.Start[at].Run = "" // never in the store
				delete(started, do)
			case cmd.Kind == CancelTask, c.Claim == nil || c.Claim.Do != dos[do].Name:
				c.Cancel = append(c.Cancel, dos[do].Name)
			}
		}
	}
	kept := c.Start[:0]
	for _, row := range c.Start {
		if row.Run != "" {
			kept = append(kept, row)
		}
	}
	c.Start = kept
}

func (w *write) taskRow(cmd *Command) TaskRow {
	d := w.host.machine.Definition()
	do := &d.Dos[cmd.Task.Do]
	row := TaskRow{
		Run:        w.after.Run,
		Machine:    d.Name,
		Definition: w.host.machine.Hash(),
		Do:         do.Name,
		Activity:   d.Activities[do.Activity].Name,
		Key:        cmd.Task.Key,
		Attempt:    cmd.Task.Attempt,
		Seq:        cmd.Seq,
		NotBefore:  cmd.Task.NotBefore,
		Timeout:    limit(do.Timeout),
		Heartbeat:  limit(do.Heartbeat),
		Progress:   limit(do.Progress),
	}
	for _, r := range w.records {
		if r.Seq == cmd.Seq {
			row.Visit = r.Visit
		}
	}
	if row.NotBefore.IsZero() {
		row.NotBefore = w.after.Now
	}
	return row
}

func limit(ns *int64) time.Duration {
	if ns == nil {
		return 0
	}
	return time.Duration(*ns)
}

// netTimers fills Set and Drop: what was said last of a timer counts.
func (w *write) netTimers(c *Commit) {
	timers := w.host.machine.Definition().Timers
	last := map[int]int{} // by timer: its last command
	for i := range w.commands {
		if kind := w.commands[i].Kind; kind == SetTimer || kind == DropTimer {
			last[w.commands[i].Timer] = i
		}
	}
	for i := range w.commands {
		cmd := &w.commands[i]
		if at, ok := last[cmd.Timer]; !ok || at != i {
			continue
		}
		name := timers[cmd.Timer].Name
		if cmd.Kind == SetTimer {
			c.Set = append(c.Set, TimerRow{Run: w.after.Run, Name: name, Due: cmd.Due})
		} else {
			c.Drop = append(c.Drop, name)
		}
	}
}

// messages fills Publish, numbered within each step.
func (w *write) messages(c *Commit) {
	m := w.host.machine
	seq, n := int64(0), 0
	for i := range w.commands {
		cmd := &w.commands[i]
		if cmd.Kind != SendOut {
			continue
		}
		if cmd.Seq != seq {
			seq, n = cmd.Seq, 0
		}
		n++
		event := &m.Definition().Events[cmd.Event]
		c.Publish = append(c.Publish, MessageRow{
			ID:      cmd.Message,
			Run:     w.after.Run,
			Seq:     cmd.Seq,
			N:       n,
			Machine: m.Definition().Name,
			Event:   event.Name,
			Data:    encodeFields(event.Fields, cmd.Data),
			At:      w.after.Now,
		})
	}
}
