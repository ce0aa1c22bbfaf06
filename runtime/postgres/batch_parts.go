package postgres

import (
	"cmp"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

var (
	// named are the open tasks of runs and dos.
	named = `
	FROM ` + table(`n bigint, run text, "do" text, ends boolean`) + `
	WHERE t.run = q.run AND t.do = q.do AND NOT t.cancelled AND` + admitted
	// cancelTasks says of tasks that endTasks leaves that they are cancelled; a child that holds one has it alone then.
	cancelTasks = formOf(`
	UPDATE @tasks AS t SET cancelled = true,
		epoch       = CASE WHEN ended AND ` + childNeeds + ` THEN 0 ELSE epoch END,
		worker      = CASE WHEN ` + childNeeds + ` THEN CASE WHEN ended THEN child END ELSE worker END,
		claimed     = CASE WHEN ` + childNeeds + ` THEN NULL ELSE claimed END,
		lease_until = CASE WHEN ` + childNeeds + ` THEN CASE WHEN ended THEN ` + leftUntil + ` END ELSE lease_until END,
		beat        = CASE WHEN ` + childNeeds + ` THEN NULL ELSE beat END,
		progress    = CASE WHEN ` + childNeeds + ` THEN NULL ELSE progress END` + named)
	// endTasks deletes tasks that end, or that are cancelled and no one holds.
	endTasks = formOf(`
	DELETE FROM @tasks AS t
	USING ` + table(`n bigint, run text, "do" text, ends boolean`) + `
	WHERE t.run = q.run AND t.do = q.do AND NOT t.cancelled AND NOT ` + childNeeds + ` AND (q.ends OR t.worker IS NULL) AND` + admitted)

	// readyTasks lets tasks wait no more that no one holds.
	readyTasks = formOf(`
	UPDATE @tasks AS t SET queued = q.at, not_before = q.at
	FROM ` + table(`n bigint, run text, "do" text, at timestamptz`) + `
	WHERE t.run = q.run AND t.do = q.do AND NOT t.cancelled AND t.worker IS NULL AND t.child IS NULL AND` + admitted)

	insertTasks = formOf(`
	INSERT INTO @tasks (run, "do", seq, machine, definition, activity, key, attempt, visit, awake,
		queued, not_before, lost, timeout_ns, heartbeat_ns, progress_ns, child, ended)
	SELECT run, "do", seq, machine, definition, activity, key, attempt, visit, awake,
		queued, not_before, lost, timeout_ns, heartbeat_ns, progress_ns, child, ended
	FROM ` + table(`i, n bigint, run text, "do" text, seq bigint, machine text, definition text, activity text, key
		text, attempt bigint, visit bigint, awake boolean, queued timestamptz, not_before timestamptz,
		lost bigint, timeout_ns bigint, heartbeat_ns bigint, progress_ns bigint, child text, ended
		boolean`) + `
	WHERE` + admitted + ` ORDER BY i`)

	deleteTimers = formOf(`
	DELETE FROM @timers AS t USING ` + table(`n bigint, run text, name text`) + `
	WHERE t.run = q.run AND t.name = q.name AND` + admitted)
	upsertTimers = formOf(`
	INSERT INTO @timers (run, name, due, awake)
	SELECT run, name, due, awake
	FROM ` + table(`n bigint, run text, name text, due timestamptz, awake boolean`) + `
	WHERE` + admitted + `
	ON CONFLICT (run, name) DO UPDATE SET due = excluded.due`)

	// insertMessages marks the first message of a commit as the next of its run, where none waits.
	insertMessages = formOf(`
	INSERT INTO @outbox (id, run, seq, n, machine, event, data, at, ready, next)
	SELECT id, run, seq, place, machine, event, data, at, at,
		first AND NOT EXISTS (SELECT 1 FROM @outbox AS o WHERE o.run = q.run AND o.delivered IS NULL)
	FROM ` + table(`n bigint, id text, run text, seq bigint, place bigint, machine text, event text, data text, at
		timestamptz, first boolean`) + `
	WHERE` + admitted)
)

// end is a task that ends or is cancelled.
type end struct {
	n       int64
	run, do string
	ends    bool
}

// ready is a task that waits no more.
type ready struct {
	n       int64
	run, do string
	at      time.Time
}

// started is a new task.
type started struct {
	*store.TaskRow
	n         int64
	awake     bool
	queued    time.Time
	notBefore time.Time
	ended     bool // its child
}

// ending are the tasks of a commit that end or are cancelled, each once.
func (r *request) ending(n int64) (all []end) {
	ends := r.End
	if r.Claim != nil {
		ends = append(slices.Clip(ends), r.Claim.Do)
	}
	for i, do := range ends {
		if !slices.Contains(ends[:i], do) {
			all = append(all, end{n, r.Run.Run, do, true})
		}
	}
	for i, do := range r.Cancel {
		if !slices.Contains(ends, do) && !slices.Contains(r.Cancel[:i], do) {
			all = append(all, end{n, r.Run.Run, do, false})
		}
	}
	return all
}

// writeTasks fills what becomes of tasks: those that were before, and then those that are new.
func (b *batch) writeTasks() {
	var ends []end
	var waiting []ready
	var starts []started
	for i, r := range b.requests {
		ends = append(ends, r.ending(int64(i+1))...)
		for _, do := range r.Ready {
			waiting = append(waiting, ready{int64(i + 1), r.Run.Run, do, r.Run.Updated})
		}
		for j := range r.Start {
			s := started{TaskRow: &r.Start[j], n: int64(i + 1), awake: r.Run.Awake(), queued: r.Run.Updated}
			s.notBefore = s.NotBefore
			if child := r.children[s.Child]; child != nil && child.finished() {
				s.notBefore, s.ended = child.updated, true
			}
			starts = append(starts, s)
		}
	}
	if len(ends) > 0 {
		runs := column(ends, func(e *end) string { return e.run })
		dos := column(ends, func(e *end) string { return e.do })
		b.touched.add(runs, dos)
		columns := []any{column(ends, func(e *end) int64 { return e.n }), runs, dos, column(ends, func(e *end) bool { return e.ends })}
		b.write(endTasks, columns...)
		b.write(cancelTasks, columns...)
	}
	if len(waiting) > 0 {
		runs := column(waiting, func(r *ready) string { return r.run })
		dos := column(waiting, func(r *ready) string { return r.do })
		b.touched.add(runs, dos)
		b.write(readyTasks, column(waiting, func(r *ready) int64 { return r.n }), runs, dos, column(waiting, func(r *ready) time.Time { return r.at }))
	}
	if len(starts) > 0 {
		b.write(insertTasks, taskColumnsOf(starts)...)
	}
}

func taskColumnsOf(rows []started) []any {
	return []any{
		column(rows, func(s *started) int64 { return s.n }),
		column(rows, func(s *started) string { return s.Run }),
		column(rows, func(s *started) string { return s.Do }),
		column(rows, func(s *started) int64 { return s.Seq }),
		column(rows, func(s *started) string { return s.Machine }),
		column(rows, func(s *started) string { return s.Definition }),
		column(rows, func(s *started) string { return s.Activity }),
		column(rows, func(s *started) string { return s.Key }),
		column(rows, func(s *started) int64 { return int64(s.Attempt) }),
		column(rows, func(s *started) int64 { return s.Visit }),
		column(rows, func(s *started) bool { return s.awake }),
		column(rows, func(s *started) time.Time { return s.queued }),
		column(rows, func(s *started) *time.Time { return optional(s.notBefore) }),
		column(rows, func(s *started) int64 { return int64(s.Lost) }),
		column(rows, func(s *started) int64 { return int64(s.Timeout) }),
		column(rows, func(s *started) int64 { return int64(s.Heartbeat) }),
		column(rows, func(s *started) int64 { return int64(s.Progress) }),
		column(rows, func(s *started) *string { return nullable(s.Child) }),
		column(rows, func(s *started) bool { return s.ended }),
	}
}

// timer is one that is dropped or set.
type timer struct {
	n         int64
	run, name string
	due       time.Time
	awake     bool
}

// writeTimers fills what becomes of timers: those that are dropped go first.
func (b *batch) writeTimers() {
	var dropped, set []timer
	for i, r := range b.requests {
		for _, name := range r.Drop {
			dropped = append(dropped, timer{n: int64(i + 1), run: r.Run.Run, name: name})
		}
		for j := range r.Set {
			if slices.ContainsFunc(r.Set[j+1:], func(t store.TimerRow) bool { return t.Name == r.Set[j].Name }) {
				continue // the last one stands
			}
			set = append(set, timer{int64(i + 1), r.Set[j].Run, r.Set[j].Name, r.Set[j].Due, r.Run.Awake()})
		}
	}
	names := func(rows []timer) []any {
		return []any{
			column(rows, func(t *timer) int64 { return t.n }),
			column(rows, func(t *timer) string { return t.run }),
			column(rows, func(t *timer) string { return t.name }),
		}
	}
	if len(dropped) > 0 {
		b.write(deleteTimers, names(dropped)...)
	}
	if len(set) > 0 {
		b.write(upsertTimers, append(names(set),
			column(set, func(t *timer) time.Time { return t.due }), column(set, func(t *timer) bool { return t.awake }))...)
	}
}

// published is a message with the number of its commit.
type published struct {
	*store.MessageRow
	n     int64
	first bool // of its commit
}

func (b *batch) writeMessages() {
	var all []published
	for i, r := range b.requests {
		from := len(all)
		for j := range r.Publish {
			all = append(all, published{MessageRow: &r.Publish[j], n: int64(i + 1)})
		}
		slices.SortStableFunc(all[from:], func(a, b published) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.N, b.N)) })
		if from < len(all) {
			all[from].first = true
		}
	}
	if len(all) == 0 {
		return
	}
	b.write(insertMessages,
		column(all, func(m *published) int64 { return m.n }),
		column(all, func(m *published) string { return m.ID }),
		column(all, func(m *published) string { return m.Run }),
		column(all, func(m *published) int64 { return m.Seq }),
		column(all, func(m *published) int64 { return int64(m.N) }),
		column(all, func(m *published) string { return m.Machine }),
		column(all, func(m *published) string { return m.Event }),
		column(all, func(m *published) *string { return text(m.Data) }),
		column(all, func(m *published) time.Time { return m.At }),
		column(all, func(m *published) bool { return m.first }))
}
