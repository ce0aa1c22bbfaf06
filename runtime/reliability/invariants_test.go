//go:build unix && cgo

package reliability

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// inspect looks whether what is in the store, and what the world outside has
// seen, is what the engine promises, at whatever moment its processes died:
//
//   - history has no gaps, and its times never run backwards;
//   - the snapshot of every run is the replay of its history, bit for bit, and
//     the tasks and timers in the store are those of the snapshot;
//   - an acknowledged start and event is in history, and each event once; one
//     that was not acknowledged is there as a whole or not at all;
//   - no run took more steps or attempts than the checker has proved;
//   - of a run that is held to a budget no attempt was made more often than it has begun in
//     its history, and none has begun past the budget before over_budget was taken;
//   - what history counts is what the activities have used, as the ledger has it: see spent;
//   - timers fire at most once for each entry, and never early;
//   - the end of an attempt is taken once, under the youngest claim of its task;
//   - nothing was done outside that history does not know of, and no attempt
//     that got anywhere was handed a checkpoint older than an acknowledged one;
//   - a run that has not ended has a way forward;
//   - a child is started once and its parent told once of its end, and no run finishes
//     before its children: see trees;
//   - messages are delivered in order, and marked only when they are.
//
// Where all is done, the runs have ended and nothing is left in the outbox. It
// gives every fault that it finds.
func inspect(ctx context.Context, db runtime.Store, m *model, e *evidence, allDone bool) error {
	in := &inspection{ctx: ctx, store: db, models: m.byName(), e: e, tasks: map[string]bool{}, begun: map[string]int{},
		runs: map[string]*model{}, tree: newForest(), said: map[string]account{}, results: map[string]string{}}
	_, in.clocks = db.(store.Clocked)
	engine := runtime.NewEngine(db)
	err := engine.ReplayAll(ctx, runtime.RunFilter{}, func(_ *runtime.RunRow, err error) error {
		in.found(err)
		return nil
	})
	in.found(err)
	in.found(store.EachRun(ctx, db, runtime.RunFilter{}, 100, in.run))
	for run := range e.started {
		if in.runs[run] == nil {
			in.fault("run %q was acknowledged and is not there", run)
		}
	}
	for id := range e.accepted {
		if in.runs[id.run] == nil {
			in.fault("event %v was acknowledged and its run is not there", id)
		}
	}
	in.claims()
	in.timers()
	made := map[string]int{}
	for _, c := range e.calls {
		made[attemptOf(c.key, c.attempt)]++
		if key := attemptOf(c.key, c.attempt); !in.tasks[key] {
			in.fault("attempt %s was made, and no history has started it", key)
		}
		m := in.runs[c.run]
		if m == nil {
			continue // no history has started the attempt
		}
		g := in.tree.runs[c.run] // nil where its history cannot be read
		if do, ok := m.Do(doOf(c.run, c.key)); ok && g != nil && m.Begins(g.snapshot, do) {
			if id := attemptOf(c.key, c.attempt); made[id] > in.begun[id] {
				in.fault("attempt %s was made %d times, and has begun %d times", id, made[id], in.begun[id])
			}
		}
		if c.right && c.checkpoint < c.past {
			in.fault("attempt %s was handed checkpoint %d after %d", attemptOf(c.key, c.attempt), c.checkpoint, c.past)
		}
	}
	in.trees()
	if allDone {
		in.done()
	}
	return errors.Join(in.faults...)
}

type inspection struct {
	ctx     context.Context
	store   runtime.Store
	models  map[string]*model // by the name of the machine
	e       *evidence
	faults  []error
	runs    map[string]*model
	tasks   map[string]bool    // attempts that history has started
	begun   map[string]int     // by attempt: how often it has begun by it
	said    map[string]account // by attempt: what it has said that it has used
	results map[string]string  // by attempt: the worker whose result ended it
	alarms  []store.TimerRow
	tree    *forest
	clocks  bool // each process has its own, set by the server's now and then: times of two runs say nothing of what was first
}

