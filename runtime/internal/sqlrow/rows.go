package sqlrow

import "github.com/fsmc-dev/fsmc/runtime/store"

// Columns that are read with the function of their name.
const (
	RunColumns = `run, machine, definition, state, status, coalesce(outcome, ''), paused,
		seq, started, entered, updated, snapshot, coalesce(parent, ''), coalesce(root, ''), tags`
	MessageColumns = `id, run, seq, n, machine, event, data, at, ready, attempt, coalesce(worker, ''), coalesce(reason, '')`
)

// Run reads a run.
func Run(found Row, r *store.RunRow) error {
	var tags []byte
	err := found.Scan(&r.Run, &r.Machine, &r.Definition, &r.State, &r.Status, &r.Outcome, &r.Paused,
		&r.Seq, &r.Started, &r.Entered, &r.Updated, (*[]byte)(&r.Snapshot), &r.Parent, &r.Root, &tags)
	if r.Root == "" {
		r.Root = r.Run
	}
	if err == nil {
		r.Tags, err = store.DecodeTags(tags)
	}
	return err
}

// Definition reads a definition.
func Definition(found Row, d *store.DefinitionRow) error {
	return found.Scan(&d.Hash, &d.Machine, &d.Source, (*[]byte)(&d.Definition))
}

// Version reads the figures of a version.
func Version(found Row, c *store.VersionCount) error { return found.Scan(&c.Hash, &c.Runs, &c.First) }

// Record reads a record of a history.
func Record(found Row, h *store.HistoryRow) error { return recordBehind(found, h) }

// Fed reads a record of the feed.
func Fed(found Row, f *store.FeedRow) error {
	return recordBehind(found, &f.HistoryRow, &f.ID, &f.Machine)
}

// recordBehind reads a record behind what stands before it.
func recordBehind(found Row, h *store.HistoryRow, before ...any) error {
	return found.Scan(append(before, &h.Run, &h.Seq, &h.At, &h.Kind, &h.Input, &h.From, &h.To, &h.Effect, (*[]byte)(&h.Record))...)
}

// Stray reads a stray run.
func Stray(found Row, s *store.Stray) error { return found.Scan(&s.Run, &s.Records, &s.Steps) }

// Task reads a task.
func Task(found Row, t *store.TaskRow) error { return TaskBehind(found, t) }

// TaskBehind reads a task behind what stands before it.
func TaskBehind(found Row, t *store.TaskRow, before ...any) error {
	return found.Scan(append(before, &t.Run, &t.Do, &t.Seq, &t.Machine, &t.Definition, &t.Activity, &t.Key, &t.Attempt, &t.Visit,
		&t.NotBefore, &t.Epoch, &t.Worker, &t.ClaimedAt, &t.LeaseUntil, &t.BeatAt, &t.ProgressAt, &t.Lost, &t.Cancelled,
		(*[]byte)(&t.Checkpoint), &t.CheckpointAt,
		(*int64)(&t.Timeout), (*int64)(&t.Heartbeat), (*int64)(&t.Progress), &t.Child, &t.ChildEnded)...)
}

// Claim reads what a task is claimed by.
func Claim(found Row, c *store.Claim) error { return found.Scan(&c.Run, &c.Do, &c.Seq, &c.Epoch) }

// Timer reads a timer.
func Timer(found Row, t *store.TimerRow) error { return found.Scan(&t.Run, &t.Name, &t.Due) }

// Message reads a message.
func Message(found Row, m *store.MessageRow) error { return MessageBehind(found, m) }

// MessageBehind reads a message behind what stands before it.
func MessageBehind(found Row, m *store.MessageRow, before ...any) error {
	return found.Scan(append(before, &m.ID, &m.Run, &m.Seq, &m.N, &m.Machine, &m.Event, (*[]byte)(&m.Data),
		&m.At, &m.Ready, &m.Attempt, &m.Worker, &m.Reason)...)
}

// Report reads what a child has used.
func Report(found Row, r *store.Report) error {
	return found.Scan(&r.Child, &r.Parent, (*[]byte)(&r.Total), (*[]byte)(&r.Told), &r.Do, &r.Key, &r.Attempt)
}
