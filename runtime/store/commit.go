package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Commit is one durable write: one or several records of one run (an input and
// what follows from it at once), and all that goes with them. What it says of
// tasks and timers is the difference between before and after, whatever
// happened in between: End, Cancel, Ready and Drop are of those that stood before,
// and are carried out first; Start and Set are of those that stand after. A
// name of which nothing stands is passed over.
//
// A commit without records does not write the run: it remembers EventID or
// ends Claim, and has nothing else.
type Commit struct {
	Run    RunRow // as it is after the step
	Expect int64  // Seq before; 0 creates the run

	History []HistoryRow // Seq Expect+1 to Run.Seq

	Claim   *Claim    // the claim under which a result or failure comes; its task ends with this commit
	End     []string  // names of dos whose task has ended, whoever holds it
	Cancel  []string  // names of dos whose open task is cancelled: it goes, unless someone holds it
	Ready   []string  // names of dos whose open task can be claimed from Run.Updated on; one that someone holds, or has a child, stays as it is
	Start   []TaskRow // new attempts, held by no one
	Drop    []string  // names of timers
	Set     []TimerRow
	Publish []MessageRow

	// Parent is given with Expect 0 by the commit that creates a child: the claim of the
	// task of Run.Parent that has it from then on. ParentDue is when that task can
	// be claimed although the child has not ended; zero for never.
	Parent    *Claim
	ParentDue time.Time

	// Total is given where what a child has used is another than before: it is to be told to
	// its parent. Of a run that is no child it is passed over.
	Total json.RawMessage
	// Hears is what the run is told of a child with this commit: from then on it knows Total.
	Hears *Report

	EventID string          // remembered with Answer; empty for none
	Answer  json.RawMessage // what a second send of EventID is told

	// Repairs is set by a repair: how the run stood by its history, which is what has
	// been counted, whatever its row says. The row's Started is then replaced, too.
	Repairs *RunRow
}

// Check says what is wrong with a commit that no engine should make. Stores
// call it first.
func (c *Commit) Check() error {
	if c.Run.Run == "" || c.Expect < 0 {
		return errors.New("a commit names its run and the Seq it expects")
	}
	if c.Run.Seq != c.Expect+int64(len(c.History)) {
		return fmt.Errorf("a commit from Seq %d to %d has %d records", c.Expect, c.Run.Seq, len(c.History))
	}
	if len(c.History) == 0 && (c.Expect == 0 || c.EventID == "" && c.Claim == nil ||
		len(c.End)+len(c.Cancel)+len(c.Ready)+len(c.Start)+len(c.Drop)+len(c.Set)+len(c.Publish) > 0) {
		return errors.New("a commit without records remembers an event id or ends a claim, and has nothing else")
	}
	for i := range c.History {
		if h := &c.History[i]; h.Run != c.Run.Run || h.Seq != c.Expect+int64(i)+1 {
			return fmt.Errorf("record %d of a commit from Seq %d is %q %d", i, c.Expect, h.Run, h.Seq)
		}
	}
	if c.Hears != nil && (c.Hears.Parent != c.Run.Run || len(c.History) == 0) {
		return fmt.Errorf("a commit to %q takes with a step what its own child %q has used", c.Run.Run, c.Hears.Child)
	}
	return errors.Join(c.checkRun(), c.checkParent())
}

// Size is how many bytes c writes, but for what is small.
func (c *Commit) Size() int {
	size := len(c.Run.Snapshot) + len(c.Answer)
	for i := range c.History {
		size += len(c.History[i].Record)
	}
	for i := range c.Publish {
		size += len(c.Publish[i].Data)
	}
	return size
}

// checkParent refuses a run whose place in its tree is not whole.
func (c *Commit) checkParent() error {
	r := &c.Run
	switch child := r.Parent != ""; {
	case c.Parent != nil && (c.Expect > 0 || c.Parent.Run != r.Parent):
		return fmt.Errorf("only the commit that creates a child of %q has a claim of that run", c.Parent.Run)
	case c.Expect > 0:
		return nil
	case child && c.Parent == nil:
		return fmt.Errorf("the child %q is created without a claim of its parent", r.Run)
	case child == (r.Root == "" || r.Root == r.Run):
		return fmt.Errorf("the root of %q is %q, and its parent %q", r.Run, r.Root, r.Parent)
	}
	return nil
}

// checkRun refuses parts that are of another run.
func (c *Commit) checkRun() error {
	other := c.Claim != nil && c.Claim.Run != c.Run.Run
	for i := range c.Start {
		other = other || c.Start[i].Run != c.Run.Run
	}
	for i := range c.Set {
		other = other || c.Set[i].Run != c.Run.Run
	}
	for i := range c.Publish {
		other = other || c.Publish[i].Run != c.Run.Run
	}
	if other {
		return fmt.Errorf("a part of a commit to %q is of another run", c.Run.Run)
	}
	return nil
}
