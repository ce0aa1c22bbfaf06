package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// maxCount bounds sequence numbers, visits and attempts that are read back.
const maxCount = 1 << 60

func unknownKey(key string) error { return fmt.Errorf("there is no member %q", shorten(key)) }

func (s *scanner) textInto(to *string) (err error) {
	*to, err = s.text()
	return err
}

func (s *scanner) truthInto(to *bool) (err error) {
	*to, err = s.boolean()
	return err
}

func (s *scanner) timeInto(to *time.Time) (err error) {
	*to, err = s.time()
	return err
}

func (s *scanner) durationInto(to *time.Duration) (err error) {
	*to, err = s.duration()
	return err
}

func (s *scanner) versionInto(v *Version) error {
	return s.object(func(key string) error {
		switch key {
		case "definition":
			return s.textInto(&v.Definition)
		case "until":
			return countInto(s, &v.Until)
		}
		return unknownKey(key)
	})
}

// costInto reads a cost as AddAmounts writes it.
func (s *scanner) costInto(c *Cost) error {
	err := s.uncountedInto(c)
	if amount, ok := parseDecimal(c.Amount); err == nil && (!ok || amount.String() != c.Amount || !isCostName(c.Name)) {
		err = s.fail("a cost is damaged")
	}
	return err
}

// uncountedInto reads what was reported as a cost, and is none.
func (s *scanner) uncountedInto(c *Cost) error {
	return s.object(func(key string) error {
		switch key {
		case "name":
			return s.textInto(&c.Name)
		case "amount":
			return s.textInto(&c.Amount)
		}
		return unknownKey(key)
	})
}

// countInto reads a number that is not negative.
func countInto[T int | int64](s *scanner, to *T) error {
	n, err := s.integer()
	if err == nil && (n < 0 || n > maxCount) {
		err = s.fail(fmt.Sprintf("%d is no count", n))
	}
	*to = T(n)
	return err
}

// lookup reads a name and finds what it names.
func (s *scanner) lookup(what string, index map[string]int, to *int) error {
	name, err := s.text()
	if err != nil {
		return err
	}
	i, ok := index[name]
	if !ok {
		return fmt.Errorf("there is no %s %q", what, shorten(name))
	}
	*to = i
	return nil
}

// each reads a list into to.
func each[T any](s *scanner, to *[]T, item func(*T) error) error {
	return s.array(func(int) error {
		var v T
		err := item(&v)
		*to = append(*to, v)
		return err
	})
}

// allFields reads an object that has every one of fields.
func (m *Machine) allFields(s *scanner, fields []Field, to *[]Value) error {
	values, err := m.def.scanFields(s, fields, false)
	if err == nil {
		err = m.def.checkFields(fields, values)
	}
	*to = values
	return err
}

// DecodeSnapshot reads what EncodeSnapshot has written. A snapshot that cannot
// be one of this machine is refused.
func (m *Machine) DecodeSnapshot(data json.RawMessage) (*Snapshot, error) {
	sc := &scanner{data: data, stored: true}
	s := &Snapshot{State: -1, Data: make([]Value, len(m.def.Fields)), Counters: make([]int64, len(m.arms))}
	var tasks, executions []stored
	err := sc.object(func(key string) error {
		switch {
		case !m.fans: // each task stands for itself
		case key == "tasks":
			return each(sc, &tasks, func(t *stored) error { return m.scanStored(sc, t) })
		case key == "executions":
			return each(sc, &executions, func(x *stored) error { return m.scanStored(sc, x) })
		}
		return m.snapshotMember(sc, s, key)
	})
	if err == nil {
		err = sc.end()
	}
	if err == nil && m.fans {
		err = m.unstore(s, tasks, executions)
	}
	if err == nil {
		err = m.checkSnapshot(s)
	}
	if errors.Is(err, ErrNewer) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("the snapshot is damaged: %w", err)
	}
	return s, nil
}

