package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// HealthQuery says from when on something is wrong.
type HealthQuery struct {
	// Stuck is how long a run may be in a state, and StuckIn the same for single
	// ones, by their paths. Where both are empty, a state's own timers say it: a
	// run is stuck where one has fallen due and has not fired.
	Stuck   time.Duration
	StuckIn map[string]time.Duration
	// Late is how long timers may be overdue, leases expired, attempts
	// unclaimed and messages undelivered; a minute unless said.
	Late time.Duration
	// Shares are the most of a machine's runs that may be in a state.
	Shares []Share
	// Limit is how many problems of each kind are listed; 100 unless said.
	Limit int
}

// ProblemKind says what is wrong.
type ProblemKind string

const (
	StuckRun     ProblemKind = "stuck"     // too long in its state
	OverdueTimer ProblemKind = "overdue"   // a timer fell due, and no engine fires it
	HaltedRun    ProblemKind = "halted"    // an input could not be taken
	PausedRun    ProblemKind = "paused"    // a child, whose parent is not
	DamagedRun   ProblemKind = "damaged"   // it cannot be read, or its tasks or timers are gone
	ExpiredLease ProblemKind = "lease"     // a worker is gone, and no engine hands its attempt on
	UnstoredEnd  ProblemKind = "unended"   // an attempt is over its time, and its worker cannot store how it ended
	NoWorker     ProblemKind = "unclaimed" // an attempt that no worker takes
	OutboxLag    ProblemKind = "outbox"    // a message that no one delivers
	OverBudget   ProblemKind = "over-budget"
	LargeShare   ProblemKind = "share" // too many runs of a machine are in a state; it is of no run

	// DamagedFile is of no run: fsmc health adds it, for a store that is a file.
	DamagedFile ProblemKind = "file"
)

// Problem is one thing that an operator should look at. Its JSON form is stable.
type Problem struct {
	Kind    ProblemKind `json:"kind"`
	Run     string      `json:"run"`
	Machine string      `json:"machine,omitempty"`
	State   string      `json:"state,omitempty"`
	Since   time.Time   `json:"since"`
	Why     string      `json:"why"`
}

// Health is what is wrong with the runs of a store. It is empty if nothing is wrong. More names
// the kinds of which there are, or may be, more problems.
type Health struct {
	Problems []Problem     `json:"problems"`
	More     []ProblemKind `json:"more,omitempty"`
}

// Health looks for runs that nothing moves, and for work that no one does. It reads, and changes
// nothing. Problems come by kind. Within a kind, the oldest come first, if the store lists them
// so.
func (e *Engine) Health(ctx context.Context, q HealthQuery) (Health, error) {
	if q.Late <= 0 {
		q.Late = time.Minute
	}
	if q.Limit <= 0 {
		q.Limit = 100
	}
	x := &examination{e: e, HealthQuery: q, now: e.now(), found: Health{Problems: []Problem{}}}
	for _, of := range []struct {
		kind ProblemKind
		look func(context.Context) (problems []Problem, cut bool, err error)
	}{
		{HaltedRun, x.halted}, {PausedRun, x.paused}, {DamagedRun, x.damaged}, {StuckRun, x.stuck}, {OverdueTimer, x.overdue},
		{ExpiredLease, x.leases}, {UnstoredEnd, x.unended}, {NoWorker, x.unclaimed}, {OutboxLag, x.outbox}, {OverBudget, x.budgets}, {LargeShare, x.shares},
	} {
		problems, cut, err := of.look(ctx)
		if err != nil {
			return Health{}, fmt.Errorf("the health of the runs: %w", err)
		}
		x.add(of.kind, problems, cut)
	}
	return x.found, nil
}

// examination is one call of Health. Each look asks for one more than the
// limit, to know whether there are more.
type examination struct {
	e *Engine
	HealthQuery
	now   time.Time
	found Health
}

// add notes the problems of a look, which is cut where not all was looked at.
func (x *examination) add(kind ProblemKind, problems []Problem, cut bool) {
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Since.Compare(b.Since) })
	if cut || len(problems) > x.Limit {
		x.found.More = append(x.found.More, kind)
	}
	problems = problems[:min(len(problems), x.Limit)]
	for _, p := range problems {
		p.Kind = kind
		x.found.Problems = append(x.found.Problems, p)
	}
}

