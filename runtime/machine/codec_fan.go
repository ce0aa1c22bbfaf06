package machine

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// The elements of a do are one member of the tasks of a snapshot: how many they are, one
// bit of each that has ended, and of those that are open only what cannot be told
// otherwise. An element that makes its first attempt is not named at all. The list stands
// there where the parameter or field holds another one by now.

// appendTasks writes the tasks of the visit, by the dos of the leaf.
func (m *Machine) appendTasks(o *object, s *Snapshot) {
	if len(s.Tasks)+len(s.Lists) == 0 {
		return
	}
	if len(s.Lists) == 0 {
		o.list("tasks", len(s.Tasks), func(b []byte, i int) []byte { return m.appendTask(b, &s.Tasks[i]) })
		return
	}
	dos := m.def.States[s.State].Dos
	o.list("tasks", len(dos), func(b []byte, i int) []byte {
		from, to := s.elements(dos[i])
		if m.dos[dos[i]].Fan == nil {
			return m.appendTask(b, &s.Tasks[from])
		}
		return m.appendElements(b, s, s.list(dos[i]), s.Tasks[from:to])
	})
}

func (m *Machine) appendElements(b []byte, s *Snapshot, list *List, tasks []Task) []byte {
	do := &m.dos[list.Do]
	o := (&object{b: b}).open()
	o.text("do", do.Name)
	o.number("seq", list.Seq)
	o.number("count", int64(len(tasks)))
	begun := 0
	ended := make([]byte, (len(tasks)+7)/8)
	some := false
	for i := range tasks {
		switch t := &tasks[i]; {
		case t.State == TaskEnded:
			begun, some = i+1, true
			ended[i/8] |= 1 << (i % 8)
		case t.Attempt > 0:
			begun = i + 1
		}
	}
	o.number("started", int64(begun))
	if some {
		o.text("ended", hex.EncodeToString(ended))
	}
	name := keyNames{before: s.keys() + do.Name + "["}
	var open []int
	for i := range tasks[:begun] {
		if t := &tasks[i]; t.State != TaskEnded && (t.State != TaskOpen || t.Attempt != 1 || !t.NotBefore.IsZero() || t.Begun != "" || !name.is(t.Key, i, list.Seq)) {
			open = append(open, i)
		}
	}
	o.list("elements", len(open), func(b []byte, i int) []byte {
		t := &tasks[open[i]]
		e := (&object{b: b}).open()
		e.number("index", int64(t.Index))
		if t.State != TaskOpen {
			e.text("state", string(t.State))
		}
		if seq := name.seq(t.Key, t.Index); seq == 0 {
			e.text("key", t.Key)
		} else if seq != list.Seq {
			e.number("seq", seq)
		}
		e.number("attempt", int64(t.Attempt))
		e.time("not_before", t.NotBefore)
		e.text("begun", t.Begun)
		e.costs("reported", t.Reported)
		return e.close()
	})
	if now := m.listNow(list.Do, s.Params, s.Data); !now.Equal(list.Items) {
		o.key("items")
		o.b = appendValue(o.b, &do.Fan.List.Type, &list.Items)
	}
	return o.close()
}

// listNow is what the parameter or field of a do with a Fan holds.
func (m *Machine) listNow(do int, params, data []Value) Value {
	list := m.dos[do].Fan.List
	values := data
	if list.Op == "param" {
		values = params
	}
	if list.Index >= len(values) {
		return Unset
	}
	return values[list.Index]
}

// keyNames reads the keys of the elements of a do, which begin alike.
type keyNames struct {
	before string
	room   []byte
}

// is reports whether key is that of an element's execution that is named after a step.
func (k *keyNames) is(key string, index int, seq int64) bool {
	k.room = strconv.AppendInt(append(k.room[:0], k.before...), int64(index), 10)
	k.room = strconv.AppendInt(append(k.room, "]/"...), seq, 10)
	return string(k.room) == key
}

