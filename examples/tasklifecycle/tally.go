package main

import (
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// tally counts what happened. Each host has one.
type tally struct {
	Declined, LateAccepts, LateStarts, GaveUp int
	Befell                                    map[trouble]int
	Zombies, ZombieCheckpoints                int
	Refused                                   int             // results that came too late
	Lost                                      map[string]int  // by host: attempts that others took over
	Longest                                   time.Duration   // that a task in progress had nobody
	Orphans                                   map[string]bool // tasks that had nobody for too long

	Recoveries                 int
	Repeated, WouldRepeat      int                        // rows: from the checkpoint, and from the beginning
	Remaining, RemainingIfCold int                        // rows that were left to do
	Completed                  map[string]map[string]bool // by task: the ids of the messages that said so
}

func newTally() tally {
	return tally{Befell: map[trouble]int{}, Lost: map[string]int{}, Orphans: map[string]bool{}, Completed: map[string]map[string]bool{}}
}

// add adds what another host has counted.
func (t *tally) add(o *tally) {
	t.Declined += o.Declined
	t.LateAccepts += o.LateAccepts
	t.LateStarts += o.LateStarts
	t.GaveUp += o.GaveUp
	for trouble, n := range o.Befell {
		t.Befell[trouble] += n
	}
	t.Zombies += o.Zombies
	t.ZombieCheckpoints += o.ZombieCheckpoints
	t.Refused += o.Refused
	for host, n := range o.Lost {
		t.Lost[host] += n
	}
	t.Recoveries += o.Recoveries
	t.Repeated += o.Repeated
	t.WouldRepeat += o.WouldRepeat
	t.Remaining += o.Remaining
	t.RemainingIfCold += o.RemainingIfCold
	for task, messages := range o.Completed {
		for id := range messages {
			t.announced(task, id)
		}
	}
}

// announced notes that a task was said to be completed.
func (t *tally) announced(task, message string) {
	if t.Completed[task] == nil {
		t.Completed[task] = map[string]bool{}
	}
	t.Completed[task][message] = true
}

// note changes the tally.
func (s *swarm) note(change func(*tally)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.tally)
}

// count adds one to a figure of the tally.
func (s *swarm) count(n *int) { s.note(func(*tally) { *n++ }) }

// recovered notes that an agent goes on with a task of which rows had been done
// up to reached, from a checkpoint at row from.
func (t *tally) recovered(from, reached int) {
	t.Recoveries++
	t.Repeated += max(reached-from, 0)
	t.WouldRepeat += reached
	t.Remaining += rows - from
	t.RemainingIfCold += rows
}

// unattended notes for how long a task in progress has had nobody. It is an orphan if that
// should have been noticed.
func (t *tally) unattended(task string, d, noticed time.Duration) {
	t.Longest = max(t.Longest, d)
	if d > noticed {
		t.Orphans[task] = true
	}
}

// observer counts what the engines refuse.
type observer struct{ *swarm }

// OnStep counts results that came too late.
func (o observer) OnStep(i runtime.StepInfo) {
	if i.Effect == machine.Refused {
		o.count(&o.tally.Refused)
	}
}

// OnAttempt counts attempts that another host has lost, and tells the world of who was turned away.
func (o observer) OnAttempt(i runtime.AttemptInfo) {
	switch {
	case i.End == runtime.AttemptFenced && i.Activity == "work":
		o.world.ask(question{What: fenced, Task: i.Run, Visit: visit(i.Worker, i.Attempt)})
	case i.End == runtime.AttemptLost:
		o.note(func(t *tally) { t.Lost[i.Worker]++ })
	}
}
