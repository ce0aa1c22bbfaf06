package runtime

import (
	"context"
	"encoding/json"
	"time"
)

// Store keeps runs. It knows nothing of what a step means: it loads, commits a
// step if the run has not moved on, hands out work under leases, and gives
// history back. Every method is safe for concurrent use, from several
// processes where the store's medium is shared. Times are UTC, to the
// microsecond. A store that every program can rely on passes
// runtime/storetest.
type Store interface {
	// PutDefinition keeps d under its hash; putting it again does nothing.
	PutDefinition(ctx context.Context, d DefinitionRow) error
	// Definition is ErrNotFound where no machine of that hash has been put.
	Definition(ctx context.Context, hash string) (DefinitionRow, error)

	// Load reads one run as of its last commit; ErrNotFound.
	Load(ctx context.Context, run string) (RunRow, error)
	// Commit writes one step, all of it or nothing, durably before it returns
	// nil. ErrConflict where the run's Seq is not c.Expect; ErrExists where
	// Expect is 0 and the run exists; ErrFenced where c.Claim is not held
	// under that epoch; ErrDuplicate where c.EventID has been accepted before.
	Commit(ctx context.Context, c *Commit) error
	// Accepted gives the answer that was stored with an accepted event id.
	Accepted(ctx context.Context, run, eventID string) (answer json.RawMessage, ok bool, err error)

	// Claim leases up to q.Limit tasks that are ready at q.Now to q.Worker,
	// oldest first, raising the epoch of each. A task is ready when its
	// NotBefore has come, no one holds it, its run is not paused, and no
	// cancelled task of its run is still held.
	Claim(ctx context.Context, q ClaimQuery) ([]TaskRow, error)
	// Renew lengthens the lease of a task and, where checkpoint is not nil,
	// stores it as the execution's last. It reports whether the task has been
	// cancelled. ErrFenced where the claim is not current.
	Renew(ctx context.Context, c Claim, now, until time.Time, checkpoint json.RawMessage) (cancelled bool, err error)
	// Release gives a task back without counting the attempt; ErrFenced.
	Release(ctx context.Context, c Claim, now, notBefore time.Time) error
	// Confirm says that a cancelled task has stopped; ErrFenced.
	Confirm(ctx context.Context, c Claim, now time.Time) error
	// Expired lists claims whose lease had run out by now. A cancelled one
	// counts as confirmed and is not listed.
	Expired(ctx context.Context, now time.Time, limit int) ([]TaskRow, error)
	// Reclaim makes an expired task ready again and counts it as lost;
	// ErrFenced where the claim is not current any more.
	Reclaim(ctx context.Context, c Claim, now time.Time) error
	// Held reports whether a cancelled task of the run is still held at now.
	Held(ctx context.Context, run string, now time.Time) (bool, error)

	// Due lists timers due at or before now, earliest first, of runs that are
	// neither paused nor halted.
	Due(ctx context.Context, now time.Time, limit int) ([]TimerRow, error)
	// NextWake is the earliest time at which a timer, a task or a lease will
	// want attention; zero where nothing waits.
	NextWake(ctx context.Context) (time.Time, error)

	// Outbox lists messages not delivered yet, oldest first, at most one for
	// each run: the next in its order.
	Outbox(ctx context.Context, limit int) ([]MessageRow, error)
	// Delivered marks a message as delivered.
	Delivered(ctx context.Context, id string, now time.Time) error

	// History lists the records of a run with Seq greater than after.
	History(ctx context.Context, run string, after int64, limit int) ([]HistoryRow, error)
	// Runs lists runs, newest first.
	Runs(ctx context.Context, f RunFilter) ([]RunRow, error)
	// Tasks lists the tasks of a run that have not ended.
	Tasks(ctx context.Context, run string) ([]TaskRow, error)

	Close() error
}

