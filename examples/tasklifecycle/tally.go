package main

import (
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// tally counts what happened.
type tally struct {
	declined, lateAccepts, lateStarts, gaveUp int
	befell                                    map[trouble]int
	zombies, zombieCheckpoints                int
	refused, lost                             int             // results that came too late, attempts whose host was lost
	cleanedTooEarly                           int             // while someone worked on them
	longest                                   time.Duration   // that a task in progress had nobody
	orphans                                   map[string]bool // tasks that had nobody for too long

	recoveries                 int
	repeated, wouldRepeat      int // rows: from the checkpoint, and from the beginning
	remaining, remainingIfCold int // rows that were left to do
}

// count adds one to a figure of the tally.
func (s *swarm) count(n *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
}

func (s *swarm) befell(t trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.befell[t]++
}

// recovered notes that an agent goes on with a task of which rows had been done
// up to reached, from a checkpoint at row from.
func (s *swarm) recovered(from, reached int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.tally
	t.recoveries++
	t.repeated += max(reached-from, 0)
	t.wouldRepeat += reached
	t.remaining += rows - from
	t.remainingIfCold += rows
}

// unattended notes for how long a task in progress has had nobody.
func (s *swarm) unattended(task string, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.longest = max(s.tally.longest, d)
	if d > noticed {
		s.tally.orphans[task] = true
	}
}

// announced notes that a task was said to be completed.
func (s *swarm) announced(task, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.completed[task] == nil {
		s.completed[task] = map[string]bool{}
	}
	s.completed[task][message] = true
}

// observer counts what the engines refuse.
type observer struct{ *swarm }

// OnStep counts results that came too late.
func (o observer) OnStep(i runtime.StepInfo) {
	if i.Effect == machine.Refused {
		o.count(&o.tally.refused)
	}
}

// OnAttempt counts attempts that another host has lost.
func (o observer) OnAttempt(i runtime.AttemptInfo) {
	if i.End == runtime.AttemptLost {
		o.count(&o.tally.lost)
	}
}