func (m *Machine) snapshotMember(sc *scanner, s *Snapshot, key string) error {
	switch key {
	case "run":
		return sc.textInto(&s.Run)
	case "token":
		return sc.textInto(&s.Token)
	case "semantics":
		return semanticsInto(sc, &s.Semantics)
	case "seq":
		return countInto(sc, &s.Seq)
	case "state":
		return sc.lookup("state", m.index.states, &s.State)
	case "visit":
		return countInto(sc, &s.Visit)
	case "status":
		return sc.textInto((*string)(&s.Status))
	case "outcome":
		return sc.textInto((*string)(&s.Outcome))
	case "started":
		return sc.timeInto(&s.Started)
	case "entered":
		return sc.timeInto(&s.Entered)
	case "now":
		return sc.timeInto(&s.Now)
	case "params":
		return m.allFields(sc, m.def.Params, &s.Params)
	case "data":
		values, err := m.def.scanFields(sc, m.def.Fields, false)
		s.Data = values
		return err
	case "counters":
		return sc.object(func(arm string) error { return m.counterMember(sc, s, arm) })
	case "tasks":
		return each(sc, &s.Tasks, func(t *Task) error { return m.scanTask(sc, t) })
	case "executions":
		return each(sc, &s.Executions, func(x *Execution) error {
			var t Task
			err := m.scanTask(sc, &t)
			*x = Execution{Do: t.Do, Key: t.Key, Attempt: t.Attempt}
			return err
		})
	case "tries":
		return each(sc, &s.Tries, func(x *Tries) error { return m.scanTries(sc, x) })
	case "alarms":
		return each(sc, &s.Alarms, func(a *Alarm) error { return m.scanAlarm(sc, a) })
	case "kept":
		return each(sc, &s.Kept, func(k *Kept) error { return m.scanKept(sc, k) })
	case "kept_next":
		return countInto(sc, &s.KeptNext)
	case "done_due":
		return sc.truthInto(&s.DoneDue)
	case "cancelled":
		return sc.truthInto(&s.Cancelled)
	case "halt":
		s.Halt = new(Halt)
		return m.scanHalt(sc, s.Halt)
	case "paused_at":
		return sc.timeInto(&s.PausedAt)
	case "queue":
		return each(sc, &s.Queue, func(in *Input) error { return m.scanInput(sc, in) })
	case "late":
		return countInto(sc, &s.Late)
	case "versions":
		return each(sc, &s.Versions, sc.versionInto)
	case "spent":
		return each(sc, &s.Spent, sc.costInto)
	case "uncounted":
		return countInto(sc, &s.Uncounted)
	case "over_due":
		return each(sc, &s.OverDue, sc.textInto)
	case "over_done":
		return each(sc, &s.OverDone, sc.textInto)
	case "stopping":
		return each(sc, &s.Stopping, func(t *Task) error { return m.scanTask(sc, t) })
	case "above":
		return each(sc, &s.Above, sc.textInto)
	case "left":
		return sc.truthInto(&s.Left)
	case "forced":
		return sc.truthInto(&s.Forced)
	case "seed":
		return scanSeed(sc, &s.Seed)
	}
	return unknownKey(key)
}

func scanSeed(sc *scanner, to *uint64) error {
	text, err := sc.text()
	if err != nil {
		return err
	}
	if *to, err = strconv.ParseUint(text, 16, 64); err != nil {
		return fmt.Errorf("the seed is no hexadecimal number of 64 bits")
	}
	return nil
}

func (m *Machine) counterMember(sc *scanner, s *Snapshot, arm string) error {
	a, ok := m.index.arms[arm]
	if !ok {
		return fmt.Errorf("there is no arm %q", shorten(arm))
	}
	return countInto(sc, &s.Counters[a])
}

func (m *Machine) scanTask(sc *scanner, t *Task) error {
	t.Do = -1
	return sc.object(func(key string) error { return m.taskMember(sc, t, key) })
}

func (m *Machine) taskMember(sc *scanner, t *Task, key string) error {
	switch key {
	case "do":
		return sc.lookup("do", m.index.dos, &t.Do)
	case "state":
		return sc.textInto((*string)(&t.State))
	case "key":
		return sc.textInto(&t.Key)
	case "attempt":
		return countInto(sc, &t.Attempt)
	case "not_before":
		return sc.timeInto(&t.NotBefore)
	case "begun":
		return sc.textInto(&t.Begun)
	case "reported":
		return each(sc, &t.Reported, sc.costInto)
	case "assumed":
		return each(sc, &t.Assumed, sc.costInto)
	case "index":
		if t.Do >= 0 && m.dos[t.Do].Fan != nil {
			return countInto(sc, &t.Index)
		}
	}
	return unknownKey(key)
}

func (m *Machine) scanAlarm(sc *scanner, a *Alarm) error {
	a.Timer = -1
	return sc.object(func(key string) error {
		switch key {
		case "timer":
			return sc.lookup("timer", m.index.timers, &a.Timer)
		case "due":
			return sc.timeInto(&a.Due)
		case "wait":
			return sc.durationInto(&a.Wait)
		}
		return unknownKey(key)
	})
}

func (m *Machine) scanKept(sc *scanner, k *Kept) error {
	in := Input{Kind: KeptInput, Event: -1}
	if err := sc.object(func(key string) error { return m.inputMember(sc, &in, key) }); err != nil {
		return err
	}
	*k = Kept{Event: in.Event, Data: in.Data, ID: in.ID}
	return m.checkInput(&in)
}

func (m *Machine) scanHalt(sc *scanner, h *Halt) error {
	err := sc.object(func(key string) error {
		if key == "input" {
			return m.scanInput(sc, &h.Input)
		}
		return causeMember(sc, &h.Cause, key)
	})
	if err == nil {
		err = h.Cause.check()
	}
	return err
}