func (in *inspection) found(err error) {
	if err != nil {
		in.faults = append(in.faults, err)
	}
}

func (in *inspection) fault(format string, args ...any) {
	in.faults = append(in.faults, fmt.Errorf(format, args...))
}

func attemptOf(key string, attempt int) string { return fmt.Sprintf("%s #%d", key, attempt) }

// doOf is the name of the do in the key of an execution: between the first slash behind the
// run and the last.
func doOf(run, key string) string {
	key = strings.TrimPrefix(key, run)
	first, last := strings.Index(key, "/"), strings.LastIndex(key, "/")
	if first < 0 || first == last {
		return ""
	}
	return key[first+1 : last]
}

// spending looks that the run, as it is after a record, has begun nothing past its budget.
func (w *walk) spending(r *machine.Record, after *machine.Snapshot) {
	if r.Effect != machine.Begun {
		return
	}
	w.in.begun[attemptOf(r.Input.Key, r.Input.Attempt)]++
	if len(w.m.HeldBelow(&machine.Snapshot{})) == 0 {
		return // a run above it is held
	}
	for _, c := range w.m.Definition().Budget.Costs {
		spent := "0"
		for _, s := range after.Spent {
			if s.Name == c.Name {
				spent = s.Amount
			}
		}
		all, _ := new(big.Rat).SetString(machine.AddAmounts(spent, w.m.Reserved(after, c.Name)))
		most, _ := new(big.Rat).SetString(c.Amount)
		if all.Cmp(most) > 0 && !slices.Contains(after.OverDone, c.Name) {
			w.in.fault("line %d of run %q: an attempt begins with %s %s spent or under way, of %s", r.Seq, w.row.Run, all.RatString(), c.Name, c.Amount)
		}
	}
}

// run walks through one run's history with the pure step.
func (in *inspection) run(row *runtime.RunRow) error {
	m := in.models[row.Machine]
	in.runs[row.Run] = m
	lines, err := in.store.History(in.ctx, row.Run, 0, 0)
	if err != nil {
		return err
	}
	if int64(len(lines)) != row.Seq {
		in.fault("run %q is at %d and has %d lines of history", row.Run, row.Seq, len(lines))
	}
	stored, err := m.DecodeSnapshot(row.Snapshot)
	if err != nil {
		return err
	}
	w := &walk{in: in, m: m, row: row, replay: m.NewReplay(row.Run, stored.Seed),
		ends: map[string]bool{}, events: map[string]int{}, fired: map[string]bool{}, below: account{}, dos: map[string]int{}}
	for i := range lines {
		record, err := m.DecodeRecord(lines[i].Record)
		if err != nil {
			return err
		}
		if record.Seq != int64(i)+1 || lines[i].Seq != record.Seq {
			in.fault("line %d of run %q has the sequence number %d", i+1, row.Run, record.Seq)
		}
		if err := w.take(record); err != nil {
			in.found(err)
			return nil // what follows cannot be read either
		}
	}
	w.bounds()
	w.inbox()
	w.outbox()
	w.standing(stored)
	return nil
}

// walk is a run on its way through its history.
type walk struct {
	in        *inspection
	m         *model
	row       *runtime.RunRow
	replay    *machine.Replay
	last      time.Time
	steps     int64
	ends      map[string]bool // attempts that have ended
	events    map[string]int  // by id: how often
	fired     map[string]bool // timers, with the visit
	again     int64           // how often an operator has retried it after its end
	begun     time.Time       // when that was last; zero for never
	finished  time.Time       // when it has finished
	below     account         // what it was told that its children have used
	dos       map[string]int  // by attempt: the do that it is of
	end       int64           // the line of history by which it has
	published []string
}