// seq is the step after which an execution of an element is named; 0 where the key is
// not one of the do's.
func (k *keyNames) seq(key string, index int) int64 {
	digits := len(key)
	for digits > 0 && key[digits-1] >= '0' && key[digits-1] <= '9' {
		digits--
	}
	seq, err := strconv.ParseInt(key[digits:], 10, 64)
	if err != nil || seq > maxCount || !k.is(key, index, seq) {
		return 0
	}
	return seq
}

// appendExecutions leaves out those of the elements that run: their tasks say the same.
func (m *Machine) appendExecutions(o *object, s *Snapshot) {
	list := s.Executions
	if len(s.Lists) > 0 {
		list = nil
		for _, x := range s.Executions {
			if !s.tells(&x) {
				list = append(list, x)
			}
		}
	}
	o.list("executions", len(list), func(b []byte, i int) []byte {
		x := &list[i]
		do := &m.dos[x.Do]
		if do.Fan == nil {
			return m.appendTask(b, &Task{Do: x.Do, Key: x.Key, Attempt: x.Attempt})
		}
		e := (&object{b: b}).open()
		e.text("do", do.Name)
		e.number("index", int64(x.Index))
		name := keyNames{before: s.keys() + do.Name + "["}
		if seq := name.seq(x.Key, x.Index); seq > 0 {
			e.number("seq", seq)
		} else {
			e.text("key", x.Key)
		}
		e.number("attempt", int64(x.Attempt))
		e.text("item", x.Item)
		return e.close()
	})
}

// tells reports whether the task of an element says what an execution is.
func (s *Snapshot) tells(x *Execution) bool {
	list := s.list(x.Do)
	if x.Index >= int(list.Items.n) {
		return false
	}
	from, _ := s.elements(x.Do)
	t := &s.Tasks[from+x.Index]
	return t.State == TaskOpen && t.Key == x.Key && t.Attempt == x.Attempt
}

func (m *Machine) appendTries(o *object, s *Snapshot) {
	o.list("tries", len(s.Tries), func(b []byte, i int) []byte {
		x := &s.Tries[i]
		e := (&object{b: b}).open()
		e.text("do", m.dos[x.Do].Name)
		e.number("index", int64(x.Index))
		e.text("arm", m.def.Arms[x.Arm].Name)
		e.number("used", x.Used)
		return e.close()
	})
}

// stored is what is read of a task, or of the elements of a do.
type stored struct {
	Task
	seq      int64
	item     string
	count    int
	begun    int
	ended    string
	elements []stored
	items    string // as text: its type is known with the do
}

func (m *Machine) scanStored(sc *scanner, t *stored) error {
	t.Do = -1
	return sc.object(func(key string) error {
		if t.Do >= 0 && m.dos[t.Do].Fan == nil {
			return m.taskMember(sc, &t.Task, key)
		}
		switch key {
		case "index":
			return countInto(sc, &t.Index)
		case "seq":
			return countInto(sc, &t.seq)
		case "item":
			return sc.textInto(&t.item)
		case "count":
			return countInto(sc, &t.count)
		case "started":
			return countInto(sc, &t.begun)
		case "ended":
			return sc.textInto(&t.ended)
		case "elements":
			return each(sc, &t.elements, func(e *stored) error { return m.scanStored(sc, e) })
		case "items":
			text, err := sc.raw()
			t.items = text
			return err
		}
		return m.taskMember(sc, &t.Task, key)
	})
}

func (m *Machine) scanTries(sc *scanner, x *Tries) error {
	x.Do, x.Arm = -1, -1
	return sc.object(func(key string) error {
		switch key {
		case "do":
			return sc.lookup("do", m.index.dos, &x.Do)
		case "index":
			return countInto(sc, &x.Index)
		case "arm":
			return sc.lookup("arm", m.index.arms, &x.Arm)
		case "used":
			return countInto(sc, &x.Used)
		}
		return unknownKey(key)
	})
}

var errTask = errors.New("an activity of the visit is damaged")

