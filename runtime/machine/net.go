package machine

import "encoding/json"

// Net is what the commands of several steps ask for in the end, in their order: a task that one
// step starts and a later one ends is not in it, and of a timer what was said last.
type Net struct {
	Start   []Command // start-task
	End     []Command // cancel-task and end-task, of tasks that were there before
	Timers  []Command // set-timer and drop-timer
	Publish []Command
}

// NetOf nets the commands of one durable write. A do has at most one open task, so what
// matters is what happens to the one that was there, and which one is left.
func NetOf(commands []Command) (n Net) {
	var started, timers map[int]int // by do and timer: the last command
	for i := range commands {
		switch c := &commands[i]; c.Kind {
		case StartTask:
			started = at(started, c.Task.Do, i)
		case CancelTask, EndTask:
			if _, fresh := started[c.Task.Do]; !fresh {
				n.End = append(n.End, *c)
			}
			delete(started, c.Task.Do)
		case SetTimer, DropTimer:
			timers = at(timers, c.Timer, i)
		case SendOut:
			n.Publish = append(n.Publish, *c)
		}
	}
	for i := range commands {
		switch c := &commands[i]; c.Kind {
		case StartTask:
			if last, ok := started[c.Task.Do]; ok && last == i {
				n.Start = append(n.Start, *c)
			}
		case SetTimer, DropTimer:
			if timers[c.Timer] == i {
				n.Timers = append(n.Timers, *c)
			}
		}
	}
	return n
}

func at(m map[int]int, key, i int) map[int]int {
	if m == nil {
		m = map[int]int{}
	}
	m[key] = i
	return m
}

// Published is the payload of a message, as canonical JSON.
func (m *Machine) Published(c *Command) json.RawMessage {
	return encodeFields(m.def.Events[c.Event].Fields, c.Data)
}
