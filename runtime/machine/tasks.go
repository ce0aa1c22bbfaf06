package machine

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// openTask is the index of the open attempt that a result or failure is of, or
// -1.
func (s *Snapshot) openTask(in *Input) int {
	for i := range s.Tasks {
		if task := &s.Tasks[i]; task.State == TaskOpen && task.says(in) {
			return i
		}
	}
	return -1
}

// says reports whether an input is of the attempt.
func (t *Task) says(in *Input) bool {
	return t.Do == in.Do && t.Index == in.Index && t.Key == in.Key && t.Attempt == in.Attempt
}

// HasOpenTask reports whether an activity of the visit has not ended.
func (s *Snapshot) HasOpenTask() bool {
	return slices.ContainsFunc(s.Tasks, func(t Task) bool { return t.State != TaskEnded })
}

// takeResult takes what an activity raised, or its end with nothing to say. A
// result that does not fit is a failure of category `unknown`, and stands so
// in the record.
func (t *step) takeResult() error {
	t.fit()
	if t.in.Kind == FailureInput {
		return t.takeFailure()
	}
	t.noteLeft()
	t.ofTask()
	activity := &t.m.def.Activities[t.m.dos[t.in.Do].Activity]
	t.dropExecutions(func(x *Execution) bool { return x.Do == t.in.Do && x.Index == t.in.Index }) // it has ended with a result
	if len(activity.Results) == 0 {
		t.record.Effect = Ended
		t.endTask()
		return nil
	}
	t.source, t.payload = t.in.Event, t.in.Data
	return t.handle(inputKey{kind: ResultInput, a: t.in.Event, do: t.in.Do})
}

// fit makes of what an attempt returned something that it can return.
func (t *step) fit() {
	do := &t.m.dos[t.in.Do]
	if t.in.Kind == ResultInput {
		why := t.m.misfitResult(&t.m.def.Activities[do.Activity], t.in)
		if why == "" {
			t.in.Stderr = ""
			return
		}
		*t.in = Input{
			Kind: FailureInput, Do: t.in.Do, Index: t.in.Index, Key: t.in.Key, Attempt: t.in.Attempt,
			Category: t.m.unknown, Message: "the result does not fit: " + why,
			ID: t.in.ID, Actor: t.in.Actor, Reason: t.in.Reason,
			Worker: t.in.Worker, Took: t.in.Took, Cost: t.in.Cost, Below: t.in.Below, Uncounted: t.in.Uncounted, Queued: t.in.Queued,
			Stderr: t.in.Stderr,
		}
	}
	if !t.m.def.CanFail(do.Do, t.in.Category) {
		t.in.Category = t.m.unknown
	}
	t.in.Message, t.in.Stderr = CleanMessage(t.in.Message), CleanStderr(t.in.Stderr)
}

// misfitResult says why an activity cannot have raised in, or nothing.
func (m *Machine) misfitResult(a *Activity, in *Input) string {
	if len(a.Results) == 0 {
		if in.Event >= 0 {
			return "activity " + strconv.Quote(a.Name) + " has nothing to say"
		}
		return ""
	}
	if !slices.Contains(a.Results, in.Event) {
		return "activity " + strconv.Quote(a.Name) + " does not raise that event"
	}
	event := &m.def.Events[in.Event]
	if err := m.def.checkFields(event.Fields, in.Data); err != nil {
		return "event " + strconv.Quote(event.Name) + ": " + err.Error()
	}
	return ""
}

// takeFailure takes a failed attempt. A category with which the do cannot fail
// is `unknown`.
func (t *step) takeFailure() error {
	t.ofTask()
	t.fit()
	t.noteLeft()
	do := &t.m.dos[t.in.Do]
	t.source = failureSource
	t.payload = []Value{
		StringValue(t.m.def.Categories[t.in.Category]),
		StringValue(t.in.Message),
		StringValue(t.m.def.Activities[do.Activity].Name),
		IntValue(int64(t.in.Attempt)),
	}
	return t.handle(inputKey{kind: FailureInput, a: t.in.Category, do: t.in.Do})
}

// ofTask notes which attempt the input ends, and of which element it is.
func (t *step) ofTask() {
	t.task = t.old.openTask(t.in)
	if t.fan = t.m.dos[t.in.Do].Fan; t.fan != nil {
		t.index, t.item = IntValue(int64(t.in.Index)), t.old.list(t.in.Do).Items.List()[t.in.Index]
	}
}

// endTask notes that an activity has nothing more to say in this visit. When
// it was the last, done is the next input.
func (t *step) endTask() {
	own(&t.ownsTasks, &t.next.Tasks)
	task := &t.next.Tasks[t.task]
	t.commands = append(t.commands, Command{Kind: EndTask, Task: *task})
	task.State, task.NotBefore = TaskEnded, time.Time{}
	if t.fan != nil {
		t.endElement(task)
	}
	t.next.DoneDue = !t.next.HasOpenTask()
}