// DefinitionRow is one version of a machine.
type DefinitionRow struct {
	Hash       string // of the compiled definition
	Machine    string
	Source     string          // the text it was compiled from; may be empty
	Definition json.RawMessage // the Definition
}

// RunRow is one run as stored.
type RunRow struct {
	Run        string
	Machine    string
	Definition string // hash
	State      string // path of the leaf
	Status     Status
	Outcome    Outcome
	Paused     bool
	Seq        int64
	Snapshot   json.RawMessage // canonical, by Machine.EncodeSnapshot
	Started    time.Time
	Entered    time.Time
	Updated    time.Time
}

// Commit is one durable write: one or several records of one run (an input and
// what follows from it at once), and all that goes with them.
type Commit struct {
	Run    RunRow // as it is after the step
	Expect int64  // Seq before; 0 creates the run

	History []HistoryRow

	Claim   *Claim    // the claim under which a result or failure comes; it ends with this commit
	Start   []TaskRow // new attempts
	Cancel  []string  // names of dos whose open task is cancelled
	End     []string  // names of dos whose task has ended
	Set     []TimerRow
	Drop    []string // names of timers
	Publish []MessageRow

	EventID string          // remembered with Answer; empty for none
	Answer  json.RawMessage // what a second send of EventID is told
}

// HistoryRow is one record as stored.
type HistoryRow struct {
	Run    string
	Seq    int64
	At     time.Time
	Kind   InputKind
	Input  string // as written in a trigger: "StartReview", "failed(timeout)", "after 24h"
	From   string // empty at start
	To     string
	Effect Effect
	Record json.RawMessage // canonical, by Machine.EncodeRecord
}

// TaskRow is one attempt of an activity: waiting, held, or cancelled and not
// yet confirmed. A run has at most one that is not cancelled for each do.
type TaskRow struct {
	Run        string
	Machine    string
	Definition string
	Do         string // the do's name
	Activity   string
	Key        string // idempotency key of the execution
	Attempt    int
	Visit      int64
	Seq        int64 // of the step that started it; makes the task's identity unique within the run

	NotBefore  time.Time
	Epoch      int64  // fencing token: rises with each claim, never falls
	Worker     string // who holds it; empty for no one
	ClaimedAt  time.Time
	LeaseUntil time.Time
	BeatAt     time.Time // last sign of life, or the claim
	ProgressAt time.Time // last checkpoint, or the claim
	Lost       int       // how often a holder was lost
	Cancelled  bool
	Checkpoint json.RawMessage // the execution's last

	Timeout, Heartbeat, Progress time.Duration // 0 where not set
}

// Claim names a task and the epoch under which it is held.
type Claim struct {
	Run   string
	Do    string
	Seq   int64
	Epoch int64
}

// Claim of a task as it is held now.
func (t *TaskRow) Claim() Claim { return Claim{Run: t.Run, Do: t.Do, Seq: t.Seq, Epoch: t.Epoch} }

// ClaimQuery says which tasks a worker can take.
type ClaimQuery struct {
	Worker     string
	Now, Until time.Time // until when the lease runs
	Limit      int
	Activities []Claimable
	Run        string // only of this run; empty for any
}

// Claimable is an activity of a machine version that a worker can run.
type Claimable struct {
	Definition string
	Activity   string
}

// TimerRow is a running timer.
type TimerRow struct {
	Run  string
	Name string
	Due  time.Time
}

// MessageRow is a message in the outbox.
type MessageRow struct {
	ID      string // stable: the same for the same message whatever happens
	Run     string
	Seq     int64 // of the step
	N       int   // within the step
	Machine string
	Event   string
	Data    json.RawMessage
	At      time.Time
}

// RunFilter narrows Runs. Zero fields do not filter.
type RunFilter struct {
	Machine     string
	State       string
	Status      Status
	Outcome     Outcome
	Definition  string
	StartedFrom time.Time
	StartedTo   time.Time
	Limit       int
	After       string // the last run of the page before
}
