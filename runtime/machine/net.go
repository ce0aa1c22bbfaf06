package machine

import "encoding/json"

// Net is what the commands of several steps ask for in the end, in their order: a task that one
// step starts and a later one ends is not in it, and of a timer what was said last.
type Net struct {
	Start   []Command // start-task, and ready-task of one that starts
	End     []Command // cancel-task and end-task, of tasks that were there before
	Ready   []Command // ready-task, of tasks that were there before and have not ended
	Timers  []Command // set-timer and drop-timer
	Publish []Command
}

// NetOf nets the commands of one durable write. A do, or an element of one, has at most one
// open task, so what matters is what happens to the one that was there, and which one is
// left.
func NetOf(commands []Command) (n Net) {
	var started, ready map[[2]int]int // by do and element: the last command
	var timers map[int]int            // by timer: the same
	for i := range commands {
		switch c := &commands[i]; c.Kind {
		case StartTask:
			started = at(started, c.Task.place(), i)
		case CancelTask, EndTask:
			if _, fresh := started[c.Task.place()]; !fresh {
				n.End = append(n.End, *c)
			}
			delete(started, c.Task.place())
			delete(ready, c.Task.place())
		case ReadyTask:
			if _, fresh := started[c.Task.place()]; fresh {
				started = at(started, c.Task.place(), i)
			} else {
				ready = at(ready, c.Task.place(), i)
			}
		case SetTimer, DropTimer:
			timers = at(timers, c.Timer, i)
		case SendOut:
			n.Publish = append(n.Publish, *c)
		}
	}
	for i := range commands {
		switch c := &commands[i]; c.Kind {
		case StartTask, ReadyTask:
			if last, ok := started[c.Task.place()]; ok && last == i {
				n.Start = append(n.Start, *c)
			} else if last, ok := ready[c.Task.place()]; ok && last == i {
				n.Ready = append(n.Ready, *c)
			}
		case SetTimer, DropTimer:
			if timers[c.Timer] == i {
				n.Timers = append(n.Timers, *c)
			}
		}
	}
	return n
}

// place tells the task apart from the others of the visit.
func (t *Task) place() [2]int { return [2]int{t.Do, t.Index} }

func at[K comparable](m map[K]int, key K, i int) map[K]int {
	if m == nil {
		m = map[K]int{}
	}
	m[key] = i
	return m
}

// Published is the payload of a message, as canonical JSON.
func (m *Machine) Published(c *Command) json.RawMessage {
	return encodeFields(m.def.Events[c.Event].Fields, c.Data)
}
