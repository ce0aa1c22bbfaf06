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

// storedRun is what is stored of the tasks of a visit where there are lists, and of the executions.
type storedRun struct{ tasks, executions []stored }

// stored is what is stored of a task, an execution, or the elements of a do.
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

// codeElements has the members that only a do with a list has.
func (m *Machine) codeElements(c *coder, x *stored) {
	number(c, "count", &x.count)
	number(c, "started", &x.begun)
	c.text("ended", &x.ended)
	list(c, "elements", &x.elements, func(t *stored) { m.codeTask(c, &t.Task, t) })
	if c.begins("items", x.items != "") {
		if c.in == nil {
			c.b = append(c.b, x.items...)
		} else {
			x.items, c.err = c.in.raw()
		}
		c.ends()
	}
	c.text("item", &x.item)
}

// store gives the tasks of the visit, by the dos of the leaf, and the executions but those of elements that run:
// their tasks say the same.
func (m *Machine) store(s *Snapshot) (x storedRun) {
	if len(s.Lists) > 0 {
		for _, do := range m.def.States[s.State].Dos {
			from, to := s.elements(do)
			if m.dos[do].Fan == nil {
				x.tasks = append(x.tasks, stored{Task: s.Tasks[from]})
			} else {
				x.tasks = append(x.tasks, m.storeElements(s, s.list(do), s.Tasks[from:to]))
			}
		}
	}
	x.executions = make([]stored, 0, len(s.Executions))
	for i := range s.Executions {
		e := &s.Executions[i]
		if s.tells(e) {
			continue
		}
		t := stored{Task: Task{Do: e.Do, Index: e.Index, Key: e.Key, Attempt: e.Attempt}, item: e.Item}
		if do := &m.dos[e.Do]; do.Fan != nil {
			name := keyNames{before: s.keys() + do.Name + "["}
			if t.seq = name.seq(e.Key, e.Index); t.seq > 0 {
				t.Key = ""
			}
		}
		x.executions = append(x.executions, t)
	}
	return x
}

func (m *Machine) storeElements(s *Snapshot, list *List, tasks []Task) stored {
	do := &m.dos[list.Do]
	x := stored{Task: Task{Do: list.Do}, seq: list.Seq, count: len(tasks)}
	ended := make([]byte, (len(tasks)+7)/8)
	some, open := false, 0
	for i := range tasks {
		switch t := &tasks[i]; {
		case t.State == TaskEnded:
			x.begun, some = i+1, true
			ended[i/8] |= 1 << (i % 8)
		case t.Attempt > 0:
			x.begun = i + 1
			open++
		}
	}
	x.elements = make([]stored, 0, min(open, 16))
	if some {
		x.ended = hex.EncodeToString(ended)
	}
	name := keyNames{before: s.keys() + do.Name + "["}
	for i := range tasks[:x.begun] {
		t := &tasks[i]
		if t.State == TaskEnded || t.State == TaskOpen && t.Attempt == 1 && t.NotBefore.IsZero() && t.Begun == "" && name.is(t.Key, i, list.Seq) {
			continue
		}
		x.elements = append(x.elements, stored{Task: *t})
		e := &x.elements[len(x.elements)-1]
		e.Do, e.Assumed = -1, nil
		if t.State == TaskOpen {
			e.State = ""
		}
		if seq := name.seq(t.Key, i); seq > 0 {
			e.Key = ""
			if seq != list.Seq {
				e.seq = seq
			}
		}
	}
	if now := m.listNow(list.Do, s.Params, s.Data); !now.Equal(list.Items) {
		x.items = string(appendValue(nil, &do.Fan.List.Type, &list.Items))
	}
	return x
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

func (m *Machine) codeTries(c *coder, x *Tries) {
	c.none(&x.Do)
	c.none(&x.Arm)
	c.object(func() {
		c.ref("do", &m.index.dos, &x.Do)
		number(c, "index", &x.Index)
		c.ref("arm", &m.index.arms, &x.Arm)
		number(c, "used", &x.Used)
	})
}

var errTask = errors.New("an activity of the visit is damaged")

// unstore makes the tasks and executions of s, all else of which has been read.
func (m *Machine) unstore(s *Snapshot, from *storedRun) error {
	for i := range from.tasks {
		t := &from.tasks[i]
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
	for i := range from.executions {
		x := &from.executions[i]
		if x.Do < 0 && m.fans {
			return errors.New("an open execution is damaged")
		}
		if x.Key == "" && x.seq > 0 && m.dos[x.Do].Fan != nil {
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