// unstore makes the tasks and executions of s, all else of which has been read.
func (m *Machine) unstore(s *Snapshot, tasks, executions []stored) error {
	for i := range tasks {
		t := &tasks[i]
		switch {
		case t.Do < 0:
			return errTask
		case m.dos[t.Do].Fan == nil:
			s.Tasks = append(s.Tasks, t.Task)
			continue
		}
		if err := m.unstoreElements(s, t); err != nil {
			return fmt.Errorf("the elements of %q: %w", m.dos[t.Do].Name, err)
		}
	}
	for i := range executions {
		x := &executions[i]
		if x.Do < 0 {
			return errors.New("an open execution is damaged")
		}
		if m.dos[x.Do].Fan != nil && x.Key == "" && x.seq > 0 {
			x.Key = m.keyOf(s, x.Do, x.Index, x.seq)
		}
		s.Executions = append(s.Executions, Execution{Do: x.Do, Index: x.Index, Key: x.Key, Attempt: x.Attempt, Item: x.item})
	}
	if len(s.Lists) > 0 {
		// An execution can be stored twice: with the elements of its do, and by itself. The latter
		// counts. It was added last, and so it comes first once all are reversed.
		slices.Reverse(s.Executions)
		slices.SortStableFunc(s.Executions, compareExecutions)
		s.Executions = slices.CompactFunc(s.Executions, func(a, b Execution) bool { return compareExecutions(a, b) == 0 })
	}
	return nil
}

func (m *Machine) unstoreElements(s *Snapshot, t *stored) error {
	do := &m.dos[t.Do]
	list := List{Do: t.Do, Items: m.listNow(t.Do, s.Params, s.Data), Seq: t.seq}
	if t.items != "" {
		sc := &scanner{data: []byte(t.items), stored: true}
		items, err := m.def.scanValue(sc, &do.Fan.List.Type)
		if err != nil {
			return err
		}
		list.Items = items
	}
	ended, err := hex.DecodeString(t.ended)
	switch {
	case err != nil, t.ended != "" && len(ended) != (t.count+7)/8:
		return errTask
	case t.Index != 0, t.State != "", t.Key != "", t.Attempt != 0, t.item != "", !t.NotBefore.IsZero(), t.Begun != "", t.Reported != nil:
		return errTask
	case int64(t.count) != list.Items.n, t.count > MaxElements, t.begun > t.count, t.seq == 0 || t.seq > s.Seq:
		return fmt.Errorf("%d of them do not stand for a list of %d", t.count, list.Items.n)
	}
	s.Lists = append(s.Lists, list)
	from := len(s.Tasks)
	for i := range t.count {
		task := Task{Do: t.Do, Index: i, State: TaskWaiting}
		switch hasEnded := t.ended != "" && ended[i/8]&(1<<(i%8)) != 0; {
		case hasEnded && i >= t.begun:
			return errTask
		case hasEnded:
			task.State = TaskEnded
		case i < t.begun:
			task.State, task.Attempt, task.Key = TaskOpen, 1, m.keyOf(s, t.Do, i, t.seq)
		}
		s.Tasks = append(s.Tasks, task)
	}
	for i := range t.elements {
		e := &t.elements[i]
		if e.Do >= 0 || e.Index >= t.begun || i > 0 && e.Index <= t.elements[i-1].Index || e.count+e.begun+len(e.elements) > 0 ||
			e.ended+e.items+e.item != "" || e.State != "" && e.State != TaskWaiting || e.Attempt < 1 {
			return errTask
		}
		task := &s.Tasks[from+e.Index]
		if task.State != TaskOpen {
			return errTask
		}
		if e.State != "" {
			task.State = e.State
		}
		task.Attempt, task.NotBefore, task.Begun, task.Reported = e.Attempt, e.NotBefore, e.Begun, e.Reported
		switch {
		case e.Key != "":
			task.Key = e.Key
		case e.seq > 0:
			task.Key = m.keyOf(s, t.Do, e.Index, e.seq)
		}
	}
	if do.Scope.Kind == PerVisit {
		return nil
	}
	x := &step{m: m, next: s}
	for i := range s.Tasks[from:] {
		if task := &s.Tasks[from+i]; task.State == TaskOpen {
			s.Executions = append(s.Executions, Execution{Do: t.Do, Index: i, Key: task.Key, Attempt: task.Attempt, Item: x.digestOf(task)})
		}
	}
	return nil
}
