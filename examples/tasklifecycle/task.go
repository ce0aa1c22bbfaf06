package main

import (
	"sync"
)

// task is what the simulation knows of a task, which its agents and the runtime
// do not: who is really at work on it, and how far they came.
type task struct {
	fate
	mu        sync.Mutex
	spent     int // mishaps that have happened
	cancelled bool
	held      bool
	living    map[*job]int64 // agents that are at work on it, and how often their host had been cut off when they began
	begun     bool           // by anyone
	reached   int            // the furthest row that anyone has reached
	worked    int            // rows that all have done together
	zombies   map[string]bool
}

// enter says that an agent begins at a row, and where the task stood before.
func (t *task) enter(j *job) (again bool, reached int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	again, t.begun = t.begun, true
	if t.living == nil {
		t.living = map[*job]int64{}
	}
	t.living[j] = j.host.link.cuts.Load()
	return again, t.reached
}

// leave says that an agent is not at work on it any more, whether anyone has
// noticed or not.
func (t *task) leave(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.living, j)
}

// attended reports whether someone is at work on it.
func (t *task) attended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.living) > 0
}

// claimed reports whether someone is at work on it whose host has been in touch all
// the time. Who was cut off may go on for a while, and cannot know that others do.
func (t *task) claimed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for j, cuts := range t.living {
		if j.host.link.cuts.Load() == cuts {
			return true
		}
	}
	return false
}

// did says that rows have been done, from one to another.
func (t *task) did(from, to int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.worked += to - from
	t.reached = max(t.reached, to)
}

// befalls gives the mishap that happens before a row is reached, once.
func (t *task) befalls(to int) (mishap, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
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
	t.mu.Lock()
	defer t.mu.Unlock()
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

// zombie remembers what an agent delivers that was given up on.
func (t *task) zombie(result string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.zombies == nil {
		t.zombies = map[string]bool{}
	}
	t.zombies[result] = true
}
