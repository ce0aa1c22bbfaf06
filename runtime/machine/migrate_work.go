package machine

import (
	"fmt"
	"time"
)

// tasks goes on with the activities that the state still has, and starts those
// that it has again.
func (x *migration) tasks() error {
	x.step.data, x.step.params = x.next.Data, x.next.Params
	for _, old := range x.s.Executions {
		do, ok := x.m.index.dos.find(x.state(x.old.dos[old.Do].Name))
		if ok && x.m.dos[do].Scope.Kind != PerVisit && x.sameSort(old.Do, do) {
			old.Do = do
			x.step.setExecution(old)
		}
	}
	dos := x.m.def.States[x.next.State].Dos
	x.step.next.Tasks, x.step.ownsTasks = make([]Task, 0, len(dos)), true
	for _, do := range dos {
		if x.m.dos[do].Fan != nil {
			if err := x.elements(do); err != nil {
				return fmt.Errorf("the elements of %q: %w", x.m.dos[do].Name, err)
			}
			continue
		}
		key, attempt := x.step.continued(do, 0, x.step.seq)
		task := Task{Do: do, State: TaskOpen, Key: key, Attempt: attempt}
		for _, old := range x.s.Tasks {
			if x.meant(old.Do, do) {
				task = old
				task.Do = do
				if !x.m.Begins(x.next, do) {
					task.Begun, task.Reported = "", nil
				}
			}
		}
		x.keep(task)
	}
	if len(dos) > 0 && x.s.HasOpenTask() && !x.step.next.HasOpenTask() {
		x.next.DoneDue = true // all that is left has ended
	}
	return nil
}

// meant reports whether a do goes on with what another one of before has begun.
func (x *migration) meant(old, do int) bool {
	return x.state(x.old.dos[old].Name) == x.m.dos[do].Name && x.sameSort(old, do)
}

// sameSort reports whether both run for the elements of a list, or neither.
func (x *migration) sameSort(old, do int) bool {
	return (x.old.dos[old].Fan == nil) == (x.m.dos[do].Fan == nil)
}

func (x *migration) keep(task Task) {
	x.step.next.Tasks = append(x.step.next.Tasks, task)
	if task.State == TaskOpen && x.m.dos[task.Do].Scope.Kind != PerVisit {
		x.step.setExecution(Execution{Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt, Item: x.step.digestOf(&task)})
	}
}

// elements goes on with the elements of a list as it was read. Where there are fewer places
// than elements that run, none is taken from those.
func (x *migration) elements(do int) error {
	for i := range x.s.Lists {
		old := &x.s.Lists[i]
		if !x.meant(old.Do, do) {
			continue
		}
		text := appendValue(nil, &x.old.dos[old.Do].Fan.List.Type, &old.Items)
		items, err := x.m.def.scanValue(&scanner{data: text, stored: true}, &x.m.dos[do].Fan.List.Type)
		if err != nil {
			return err
		}
		x.step.next.Lists = append(x.step.next.Lists, List{Do: do, Items: items, Seq: old.Seq})
		from, to := x.s.elements(old.Do)
		for _, task := range x.s.Tasks[from:to] {
			if task.Do = do; !x.m.Begins(x.next, do) {
				task.Begun, task.Reported = "", nil
			}
			x.keep(task)
		}
		x.step.fill(do)
		return nil
	}
	return x.step.startElements(do)
}

// timers keeps those that run, and starts those that are new. One that the old
// definition had in the state where the run stood, and that does not run any more,
// has fired.
func (x *migration) timers() error {
	was, running := map[string]bool{}, map[string]Alarm{}
	for _, state := range x.old.states[x.s.State].path {
		for _, timer := range x.old.def.States[state].Timers {
			was[x.state(x.old.def.Timers[timer].Name)] = true
		}
	}
	for _, a := range x.s.Alarms {
		running[x.state(x.old.def.Timers[a.Timer].Name)] = a
	}
	for _, state := range x.m.states[x.next.State].path {
		for _, timer := range x.m.def.States[state].Timers {
			def := &x.m.def.Timers[timer]
			alarm, runs := running[def.Name]
			switch {
			case runs:
				if def.Budget { // the new one holds, from the start of the run
					alarm.Due = alarm.Due.Add(time.Duration(def.Delay - x.old.def.Timers[alarm.Timer].Delay))
				}
				alarm.Timer = timer
				if !def.Idle {
					alarm.Wait = 0
				}
			case was[def.Name]:
				continue
			default:
				var err error
				if alarm, err = x.step.newAlarm(timer); err != nil {
					return fmt.Errorf("timer %q: %w", def.Name, err)
				}
				if def.Budget {
					alarm.Due = x.s.Started.Add(time.Duration(def.Delay))
				}
			}
			x.step.next.Alarms = append(x.step.next.Alarms, alarm)
		}
	}
	return nil
}
