package memstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Commit implements store.Store: everything that can be refused is looked at
// before anything is written.
func (s *Store) Commit(ctx context.Context, c *store.Commit) error {
	if err := c.Check(); err != nil {
		return err
	}
	return s.locked(ctx, func() error {
		err := s.admit(c)
		if err == nil {
			s.write(c)
		}
		return err
	})
}

// admit says why a commit is refused, in the order that store.Store gives.
func (s *Store) admit(c *store.Commit) error {
	r := s.runs[c.Run.Run]
	if r != nil && c.EventID != "" {
		if answer, ok := r.accepted[c.EventID]; ok {
			return &store.Duplicate{Answer: bytes.Clone(answer)}
		}
	}
	switch {
	case r != nil && c.Expect == 0:
		return machine.ErrExists
	case r == nil && c.Expect > 0:
		return store.ErrNotFound
	case r != nil && (r.row.Seq != c.Expect || c.Repairs == nil && !r.row.Started.Equal(micro(c.Run.Started))):
		return &store.Conflict{Run: copyRun(&r.row)}
	}
	if _, ok := s.definitions[c.Run.Definition]; !ok {
		return store.NotFound("definition", c.Run.Definition)
	}
	if c.Claim != nil {
		if t := s.held(*c.Claim); t == nil || t.Cancelled {
			return machine.ErrFenced
		}
	}
	if c.Parent != nil {
		if t := s.held(*c.Parent); t == nil || t.Cancelled || t.Child != "" || !s.awake(t.Run) {
			return machine.ErrFenced
		}
	}
	if h := c.Hears; h != nil {
		if child := s.runs[h.Child]; child == nil || child.row.Parent != h.Parent || !bytes.Equal(child.told, h.Told) {
			return machine.ErrFenced
		}
	}
	return s.admitNew(c)
}

// admitNew refuses a task beside an open one of the same do, and a message
// that has been published before.
func (s *Store) admitNew(c *store.Commit) error {
	open := map[string]bool{}
	for _, t := range s.tasks {
		if t.Run == c.Run.Run && !t.Cancelled && !ends(c, t) && !slices.Contains(c.Cancel, t.Do) {
			open[t.Do] = true
		}
	}
	for _, t := range c.Start {
		if open[t.Do] {
			return fmt.Errorf("do %q has an open task", t.Do)
		}
		open[t.Do] = true
		if child := s.runs[t.Child]; t.Child != "" && (child == nil || child.row.Parent != t.Run) {
			return fmt.Errorf("%q is no child of %q", t.Child, t.Run)
		}
	}
	published := map[string]bool{}
	for _, m := range s.outbox {
		published[m.ID] = true
	}
	for _, m := range c.Publish {
		if published[m.ID] {
			return fmt.Errorf("message %q has been published before", m.ID)
		}
		published[m.ID] = true
	}
	return nil
}

// ends reports whether the open task t has ended with c.
func ends(c *store.Commit, t *task) bool {
	return slices.Contains(c.End, t.Do) ||
		c.Claim != nil && c.Claim.Do == t.Do && c.Claim.Seq == t.Seq
}

// noteUntold notes whether a child has used what its parent does not know.
func (s *Store) noteUntold(child string) {
	if r := s.runs[child]; bytes.Equal(r.total, r.told) {
		delete(s.untold, child)
	} else {
		s.untold[child] = true
	}
}

// write carries out a commit that has been admitted.
func (s *Store) write(c *store.Commit) {
	r := s.runs[c.Run.Run]
	if r == nil {
		r = &run{accepted: map[string]json.RawMessage{}}
		s.runs[c.Run.Run] = r
	}
	if len(c.History) > 0 {
		s.writeRun(r, c)
	}
	if c.Total != nil && r.row.Parent != "" {
		r.total = bytes.Clone(c.Total)
		s.noteUntold(c.Run.Run)
	}
	if c.Hears != nil {
		s.runs[c.Hears.Child].told = bytes.Clone(c.Hears.Total)
		s.noteUntold(c.Hears.Child)
	}
	s.writeTasks(c)
	s.writeParent(c)
	for _, name := range c.Drop {
		delete(s.timers, timerKey{c.Run.Run, name})
	}
	for _, t := range c.Set {
		s.timers[timerKey{t.Run, t.Name}] = micro(t.Due)
	}
	for _, m := range c.Publish {
		m.At, m.Data = micro(m.At), bytes.Clone(m.Data)
		m.Ready = m.At
		s.outbox = append(s.outbox, &message{MessageRow: m})
	}
	if c.EventID != "" {
		r.accepted[c.EventID] = bytes.Clone(c.Answer)
	}
}