func (w *walk) take(r *machine.Record) error {
	in, before := w.in, w.replay.Snapshot()
	if r.At.Before(w.last) {
		in.fault("line %d of run %q is earlier than the one before", r.Seq, w.row.Run)
	}
	w.last = r.At
	switch r.Input.Kind {
	case machine.TimerInput:
		w.timer(before, r)
	case machine.ResultInput, machine.FailureInput:
		if id := attemptOf(r.Input.Key, r.Input.Attempt); !r.Input.Queued {
			if w.ends[id] {
				in.fault("attempt %s has ended twice", id)
			}
			w.ends[id] = true
			w.childTold(id, r)
		}
	case machine.EventInput:
		if r.Input.ID != "" && !r.Input.Queued {
			w.events[r.Input.ID]++
		}
	}
	byHand := r.Input.Kind == machine.RetryInput
	if byHand && before.Status == runtime.Finished {
		w.again, w.begun = w.again+1, r.At
	}
	if !byHand && (r.Effect == machine.Moved && r.From >= 0 || r.Effect == machine.Retried) {
		w.steps++
	}
	_, commands, _, err := w.m.Step(before, r.Input, r.At, answers(r))
	if err != nil {
		return fmt.Errorf("line %d of run %q is refused: %w", r.Seq, w.row.Run, err)
	}
	for i := range commands {
		w.command(&commands[i])
	}
	if err := w.replay.Take(r); err != nil {
		return err
	}
	after := w.replay.Snapshot()
	if after.Status == runtime.Finished && before.Status != runtime.Finished {
		w.finished, w.end = r.At, r.Seq
	}
	w.spending(r, after)
	w.says(r)
	w.hears(r)
	w.childrenOf(after, commands)
	return nil
}

// answers gives what host guards said when a record was made.
func answers(r *machine.Record) machine.Ask {
	return func(guard int, args []machine.Value) (bool, error) {
		for _, v := range r.Verdicts {
			if v.Guard == guard && machine.ListValue(v.Args...).Equal(machine.ListValue(args...)) {
				return v.Answer, nil
			}
		}
		return false, errors.New("no verdict in history")
	}
}

// command notes what a step asks for.
func (w *walk) command(c *machine.Command) {
	switch c.Kind {
	case machine.StartTask:
		w.in.tasks[attemptOf(c.Task.Key, c.Task.Attempt)] = true
	case machine.SendOut:
		w.published = append(w.published, c.Message)
	}
}

// timer looks that a timer which fires was running, has waited its time, and has
// not fired in this visit before. Of timers around the leaf only those of the
// machine itself are counted: a composite may be entered again.
func (w *walk) timer(before *machine.Snapshot, r *machine.Record) {
	in, t := w.in, &w.m.Definition().Timers[r.Input.Timer]
	running := slices.IndexFunc(before.Alarms, func(a machine.Alarm) bool { return a.Timer == r.Input.Timer })
	switch {
	case running < 0:
		in.fault("line %d of run %q: timer %s fires and is not running", r.Seq, w.row.Run, t.Name)
	case r.At.Before(before.Alarms[running].Due):
		in.fault("line %d of run %q: timer %s fires at %s, and is due at %s", r.Seq, w.row.Run, t.Name, r.At, before.Alarms[running].Due)
	}
	var since time.Time
	visit := int64(0)
	switch {
	case t.State == before.State:
		since, visit = before.Entered, before.Visit
	case w.m.Definition().States[t.State].Parent < 0:
		since, visit = before.Started, -w.again
		if w.again > 0 {
			since = w.begun
		}
	default:
		return
	}
	if t.Var == nil && r.At.Sub(since) < time.Duration(t.Delay) {
		in.fault("line %d of run %q: timer %s fires after %s", r.Seq, w.row.Run, t.Name, r.At.Sub(since))
	}
	id := fmt.Sprintf("%s in visit %d", t.Name, visit)
	if w.fired[id] {
		in.fault("line %d of run %q: timer %s has fired before", r.Seq, w.row.Run, id)
	}
	w.fired[id] = true
}