func (x *examination) halted(ctx context.Context) (problems []Problem, _ bool, err error) {
	rows, err := x.e.store.Runs(ctx, RunFilter{Status: Halted, Limit: x.Limit + 1})
	for i := range rows {
		p := ofRun(&rows[i], rows[i].Updated, "its snapshot cannot be read")
		if h, s, err := x.e.decode(ctx, &rows[i]); err == nil && s.Halt != nil {
			p.Why = fmt.Sprintf("%s could not be taken: %s", h.machine.Describe(s.Halt.Input), s.Halt.Cause)
		}
		if rows[i].Parent != "" {
			p.Why += fmt.Sprintf("; run %q waits for it", rows[i].Parent)
		}
		problems = append(problems, p)
	}
	return problems, false, err
}

// paused lists children that are paused, though their parents are not: who pauses a run holds those above it,
// and may not know. A parent that is halted is listed itself.
func (x *examination) paused(ctx context.Context) (problems []Problem, cut bool, err error) {
	waiting := map[string]bool{} // parents
	cut, err = x.each(ctx, RunFilter{Status: Running, Paused: true}, &problems, func(r *RunRow) (p Problem, err error) {
		if r.Parent == "" {
			return p, nil
		}
		waits, known := waiting[r.Parent]
		if !known {
			parent, err := x.e.store.Load(ctx, r.Parent)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return p, err
			}
			waits = err == nil && !parent.Paused && (parent.Status == Running || parent.Status == Ending)
			waiting[r.Parent] = waits
		}
		if waits {
			pause := x.e.pauseOf(ctx, r)
			p = ofRun(r, cmp.Or(pause.At, r.Updated), fmt.Sprintf("paused%s; run %q waits for it", byWhom(&pause), r.Parent))
		}
		return p, nil
	})
	return problems, cut, err
}

func ofRun(r *RunRow, since time.Time, why string) Problem {
	return Problem{Run: r.Run, Machine: r.Machine, State: r.State, Since: since, Why: why}
}

// stuck lists runs that have been in their state for longer than is said of it.
// A paused run stands still on purpose.
func (x *examination) stuck(ctx context.Context) (problems []Problem, _ bool, err error) {
	shortest := x.Stuck
	for _, d := range x.StuckIn {
		if shortest == 0 || d < shortest {
			shortest = d
		}
	}
	if shortest <= 0 {
		return nil, false, nil
	}
	before := x.now.Add(-shortest)
	f := RunFilter{Status: Running, StartedTo: before, EnteredTo: before}
	err = store.EachRun(ctx, x.e.store, f, 500, func(r *RunRow) error {
		limit, known := x.StuckIn[r.State]
		if !known {
			limit = x.Stuck
		}
		if limit > 0 && !r.Paused && x.now.Sub(r.Entered) > limit && len(problems) <= x.Limit {
			children, err := x.e.waitsForBelow(ctx, r)
			problems = append(problems, ofRun(r, r.Entered, fmt.Sprintf("in %s for longer than %s", r.State, machine.DurationText(limit))+children))
			return err
		}
		return nil
	})
	return problems, false, err
}

func (x *examination) overdue(ctx context.Context) (problems []Problem, _ bool, err error) {
	rows, err := x.e.store.Due(ctx, x.now.Add(-x.Late), x.Limit+1)
	for _, t := range rows {
		problems = append(problems, x.of(ctx, t.Run, t.Due, fmt.Sprintf("timer %s is due and does not fire: no engine works on the run", t.Name)))
	}
	return problems, false, err
}

// of is a problem of a run of which only the id is known.
func (x *examination) of(ctx context.Context, run string, since time.Time, why string) Problem {
	row, err := x.e.store.Load(ctx, run)
	if err != nil {
		row = RunRow{Run: run} // it is gone meanwhile, or cannot be read: what is wrong stands
	}
	return ofRun(&row, since, why)
}

func (x *examination) leases(ctx context.Context) (problems []Problem, _ bool, err error) {
	rows, err := x.e.store.Expired(ctx, x.now.Add(-x.Late), x.Limit+1)
	for i := range rows {
		t := &rows[i]
		problems = append(problems, x.of(ctx, t.Run, t.LeaseUntil,
			fmt.Sprintf("the lease of %q on %s, attempt %d, has run out, and no engine gives the attempt to another worker", t.Worker, t.Activity, t.Attempt)))
	}
	return problems, false, err
}

