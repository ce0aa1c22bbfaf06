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

// part is a task, a timer or a tag of a run, by its name, and what becomes of it.
type part struct {
	n         int64 // of its commit
	run, name string
	value     string    // of a tag
	at        time.Time // since when, or when a timer is due
	ends      bool      // the task does, and is not cancelled
	awake     bool      // the timer is
}

// writeParts writes parts, if there are any, with more columns behind their names.
func (b *batch) writeParts(rows []part, forms []form, more ...func([]part) any) {
	if len(rows) == 0 {
		return
	}
	columns := []any{
		column(rows, func(p *part) int64 { return p.n }),
		column(rows, func(p *part) string { return p.run }),
		column(rows, func(p *part) string { return p.name }),
	}
	for _, of := range more {
		columns = append(columns, of(rows))
	}
	for _, what := range forms {
		b.write(what, columns...)
	}
}

func values(rows []part) any { return column(rows, func(p *part) string { return p.value }) }

func moments(rows []part) any { return column(rows, func(p *part) time.Time { return p.at }) }

func ending(rows []part) any { return column(rows, func(p *part) bool { return p.ends }) }

func waking(rows []part) any { return column(rows, func(p *part) bool { return p.awake }) }

// started is a new task.
type started struct {
	*store.TaskRow
	n         int64
	awake     bool
	queued    time.Time
	notBefore time.Time
	ended     bool // its child
}

// ending are the tasks of a commit that end or are cancelled, each once; it says which end.
func (r *request) ending(n int64) (all []part) {
	ends := r.End
	if r.Claim != nil {
		ends = append(slices.Clip(ends), r.Claim.Do)
	}
	for i, do := range ends {
		if !slices.Contains(ends[:i], do) {
			all = append(all, part{n: n, run: r.Run.Run, name: do, ends: true})
		}
	}
	for i, do := range r.Cancel {
		if !slices.Contains(ends, do) && !slices.Contains(r.Cancel[:i], do) {
			all = append(all, part{n: n, run: r.Run.Run, name: do})
		}
	}
	return all
}

// writeTasks fills what becomes of tasks: those that were before, and then those that are new.
func (b *batch) writeTasks() {
	var ends, waiting []part
	var starts []started
	for i, r := range b.requests {
		ends = append(ends, r.ending(int64(i+1))...)
		for _, do := range r.Ready {
			waiting = append(waiting, part{n: int64(i + 1), run: r.Run.Run, name: do, at: r.Run.Updated})
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
	b.touched = slices.Concat(ends, waiting)
	b.writeParts(ends, []form{endTasks, cancelTasks}, ending)
	b.writeParts(waiting, []form{readyTasks}, moments)
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

// writeTimers fills what becomes of timers: those that are dropped go first.
func (b *batch) writeTimers() {
	var dropped, set []part
	for i, r := range b.requests {
		for _, name := range r.Drop {
			dropped = append(dropped, part{n: int64(i + 1), run: r.Run.Run, name: name})
		}
		for j := range r.Set {
			if slices.ContainsFunc(r.Set[j+1:], func(t store.TimerRow) bool { return t.Name == r.Set[j].Name }) {
				continue // the last one stands
			}
			set = append(set, part{n: int64(i + 1), run: r.Set[j].Run, name: r.Set[j].Name, at: r.Set[j].Due, awake: r.Run.Awake()})
		}
	}
	b.writeParts(dropped, []form{deleteTimers})
	b.writeParts(set, []form{upsertTimers}, moments, waking)
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