func (s *Store) writeRun(r *run, c *store.Commit) {
	parent, root, tags := r.row.Parent, r.row.Root, r.row.Tags
	if c.Expect == 0 {
		tags = nil
		if len(c.Run.Tags) > 0 {
			tags = maps.Clone(c.Run.Tags)
		}
		parent, root = c.Run.Parent, cmp.Or(c.Run.Root, c.Run.Run)
	}
	r.row = copyRun(&c.Run)
	r.row.Parent, r.row.Root, r.row.Tags = parent, root, tags
	r.row.Started, r.row.Entered, r.row.Updated = micro(c.Run.Started), micro(c.Run.Entered), micro(c.Run.Updated)
	for _, h := range c.History {
		h.At, h.Record = micro(h.At), bytes.Clone(h.Record)
		r.history = append(r.history, h)
		s.feedEnd++
		s.feed = append(s.feed, fed{s.feedEnd, r, len(r.history) - 1})
	}
}

func (s *Store) writeTasks(c *store.Commit) {
	for _, t := range s.tasks {
		if t.Run == c.Run.Run && !t.Cancelled && (ends(c, t) || slices.Contains(c.Cancel, t.Do)) && s.childHolds(t) {
			t.Cancelled = true
			t.leave()
			if t.ChildEnded {
				t.Worker, t.Epoch, t.LeaseUntil = t.Child, 0, s.leftUntil(t.Child)
			}
		}
	}
	s.remove(func(t *task) bool {
		return t.Run == c.Run.Run && !t.Cancelled &&
			(ends(c, t) || t.Worker == "" && slices.Contains(c.Cancel, t.Do))
	})
	for _, t := range s.tasks {
		if t.Run == c.Run.Run && slices.Contains(c.Cancel, t.Do) {
			t.Cancelled = true
		}
	}
	for _, t := range s.tasks {
		if t.Run == c.Run.Run && !t.Cancelled && t.Worker == "" && t.Child == "" && slices.Contains(c.Ready, t.Do) {
			t.queued, t.NotBefore = micro(c.Run.Updated), micro(c.Run.Updated)
		}
	}
	for _, row := range c.Start {
		if row.Child != "" {
			s.remove(func(t *task) bool { return t.Child == row.Child })
			if child := &s.runs[row.Child].row; child.Status == machine.Finished {
				row.ChildEnded, row.NotBefore = true, later(child.Updated, s.leftUntil(row.Child))
			} else {
				row.ChildEnded = false
			}
		}
		t := &task{TaskRow: row, queued: micro(c.Run.Updated)}
		t.NotBefore = micro(row.NotBefore)
		t.Epoch, t.Checkpoint, t.Cancelled = 0, nil, false
		t.leave()
		s.tasks = append(s.tasks, t)
	}
}

// writeParent does what the start and the end of a child do to its task.
func (s *Store) writeParent(c *store.Commit) {
	if c.Parent != nil {
		t := s.held(*c.Parent)
		t.leave()
		t.Child, t.NotBefore = c.Run.Run, store.Never
		if !c.ParentDue.IsZero() {
			t.NotBefore = micro(c.ParentDue)
		}
	}
	if len(c.History) == 0 || c.Run.Status != machine.Finished {
		return
	}
	left := s.leftUntil(c.Run.Run)
	if left.IsZero() {
		s.remove(func(t *task) bool { return t.Child == c.Run.Run && t.Cancelled })
	}
	now := micro(c.Run.Updated)
	for _, t := range s.tasks {
		if t.Child != c.Run.Run || t.ChildEnded {
			continue
		}
		t.ChildEnded, t.NotBefore = true, later(now, left)
		if t.Cancelled {
			t.Worker, t.Epoch, t.LeaseUntil = t.Child, 0, left
		}
	}
}