func (x *examination) unclaimed(ctx context.Context) (problems []Problem, cut bool, err error) {
	late := x.now.Add(-x.Late)
	limits, err := x.e.store.Limits(ctx, x.now)
	if err != nil {
		return nil, false, err
	}
	limits = slices.DeleteFunc(limits, func(l store.LimitRow) bool { return !holdsBack(&l, late) })
	most := x.Limit + 1
	if len(limits) > 0 {
		most = mostRead + x.Limit + 1
	}
	rows, err := x.e.store.Waiting(ctx, late, most)
	for i := range rows {
		t := &rows[i]
		if len(problems) > x.Limit {
			break
		}
		if limitOf(limits, t) != nil {
			continue // it waits for its turn
		}
		why := "no worker takes %s, attempt %d"
		if held, err := x.e.store.Held(ctx, t.Run, x.now); err != nil {
			return nil, false, err
		} else if held {
			why = "%s, attempt %d, waits until what the run has left has stopped"
		}
		p := x.of(ctx, t.Run, t.NotBefore, fmt.Sprintf(why, t.Activity, t.Attempt))
		if p.Since.IsZero() {
			p.Since = x.now.Add(-x.Late)
		}
		problems = append(problems, p)
	}
	return problems, len(rows) == most, err
}

// outboxLook is the most messages that are looked at: where no engine delivers,
// each run that ever published has one. Those that have waited longest for their
// first attempt come first.
const outboxLook = 10_000

// outbox lists the next message of each run that waits too long. One that is
// tried again and again may come behind some that are not late.
func (x *examination) outbox(ctx context.Context) (problems []Problem, _ bool, err error) {
	rows, err := x.e.store.Outbox(ctx, "", max(outboxLook, x.Limit+1))
	for i := range rows {
		m := &rows[i]
		if len(problems) > x.Limit {
			break
		}
		if x.now.Sub(m.At) <= x.Late {
			continue
		}
		why := fmt.Sprintf("message %s is not delivered: no worker that delivers messages has tried it", m.Event)
		if m.Attempt > 0 {
			why = fmt.Sprintf("message %s is not delivered after %d attempts", m.Event, m.Attempt)
		}
		if m.Reason != "" {
			why += ": " + m.Reason
		}
		problems = append(problems, x.of(ctx, m.Run, m.At, why))
	}
	return problems, false, err
}

// OutboxLag is how long the oldest undelivered message has waited, among at most 10,000 messages;
// 0 if there is none.
func (e *Engine) OutboxLag(ctx context.Context) (lag time.Duration, err error) {
	rows, err := e.store.Outbox(ctx, "", outboxLook)
	now := e.now()
	for i := range rows {
		lag = max(lag, now.Sub(rows[i].At))
	}
	return lag, err
}

// mostRead is the most runs whose snapshots are read in one look, those that were
// started last: of a machine version for its budget, of all for damage.
const mostRead = 10_000

// errEnough ends a look at runs.
var errEnough = errors.New("no more runs are looked at")

// each adds what problem says of runs, if that says why, to the problems, until there are
// more than are listed. It reports whether there are more runs than it looked at.
func (x *examination) each(ctx context.Context, f RunFilter, problems *[]Problem, problem func(*RunRow) (Problem, error)) (cut bool, err error) {
	looked := 0
	err = store.EachRun(ctx, x.e.store, f, 500, func(r *RunRow) error {
		if looked++; looked > mostRead {
			cut = true
			return errEnough
		}
		p, err := problem(r)
		if p.Why != "" {
			*problems = append(*problems, p)
		}
		if err == nil && len(*problems) > x.Limit {
			err = errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return cut, err
}

// damaged lists the running runs that cannot be moved as they should, because they
// cannot be read or tasks or timers of theirs are gone.
func (x *examination) damaged(ctx context.Context) (problems []Problem, cut bool, err error) {
	cut, err = x.each(ctx, RunFilter{Status: Running}, &problems, func(r *RunRow) (Problem, error) {
		why, err := x.damage(ctx, r)
		return ofRun(r, r.Updated, why), err
	})
	return problems, cut, err
}

// damage says why a run cannot be moved as it should, or nothing.
func (x *examination) damage(ctx context.Context, r *RunRow) (string, error) {
	h, err := x.e.host(ctx, r.Definition)
	if err != nil {
		if _, failed := x.e.store.Definition(ctx, r.Definition); failed != nil && !errors.Is(failed, ErrNotFound) {
			return "", failed // not of this run
		}
		return "its machine cannot be read: " + err.Error(), nil
	}
	s, err := h.machine.DecodeSnapshot(r.Snapshot)
	if err != nil {
		return "nothing moves it until it is repaired: " + err.Error(), nil
	}
	fault, err := x.e.missingWork(ctx, h.machine, r, s)
	if err != nil || fault == "" {
		return "", err
	}
	return "what should move it is not all there until it is repaired: " + fault, nil
}