func (w *walk) bounds() {
	if w.again > 0 {
		return // what is proved is of one life
	}
	p := w.m.proved()
	if p.steps != nil && p.clean && big.NewRat(w.steps, 1).Cmp(p.steps) > 0 {
		w.in.fault("run %q took %d steps, proved are at most %s", w.row.Run, w.steps, p.steps.RatString())
	}
	attempts := w.in.e.attempts(w.row.Run)
	for _, b := range w.in.tree.children {
		if b.parent == w {
			attempts[w.m.Definition().Activities[w.m.Definition().Dos[b.task.Do].Activity].Name]++
		}
	}
	for activity, n := range attempts {
		if most := p.attempts[activity]; most != nil && p.clean && big.NewRat(n, 1).Cmp(most) > 0 {
			w.in.fault("run %q made %d attempts at %s, proved are at most %s", w.row.Run, n, activity, most.RatString())
		}
	}
}

// inbox holds event ids in history against those that were sent, acknowledged
// and remembered.
func (w *walk) inbox() {
	for id := range w.in.e.sent {
		if id.run != w.row.Run {
			continue
		}
		answer, known, err := w.in.store.Accepted(w.in.ctx, id.run, id.id)
		n := w.events[id.id]
		switch {
		case err != nil:
			w.in.found(err)
		case n > 1 || n == 1 != known:
			w.in.fault("event %v is in history %d times, and remembered: %t", id, n, known)
		case n == 0 && w.in.e.accepted[id]:
			w.in.fault("event %v was acknowledged and is not in history", id)
		case known && !json.Valid(answer):
			w.in.fault("the answer to event %v is %q", id, answer)
		}
	}
}

// outbox holds what history publishes against what was delivered and what still
// waits. All before the next one has been delivered, and in order.
func (w *walk) outbox() {
	rows, err := w.in.store.Outbox(w.in.ctx, w.row.Run, 1)
	w.in.found(err)
	marked := len(w.published)
	if len(rows) > 0 {
		if marked = slices.Index(w.published, rows[0].ID); marked < 0 {
			w.in.fault("message %s waits, and history does not publish it", rows[0].ID)
			return
		}
	}
	var first []string
	for _, id := range w.in.e.delivered[w.row.Run] {
		if !slices.Contains(first, id) {
			first = append(first, id)
		}
	}
	if len(first) < marked || len(first) > len(w.published) || !slices.Equal(first, w.published[:len(first)]) {
		w.in.fault("run %q delivered %v; published are %v, of which %d are marked", w.row.Run, first, w.published, marked)
	}
}

// places looks whether as many elements of each list run as may.
func (w *walk) places(s *machine.Snapshot) {
	for i := range s.Lists {
		do := &w.m.Definition().Dos[s.Lists[i].Do]
		states := map[machine.TaskState]int64{}
		for _, t := range s.Tasks {
			if t.Do == s.Lists[i].Do {
				states[t.State]++
			}
		}
		if limit, n := do.Fan.Limit, states[machine.TaskOpen]; limit > 0 && n > limit || states[machine.TaskWaiting] > 0 && n < limit {
			w.in.fault("run %q has %v elements of %s, of which %d may run", w.row.Run, states, do.Name, limit)
		}
	}
}

