package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// EncodeSnapshot writes s as canonical JSON.
func (m *Machine) EncodeSnapshot(s *Snapshot) json.RawMessage {
	var x storedRun
	if len(s.Lists)+len(s.Executions) > 0 {
		x = m.store(s)
	}
	return encoded(m, func(c *coder) { m.codeSnapshot(c, s, &x) })
}

// DecodeSnapshot reads what EncodeSnapshot has written. A snapshot that cannot
// be one of this machine is refused.
func (m *Machine) DecodeSnapshot(data json.RawMessage) (*Snapshot, error) {
	s := &Snapshot{State: -1, Data: make([]Value, len(m.def.Fields)), Counters: make([]int64, len(m.arms))}
	var x storedRun
	err := m.decode(data, func(c *coder) { m.codeSnapshot(c, s, &x) })
	if err == nil {
		err = m.unstore(s, &x)
	}
	if err == nil {
		err = m.checkSnapshot(s)
	}
	if err != nil {
		return nil, damaged("snapshot", err)
	}
	return s, nil
}

// decode reads all of data.
func (m *Machine) decode(data []byte, value func(*coder)) error {
	c := coder{m: m, in: &scanner{data: data, stored: true}, keys: make([][]byte, 0, 32)}
	if value(&c); c.err == nil {
		c.err = c.in.end()
	}
	return c.err
}

func damaged(what string, err error) error {
	if errors.Is(err, ErrNewer) {
		return err
	}
	return fmt.Errorf("the %s is damaged: %w", what, err)
}

func (m *Machine) codeSnapshot(c *coder, s *Snapshot, x *storedRun) {
	c.object(func() {
		c.text("run", &s.Run)
		c.text("token", &s.Token)
		c.semantics(&s.Semantics)
		number(c, "seq", &s.Seq)
		c.ref("state", &m.index.states, &s.State)
		number(c, "visit", &s.Visit)
		c.text("status", (*string)(&s.Status))
		c.text("outcome", (*string)(&s.Outcome))
		c.time("started", &s.Started)
		c.time("entered", &s.Entered)
		c.time("now", &s.Now)
		if c.in != nil || s.State >= 0 {
			c.fields("params", m.def.Params, &s.Params)
		}
		m.codeData(c, s)
		m.codeCounters(c, s.Counters)
		if m.fans && (c.in != nil || len(s.Lists) > 0) {
			list(c, "tasks", &x.tasks, func(t *stored) { m.codeTask(c, &t.Task, t) })
		} else {
			list(c, "tasks", &s.Tasks, func(t *Task) { m.codeTask(c, t, nil) })
		}
		list(c, "tries", &s.Tries, func(x *Tries) { m.codeTries(c, x) })
		list(c, "executions", &x.executions, func(t *stored) { m.codeTask(c, &t.Task, t) })
		list(c, "alarms", &s.Alarms, func(a *Alarm) { m.codeAlarm(c, a) })
		list(c, "kept", &s.Kept, func(k *Kept) { m.codeKept(c, k) })
		number(c, "kept_next", &s.KeptNext)
		c.truth("done_due", &s.DoneDue)
		c.truth("cancelled", &s.Cancelled)
		m.codeHalt(c, &s.Halt)
		c.time("paused_at", &s.PausedAt)
		list(c, "queue", &s.Queue, func(in *Input) { m.codeInput(c, in) })
		number(c, "late", &s.Late)
		list(c, "versions", &s.Versions, c.version)
		c.costs("spent", &s.Spent)
		number(c, "uncounted", &s.Uncounted)
		c.texts("over_due", &s.OverDue)
		c.texts("over_done", &s.OverDone)
		list(c, "stopping", &s.Stopping, func(t *Task) { m.codeTask(c, t, nil) })
		c.texts("above", &s.Above)
		c.truth("left", &s.Left)
		c.truth("forced", &s.Forced)
		c.seed(&s.Seed)
	})
}

