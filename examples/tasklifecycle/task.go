package main

import (
	"maps"
	"strings"
	"sync"
)

// task is what the simulation knows of a task, which its agents and the runtime
// do not: who is really at work on it, and how far they came.
type task struct {
	fate
	mu        sync.Mutex // the world holds it while it answers
	spent     int        // mishaps that have happened
	cancelled bool
	held      bool
	living    map[string]bool // visits of agents that are at work on it
	early     map[string]bool // those who were when it was cleaned up, and were not turned away
	begun     bool            // by anyone
	reached   int             // the furthest row that anyone has reached
	worked    int             // rows that all have done together
	zombies   map[string]bool // what agents deliver that were given up on
}

// enter says that an agent begins, and whether it is not the first, and how far the others came.
func (t *task) enter(visit string) (again bool, reached int) {
	again, t.begun = t.begun, true
	t.living[visit] = true
	return again, t.reached
}

// visitedFrom reports whether agents of a host are at work on it.
func (t *task) visitedFrom(host string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	there := on(host)
	for visit := range t.living {
		if there(visit, true) {
			return true
		}
	}
	return false
}

// vanish says that all agents of a host have stopped in the middle of what they did.
func (t *task) vanish(host string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.living, on(host))
}

// attended reports whether someone is at work on it.
func (t *task) attended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.living) > 0
}

// clean says that it is cleaned up. Nobody may be at work on it then, but for who is on a host that
// is cut off, or was, and cannot know that others go on.
func (t *task) clean(cut string) {
	t.early = maps.Clone(t.living)
	maps.DeleteFunc(t.early, on(cut))
}

// on picks the agents of a host.
func on(host string) func(visit string, _ bool) bool {
	return func(visit string, _ bool) bool { return strings.HasPrefix(visit, host+" ") }
}

// did says that rows have been done, from one to another.
func (t *task) did(from, to int) {
	t.worked += to - from
	t.reached = max(t.reached, to)
}

// befalls gives the mishap that happens before a row is reached, once.
func (t *task) befalls(to int) (mishap, bool) {
	if t.spent == len(t.mishaps) || t.mishaps[t.spent].row >= to {
		return mishap{}, false
	}
	t.spent++
	return t.mishaps[t.spent-1], true
}

// wish is what the lead wants when a row has been reached, once.
type wish int

const (
	goOn wish = iota
	toCancel
	toHold
)

// wished gives what the lead wants when the task has reached a row.
func (t *task) wished(row int) wish {
	switch {
	case t.cancelAt > 0 && row >= t.cancelAt && !t.cancelled:
		t.cancelled = true
		return toCancel
	case t.holdAt > 0 && row >= t.holdAt && !t.held:
		t.held = true
		return toHold
	}
	return goOn
}
