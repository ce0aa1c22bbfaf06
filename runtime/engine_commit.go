package runtime

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// commit turns the write into what the store is asked to keep. Where taken is
// false the input was refused, and the write is only of what was due before:
// the claim and the event id of the input are not part of it.
//
// The commands of several steps are netted: a task or timer that one step
// starts and a later one ends has never been in the store. All names are those
// of the definition, so that equal steps give equal writes.
func (w *write) commit(taken bool) (*store.Commit, error) {
	c := &store.Commit{Run: store.RunOf(w.host.machine, w.after), Expect: w.before.Seq}
	c.Run.Tags = w.tags
	if taken {
		c.Claim, c.Hears, c.EventID = w.claim, w.hears, w.eventID
	}
	if w.tells() {
		c.Total = encodeTotal(w.after.Spent)
	}
	if w.child != nil {
		t := w.child.task
		c.Run.Parent, c.Run.Root, c.Parent = t.Run, w.child.root, new(t.Claim())
		if t.Timeout > 0 {
			c.ParentDue = w.after.Started.Add(t.Timeout)
		}
	}
	if c.EventID != "" {
		var err error
		if c.Answer, err = w.host.machine.EncodeAnswer(w.after, c.EventID, w.records); err != nil {
			return nil, fmt.Errorf("the answer to event id %q: %w", c.EventID, err)
		}
	}
	c.History = make([]store.HistoryRow, len(w.records))
	for i, r := range w.records {
		c.History[i] = store.HistoryOf(w.host.machine, w.after.Run, r)
	}
	w.work(c)
	return c, nil
}

// work fills what the commands ask for. The task that the claim is of ends with it; one
// that someone else has ended, such as an operator, may be held, and its worker has yet
// to stop.
func (w *write) work(c *store.Commit) {
	m, net := w.host.machine, machine.NetOf(w.commands)
	d := m.Definition()
	for i := range net.Start {
		c.Start = append(c.Start, w.taskRow(&net.Start[i]))
	}
	for i := range net.End {
		cmd := &net.End[i]
		if name := m.TaskName(&cmd.Task); cmd.Kind == machine.CancelTask || c.Claim == nil || c.Claim.Do != name {
			c.Cancel = append(c.Cancel, name)
		}
	}
	for i := range net.Ready {
		c.Ready = append(c.Ready, m.TaskName(&net.Ready[i].Task))
	}
	for i := range net.Timers {
		cmd := &net.Timers[i]
		name := d.Timers[cmd.Timer].Name
		if cmd.Kind == machine.SetTimer {
			c.Set = append(c.Set, store.TimerRow{Run: w.after.Run, Name: name, Due: cmd.Due})
		} else {
			c.Drop = append(c.Drop, name)
		}
	}
	w.messages(c, net.Publish)
}

// messages fills Publish, numbered within each step.
func (w *write) messages(c *store.Commit, published []machine.Command) {
	d := w.host.machine.Definition()
	seq, n := int64(0), 0
	for i := range published {
		cmd := &published[i]
		if cmd.Seq != seq {
			seq, n = cmd.Seq, 0
		}
		n++
		c.Publish = append(c.Publish, store.MessageRow{
			ID: cmd.Message, Run: w.after.Run, Seq: cmd.Seq, N: n, Machine: d.Name,
			Event: d.Events[cmd.Event].Name, Data: w.host.machine.Published(cmd), At: w.after.Now,
		})
	}
}

func (w *write) taskRow(cmd *machine.Command) store.TaskRow {
	d := w.host.machine.Definition()
	do := &d.Dos[cmd.Task.Do]
	row := store.TaskRow{
		Run:        w.after.Run,
		Machine:    d.Name,
		Definition: w.host.machine.Hash(),
		Do:         w.host.machine.TaskName(&cmd.Task),
		Activity:   d.Activities[do.Activity].Name,
		Key:        cmd.Task.Key,
		Attempt:    cmd.Task.Attempt,
		Seq:        cmd.Seq,
		NotBefore:  cmd.Task.NotBefore,
		Timeout:    machine.LimitOf(do.Timeout),
		Heartbeat:  machine.LimitOf(do.Heartbeat),
		Progress:   machine.LimitOf(do.Progress),
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
