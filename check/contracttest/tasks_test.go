package contracttest

// mostElements is how many elements a list has at most.
const mostElements = 3

// task is an activity of a visit, or one of its elements.
type task struct {
	do      *Do
	at      int // its place in the visit
	element int
}

// tasks are those of a visit to leaf. The lists are parameters, which stay as they are.
func (m *Machine) tasks(leaf *State, data []int) []task {
	var list []task
	for _, d := range leaf.Dos {
		n := 1
		if d.List != nil {
			n = data[d.List.at]
		}
		for i := range n {
			list = append(list, task{d, len(list), i})
		}
	}
	return list
}

// hasPlace says whether one more element of d may run.
func (m *Machine) hasPlace(c *config, d *Do) bool {
	n := 0
	for _, t := range m.tasks(c.leaf, c.data) {
		if t.do == d && c.acts[t.at] == running {
			n++
		}
	}
	return d.List == nil || d.AtOnce == 0 || n < d.AtOnce
}

// fill starts elements that have not begun, in the order of their lists, as far as there
// are places, and gives what has started.
func (m *Machine) fill(c *config) (starts []*Do) {
	for _, t := range m.tasks(c.leaf, c.data) {
		if c.acts[t.at] == queued && m.hasPlace(c, t.do) {
			m.attempt(c, t)
			starts = append(starts, t.do)
		}
	}
	return starts
}

// slot is where the count of a stands: a retry of elements has one for each.
func (a *Arm) slot(in *input) int {
	if a.Op == "retry" && in.task.do != nil {
		return a.counter*mostElements + in.task.element
	}
	return a.counter * mostElements
}

// HasLists says whether an activity runs for the elements of a list.
func (m *Machine) HasLists() bool {
	for _, s := range m.states {
		for _, d := range s.Dos {
			if d.List != nil {
				return true
			}
		}
	}
	return false
}
