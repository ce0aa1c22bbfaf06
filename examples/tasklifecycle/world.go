package main

import "sync/atomic"

// world is what lies outside of all hosts: how the tasks really stand, and the table that
// is written.
type world struct {
	tasks map[string]*task
	table *table
	cut   atomic.Value // the name of the host that is cut off, a string
}

func newWorld(fates []fate) *world {
	w := &world{tasks: map[string]*task{}, table: newTable()}
	for _, f := range fates {
		w.tasks[f.id] = &task{fate: f, living: map[string]bool{}, zombies: map[string]bool{}}
	}
	return w
}

// question is what a host asks of the world, or tells it, about a task.
type question struct {
	What     what
	Task     string
	Visit    string // of an agent that is at work: its host and its attempt
	From, To int    // rows
	Key      string
	Attempt  int
	Result   string
}

// what is what a question is about.
type what string

const (
	enters  what = "enters"
	leaves  what = "leaves"
	fenced  what = "fenced"
	did     what = "did"
	befalls what = "befalls"
	wishes  what = "wishes"
	rises   what = "rises" // as a zombie
	writes  what = "writes"
	cleans  what = "cleans"
)

// answer is what the world says.
type answer struct {
	Yes     bool // it was begun before; it befalls; it is written
	Row     int
	Trouble trouble
	Wish    wish
}

// outside is the world as a host reaches it: in the same process, or in another.
type outside interface{ ask(q question) answer }

// ask implements outside.
func (w *world) ask(q question) (a answer) {
	t := w.tasks[q.Task]
	t.mu.Lock()
	defer t.mu.Unlock()
	switch q.What {
	case enters:
		a.Yes, a.Row = t.enter(q.Visit)
	case leaves:
		delete(t.living, q.Visit) // whether anyone has noticed or not
	case fenced:
		delete(t.early, q.Visit) // it was turned away: the task was another's
	case did:
		t.did(q.From, q.To)
	case befalls:
		m, yes := t.befalls(q.To)
		a.Yes, a.Row, a.Trouble = yes, m.row, m.trouble
	case wishes:
		a.Wish = t.wished(q.To)
	case rises:
		t.zombies[q.Result] = true
	case writes:
		a.Yes = w.table.write(q.Task, q.Key, q.Attempt, q.From) == nil
	case cleans:
		cut, _ := w.cut.Load().(string)
		t.clean(cut)
		w.table.close(q.Task)
	}
	return a
}

// vanish says that all agents of a host have stopped in the middle of what they did.
func (w *world) vanish(host string) {
	for _, t := range w.tasks {
		t.vanish(host)
	}
}

// visited are the tasks on which agents of a host are at work.
func (w *world) visited(host string) (tasks []string) {
	for id, t := range w.tasks {
		if t.visitedFrom(host) {
			tasks = append(tasks, id)
		}
	}
	return tasks
}

// early is how many agents were at work on tasks that were cleaned up.
func (w *world) early() (n int) {
	for _, t := range w.tasks {
		t.mu.Lock()
		n += len(t.early)
		t.mu.Unlock()
	}
	return n
}
