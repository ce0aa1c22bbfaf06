package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// A task is a table of rows, written in batches; behind each batch is a
// checkpoint.
const (
	rows  = 10_000
	batch = 500
)

// trouble is what can befall an agent at work.
type trouble string

const (
	crash     trouble = "crash"    // is gone, and does not say so
	hang      trouble = "hang"     // lives, and does nothing any more
	livelock  trouble = "livelock" // beats, and gets nowhere
	freeze    trouble = "freeze"   // comes back, and does not know that it was away
	transient trouble = "transient fault"
	auth      trouble = "expired credentials"
	schema    trouble = "unreadable data"
	ambiguity trouble = "question"
	logic     trouble = "bug"
	preempted trouble = "preemption"
)

// odds are how often each befalls someone, out of their sum.
var odds = []struct {
	trouble
	weight int
}{
	{crash, 16}, {hang, 10}, {livelock, 10}, {freeze, 14}, {transient, 18},
	{auth, 8}, {schema, 5}, {ambiguity, 6}, {logic, 6}, {preempted, 7},
}

// mishap is a trouble, and the row at which it happens to whoever is there.
type mishap struct {
	trouble
	row int
}

// fate is what will befall one task, decided by the seed before it starts.
type fate struct {
	id       string
	mishaps  []mishap // in the order of their rows
	cancelAt int      // the row at which the lead cancels it; 0 for never
	holdAt   int      // the row at which the lead puts it aside for a while; 0 for never
	hopeless bool     // no patch ever passes the tests
}

// fates decides about the tasks of a swarm.
func (c *config) fates() []fate {
	all := fates(c.tasks, c.seed)
	for i := range all {
		if c.calm {
			all[i].mishaps = nil
		}
	}
	return all
}

// fates decides about n tasks.
func fates(n int, seed uint64) []fate {
	all := make([]fate, n)
	for i := range all {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		f := fate{id: fmt.Sprintf("task-%04d", i+1), hopeless: r.IntN(100) < 20}
		if r.IntN(100) < 60 {
			for range 1 + r.IntN(3) {
				f.mishaps = append(f.mishaps, mishap{draw(r), 1 + r.IntN(rows-1)})
			}
			slices.SortFunc(f.mishaps, func(a, b mishap) int { return a.row - b.row })
		}
		switch p := r.IntN(100); {
		case p < 4:
			f.cancelAt = 1 + r.IntN(rows-1)
		case p < 7:
			f.holdAt = 1 + r.IntN(rows-1)
		}
		all[i] = f
	}
	return all
}

func draw(r *rand.Rand) trouble {
	sum := 0
	for _, o := range odds {
		sum += o.weight
	}
	p := r.IntN(sum)
	for _, o := range odds {
		if p -= o.weight; p < 0 {
			return o.trouble
		}
	}
	return transient
}