// codeData is of fields that may be unset.
func (m *Machine) codeData(c *coder, s *Snapshot) {
	if c.begins("data", len(m.def.Fields) > 0) {
		if c.in == nil {
			c.b = appendFields(c.b, m.def.Fields, s.Data)
		} else {
			s.Data, c.err = m.def.scanFields(c.in, m.def.Fields, false)
		}
		c.ends()
	}
}

// codeCounters leaves those that are 0 out.
func (m *Machine) codeCounters(c *coder, counters []int64) {
	if c.in == nil {
		some := false
		for a := range counters {
			if counters[a] == 0 {
				continue
			}
			if !some {
				c.member("counters")
				c.b, some = append(c.b, '{'), true
			}
			c.comma()
			c.b = append(append(c.b, m.index.arms.quoted[a]...), ':')
			count(c, &counters[a])
		}
		if some {
			c.b = append(c.b, '}')
		}
	} else if c.begins("counters", true) {
		c.err = c.in.object(func(arm string) error {
			a, ok := m.index.arms.find(arm)
			if !ok {
				return fmt.Errorf("there is no arm %q", shorten(arm))
			}
			count(c, &counters[a])
			return c.err
		})
		c.ends()
	}
}

// codeTask is a task, or with x one of a machine that has some for the elements of a list.
func (m *Machine) codeTask(c *coder, t *Task, x *stored) {
	c.none(&t.Do)
	c.object(func() {
		c.ref("do", &m.index.dos, &t.Do)
		fan := t.Do >= 0 && m.dos[t.Do].Fan != nil
		elements := m.fans && x != nil && (fan || t.Do < 0)
		if fan || elements {
			number(c, "index", &t.Index)
		}
		c.text("state", (*string)(&t.State))
		if elements {
			number(c, "seq", &x.seq)
		}
		c.text("key", &t.Key)
		number(c, "attempt", &t.Attempt)
		c.time("not_before", &t.NotBefore)
		c.text("begun", &t.Begun)
		c.costs("reported", &t.Reported)
		c.costs("assumed", &t.Assumed)
		if elements && (fan || c.in != nil) { // what is written of one element has none of them
			m.codeElements(c, x)
		}
	})
}

func (m *Machine) codeAlarm(c *coder, a *Alarm) {
	c.none(&a.Timer)
	c.object(func() {
		c.ref("timer", &m.index.timers, &a.Timer)
		c.time("due", &a.Due)
		c.duration("wait", &a.Wait)
	})
}

func (m *Machine) codeKept(c *coder, k *Kept) {
	c.none(&k.Event)
	c.object(func() {
		c.ref("event", &m.index.events, &k.Event)
		if k.Event >= 0 {
			c.fields("data", m.def.Events[k.Event].Fields, &k.Data)
		}
		c.text("id", &k.ID)
	})
	if c.reads() {
		c.err = m.checkInput(&Input{Kind: KeptInput, Event: k.Event, Data: k.Data})
	}
}

func (m *Machine) codeHalt(c *coder, to **Halt) {
	if !c.begins("halt", *to != nil) {
		return
	}
	if c.in != nil {
		*to = new(Halt)
	}
	h := *to
	c.object(func() {
		c.cause(&h.Cause)
		if c.begins("input", true) {
			m.codeInput(c, &h.Input)
			c.ends()
		}
	})
	if c.reads() {
		c.err = h.Cause.check()
	}
	c.ends()
}

func (c *coder) version(v *Version) {
	c.object(func() {
		c.text("definition", &v.Definition)
		number(c, "until", &v.Until)
	})
}

func (c *coder) seed(to *uint64) {
	if !c.begins("seed", true) {
		return
	}
	if c.in == nil {
		c.b = append(strconv.AppendUint(append(c.b, '"'), *to, 16), '"')
		return
	}
	var text string
	if c.string(&text); c.err == nil {
		if *to, c.err = strconv.ParseUint(text, 16, 64); c.err != nil {
			c.err = errors.New("the seed is no hexadecimal number of 64 bits")
		}
	}
	c.ends()
}
