package machine

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A do with a Fan runs for each element of a list. The elements are tasks like others,
// in the order of the list; what follows is what they have besides: places to run in,
// retry counters of their own, and executions that end where their item changes.

// ElementName is the name of an element of a do, or of its label: "Researching.r[3]".
func ElementName(name string, index int) string { return name + "[" + strconv.Itoa(index) + "]" }

// CutElement takes the name of an element apart. It is not ok for a name without an
// index, as ElementName writes it, of a list of at most MaxElements.
func CutElement(name string) (of string, index int, ok bool) {
	of, digits, ok := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if index, err := strconv.Atoi(digits); ok && err == nil && index >= 0 && index < MaxElements && ElementName(of, index) == name {
		return of, index, true
	}
	return name, 0, false
}

// TaskName names a task in a store: by its do, and its element where it is of one.
func (m *Machine) TaskName(t *Task) string {
	if do := &m.dos[t.Do]; do.Fan != nil {
		return ElementName(do.Name, t.Index)
	}
	return m.dos[t.Do].Name
}

// TaskOf is the task that has a name in a store: its Do and its Index are set.
func (m *Machine) TaskOf(name string) (t Task, ok bool) {
	of, index, element := CutElement(name)
	do, ok := m.index.dos.find(of)
	if !ok || element != (m.dos[do].Fan != nil) {
		return Task{}, false
	}
	return Task{Do: do, Index: index}, true
}

// list is that of the do in this visit, which has one.
func (s *Snapshot) list(do int) *List {
	if i := slices.IndexFunc(s.Lists, func(l List) bool { return l.Do == do }); i >= 0 {
		return &s.Lists[i]
	}
	return &List{Do: do}
}

// elements are the places of the tasks of a do, which has a list, among those of the visit.
func (s *Snapshot) elements(do int) (from, to int) {
	from = max(slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Do == do }), 0)
	return from, from + int(s.list(do).Items.n)
}

// startElements reads the list of a do and starts as many of its elements as may run. An
// execution goes on where the element at its index is the same.
func (t *step) startElements(do int) error {
	items, err := t.m.dos[do].list(&t.env)
	if err != nil {
		return err
	}
	if items.n > MaxElements {
		return faultOf(TooManyElements, t.m.dos[do].Name, strconv.FormatInt(items.n, 10), strconv.Itoa(MaxElements))
	}
	t.next.Lists = append(t.next.Lists, List{Do: do, Items: items, Seq: t.seq})
	for i := range int(items.n) {
		t.next.Tasks = append(t.next.Tasks, Task{Do: do, Index: i, State: TaskWaiting})
	}
	t.dropExecutions(func(x *Execution) bool {
		return x.Do == do && (x.Index >= int(items.n) || x.Item != t.digestOf(&Task{Do: do, Index: x.Index}))
	})
	t.fill(do)
	return nil
}

// fill starts elements of a do for which there is a place: first those that may run now,
// in the order of the list, then of those that wait to be tried again the one whose wait
// ends first. Thus a wait takes no place that another element could have.
func (t *step) fill(do int) {
	from, to := t.next.elements(do)
	places := to - from
	if limit := t.m.dos[do].Fan.Limit; limit > 0 && limit < int64(places) {
		places = int(limit)
	}
	for i := from; i < to; i++ {
		if t.next.Tasks[i].State == TaskOpen {
			places--
		}
	}
	for i := from; i < to && places > 0; i++ {
		if task := &t.next.Tasks[i]; task.State == TaskWaiting && !task.NotBefore.After(t.at) {
			t.begin(i)
			places--
		}
	}
	for ; places > 0; places-- {
		next := -1
		for i := from; i < to; i++ {
			if task := &t.next.Tasks[i]; task.State == TaskWaiting && (next < 0 || task.NotBefore.Before(t.next.Tasks[next].NotBefore)) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		t.begin(next)
	}
}

// begin gives a place to the element that is task i and waits for one. Its first execution
// is named after the step that read the list, whenever it begins.
func (t *step) begin(i int) {
	task := t.next.Tasks[i]
	task.State = TaskOpen
	if !task.NotBefore.After(t.at) {
		task.NotBefore = time.Time{}
	}
	if task.Attempt == 0 {
		task.Key, task.Attempt = t.continued(task.Do, task.Index, t.next.list(task.Do).Seq)
	}
	t.startTask(i, task)
}

// retryElement puts the attempt that an element makes next in the place of the one that
// has ended. Its place is free while it waits.
func (t *step) retryElement(task Task) {
	task.State = TaskWaiting
	t.next.Tasks[t.task] = task
	t.fill(task.Do)
}

// endElement keeps no more of an element than that it has ended, and gives its place to
// another one.
func (t *step) endElement(task *Task) {
	task.Key, task.Attempt, task.Begun, task.Reported = "", 0, "", nil
	drop(&t.ownsTries, &t.next.Tries, func(x *Tries) bool {
		return x.Do == task.Do && x.Index == task.Index && scopeOf(t.m.arms[x.Arm].Arm) == PerVisit
	})
	t.fill(task.Do)
}

// digestOf tells the item of an element apart from others that have been at its index.
// Only executions that outlive a visit need it.
func (t *step) digestOf(task *Task) string {
	do := &t.m.dos[task.Do]
	if do.Fan == nil {
		return ""
	}
	list := t.next.list(task.Do)
	sum := sha256.Sum256(appendValue(nil, do.Fan.List.Type.Elem, &list.Items.List()[task.Index]))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// compareTries orders what elements have used by do, element and arm.
func compareTries(x, y Tries) int { return cmp.Or(x.Do-y.Do, x.Index-y.Index, x.Arm-y.Arm) }

// tries is how often the element of the input has been tried again by an arm.
func (t *step) tries(a int) int64 {
	if i, found := t.try(a); found {
		return t.next.Tries[i].Used
	}
	return 0
}

func (t *step) try(a int) (int, bool) {
	return slices.BinarySearchFunc(t.next.Tries, Tries{Do: t.in.Do, Index: t.in.Index, Arm: a}, compareTries)
}

// countTry notes one more try of the element by an arm, and gives how many there are.
func (t *step) countTry(a int) int64 {
	own(&t.ownsTries, &t.next.Tries)
	i, found := t.try(a)
	if !found {
		t.next.Tries = slices.Insert(t.next.Tries, i, Tries{Do: t.in.Do, Index: t.in.Index, Arm: a})
	}
	if x := &t.next.Tries[i]; x.Used < math.MaxInt64 {
		x.Used++
	}
	return t.next.Tries[i].Used
}