// standing looks at the run as it is: its tables, and its way forward.
func (w *walk) standing(s *machine.Snapshot) {
	in := w.in
	d := w.m.Definition()
	open := map[string]bool{}
	for _, t := range s.Tasks {
		if t.State == machine.TaskOpen {
			open[w.m.TaskName(&t)+" "+attemptOf(t.Key, t.Attempt)] = true
		}
	}
	w.places(s)
	kept := slices.Clone(s.Queue) // what has ended and could not be taken: the run was paused, or it halted
	if s.Halt != nil {
		kept = append(kept, s.Halt.Input)
	}
	queued := map[string]bool{}
	for _, q := range kept {
		if q.Kind == machine.ResultInput || q.Kind == machine.FailureInput {
			of := w.m.TaskName(&machine.Task{Do: q.Do, Index: q.Index})
			queued[of+" "+attemptOf(q.Key, q.Attempt)] = true
		}
	}
	rows, err := in.store.Tasks(in.ctx, w.row.Run)
	in.found(err)
	for i := range rows {
		t := &rows[i]
		id := t.Do + " " + attemptOf(t.Key, t.Attempt)
		if !t.Cancelled && !open[id] {
			in.fault("run %q has task %s, which its snapshot has not", w.row.Run, id)
		}
		if !t.Cancelled {
			delete(open, id)
		}
	}
	for id := range open {
		if !queued[id] {
			in.fault("run %q has no task %s, which its snapshot has", w.row.Run, id)
		}
	}
	if s.Status == runtime.Running && s.PausedAt.IsZero() {
		for _, a := range s.Alarms {
			in.alarms = append(in.alarms, store.TimerRow{Run: w.row.Run, Name: d.Timers[a.Timer].Name, Due: a.Due})
		}
	}
	w.wayForward(s)
	w.spent(s)
	in.tree.add(w, s, rows)
}

func (w *walk) wayForward(s *machine.Snapshot) {
	p := w.m.proved()
	stuck := s.PausedAt.IsZero() && len(s.Alarms) == 0 && len(w.m.Allowed(s)) == 0 &&
		!slices.ContainsFunc(s.Tasks, func(t machine.Task) bool { return t.State == machine.TaskOpen })
	switch {
	case s.Status.Over() || !p.clean:
	case s.Status == runtime.Halted:
		w.in.fault("run %q is halted: %s", w.row.Run, s.Halt.Cause)
	case stuck:
		w.in.fault("run %q has no way forward in %s", w.row.Run, w.row.State)
	}
}

// timers holds those in the store against those in the snapshots.
func (in *inspection) timers() {
	rows, err := in.store.Due(in.ctx, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), 0)
	in.found(err)
	for _, list := range [][]store.TimerRow{rows, in.alarms} {
		slices.SortFunc(list, func(a, b store.TimerRow) int {
			return slices.Compare([]string{a.Run, a.Name}, []string{b.Run, b.Name})
		})
	}
	same := func(a, b store.TimerRow) bool { return a.Run == b.Run && a.Name == b.Name && a.Due.Equal(b.Due) }
	if !slices.EqualFunc(rows, in.alarms, same) {
		in.fault("the store has the timers %v, the snapshots %v", rows, in.alarms)
	}
}

// claims looks that no claim was given twice, and that no commit was taken under
// one that was not the youngest of its task.
func (in *inspection) claims() {
	given := map[int64]bool{}
	youngest := map[[3]string]int64{}
	for _, c := range in.e.claims {
		if given[c.epoch] {
			in.fault("epoch %d was given twice", c.epoch)
		}
		given[c.epoch] = true
		youngest[c.task] = max(youngest[c.task], c.epoch)
	}
	ends := map[[3]string]bool{}
	for _, c := range in.e.ended {
		if c.epoch < youngest[c.task] {
			in.fault("task %v ended under epoch %d, and %d had been given", c.task, c.epoch, youngest[c.task])
		}
		if ends[c.task] {
			in.fault("task %v ended twice", c.task)
		}
		ends[c.task] = true
	}
}

// done looks that nothing is left to do.
func (in *inspection) done() {
	rows, err := in.store.Outbox(in.ctx, "", 0)
	in.found(err)
	if len(rows) > 0 {
		in.fault("%d messages are not delivered", len(rows))
	}
	for _, status := range []runtime.Status{runtime.Running, runtime.Halted, machine.Ending} {
		rows, err := in.store.Runs(in.ctx, runtime.RunFilter{Status: status})
		in.found(err)
		if len(rows) > 0 {
			in.fault("%d runs are %s, such as %q in %s", len(rows), status, rows[0].Run, rows[0].State)
		}
	}
}