// leaveTasks ends the attempt that the input is of, and cancels the others.
func (t *step) leaveTasks() {
	for i := range t.old.Tasks {
		switch task := &t.old.Tasks[i]; {
		case i == t.task:
			t.commands = append(t.commands, Command{Kind: EndTask, Task: *task})
		case task.State == TaskOpen:
			t.commands = append(t.commands, Command{Kind: CancelTask, Task: *task})
			t.next.Left = t.next.Left || t.m.dos[task.Do].calls
		}
	}
	t.next.Tasks, t.next.Lists = nil, nil
}

// startTasks starts the activities of a leaf that is entered. One whose
// execution is open goes on with it. Where none has an element to run for, all have
// ended.
func (t *step) startTasks(leaf int) error {
	dos := t.m.def.States[leaf].Dos
	if len(dos) == 0 {
		return nil
	}
	t.next.Tasks, t.ownsTasks = make([]Task, 0, len(dos)), true
	for _, do := range dos {
		if t.m.dos[do].Fan != nil {
			if err := t.startElements(do); err != nil {
				return err
			}
			continue
		}
		t.next.Tasks = append(t.next.Tasks, Task{})
		key, attempt := t.continued(do, 0, t.seq)
		t.startTask(len(t.next.Tasks)-1, Task{Do: do, State: TaskOpen, Key: key, Attempt: attempt})
	}
	t.next.DoneDue = len(t.next.Tasks) == 0
	return nil
}

func (t *step) startTask(i int, task Task) {
	t.next.Tasks[i] = task
	if t.m.dos[task.Do].Scope.Kind != PerVisit {
		t.setExecution(Execution{Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt, Item: t.digestOf(&task)})
	}
	t.commands = append(t.commands, Command{Kind: StartTask, Task: task})
}

// retry runs the activity that raised the input again: as a new attempt of the
// same execution after a failure, and as a new execution after an event, or
// where the arm has a block. `by` reads the data from before the block.
func (t *step) retry(a int) error {
	arm := &t.m.arms[a]
	t.record.Effect = Retried
	k := t.count(a)
	old := t.next.Tasks[t.task]
	task := Task{Do: old.Do, Index: old.Index, State: TaskOpen, Key: old.Key, Attempt: old.Attempt + 1}
	if (t.in.Kind != FailureInput || arm.Block != nil) && !t.m.dos[old.Do].calls {
		task.Key, task.Attempt = t.m.keyOf(t.next, old.Do, old.Index, t.seq), 1
	}
	wait := time.Duration(0)
	if arm.by == nil {
		wait = arm.backoff.wait(k, jitterShare(t.next.Seed, task.Key, int64(task.Attempt)))
	} else {
		ns, err := arm.by(&t.env)
		if err != nil {
			return err
		}
		wait = time.Duration(max(ns, 0))
	}
	if err := t.apply(arm.block); err != nil {
		return err
	}
	if wait > 0 {
		due, err := inYears(t.at.Add(wait))
		if err != nil {
			return err
		}
		task.NotBefore = due
	}
	t.record.Wait = wait
	t.commands = append(t.commands, Command{Kind: EndTask, Task: old})
	own(&t.ownsTasks, &t.next.Tasks)
	if t.fan != nil {
		t.retryElement(task)
		return nil
	}
	t.startTask(t.task, task)
	return nil
}

// keyOf is the idempotency key of an execution that is named after a step: no step
// starts two of one do, or of one element.
func (m *Machine) keyOf(s *Snapshot, do, index int, seq int64) string {
	return s.keys() + m.TaskName(&Task{Do: do, Index: index}) + "/" + strconv.FormatInt(seq, 10)
}

// continued is the key and the attempt with which do, or one of its elements, starts in
// a new visit: those of the execution that is open, or of one named after the step seq.
func (t *step) continued(do, index int, seq int64) (string, int) {
	for i := range t.next.Executions {
		if x := &t.next.Executions[i]; x.Do == do && x.Index == index {
			return x.Key, x.Attempt + 1
		}
	}
	return t.m.keyOf(t.next, do, index, seq), 1
}

func (t *step) setExecution(x Execution) {
	own(&t.ownsExecutions, &t.next.Executions)
	i, open := slices.BinarySearchFunc(t.next.Executions, x, compareExecutions)
	if open {
		t.next.Executions[i] = x
	} else {
		t.next.Executions = slices.Insert(t.next.Executions, i, x)
	}
}

// compareExecutions orders executions by do and element.
func compareExecutions(x, y Execution) int { return cmp.Or(x.Do-y.Do, x.Index-y.Index) }

// dropExecutions ends those executions that which means.
func (t *step) dropExecutions(which func(*Execution) bool) {
	drop(&t.ownsExecutions, &t.next.Executions, which)
}
