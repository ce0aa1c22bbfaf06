package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Store keeps runs. It knows nothing of what a step means: it loads, commits a
// step if the run has not moved on, hands out work under leases, and returns
// history. Every method is safe for concurrent use, from several
// processes where the store's medium is shared. Times are UTC, to the
// microsecond. A limit of 0 or less is none, but for Claim. Lists that find
// nothing are empty, without an error. A store that every program can rely on
// passes runtime/storetest. A call
// returns soon after its ctx is done, whatever the medium does.
type Store interface {
	// PutDefinition keeps d under its hash; putting it again does nothing. A new one
	// brings the limits of its machine's activities (LimitsOf), in place of those before.
	PutDefinition(ctx context.Context, d DefinitionRow) error
	// Definition is ErrNotFound where no machine of that hash has been put.
	Definition(ctx context.Context, hash string) (DefinitionRow, error)

	// Load reads one run as of its last commit; ErrNotFound.
	Load(ctx context.Context, run string) (RunRow, error)
	// Commit writes one step, all of it or nothing, durably before it returns
	// nil. Refused, in this order: a *Duplicate where the run has accepted
	// c.EventID before; ErrExists where Expect is 0 and the run exists;
	// ErrNotFound where the run does not; ErrConflict, a *Conflict where the row is at hand, where the run's Seq is not
	// c.Expect, or it was started at another time than c.Run.Started, and so is
	// another run, with the id of one that was pruned; ErrNotFound where its
	// definition has not been put; ErrFenced where c.Claim is not held under that
	// epoch, or its task has been cancelled, where c.Parent is not, or that task has
	// a child, or its run is paused or halted, and where the run knows something else
	// of the child of c.Hears than c.Hears.Told. Any other
	// error means that nothing was written, unless it is ErrUnknown.
	//
	// A task that has a child is held by it, and no worker holds it, until the child is
	// finished: by the commit that makes it so, the task can be claimed from then on, or
	// goes where it has been cancelled. If the task ends before that, whatever ends it, it is
	// cancelled and held.
	Commit(ctx context.Context, c *Commit) error
	// Accepted gives the answer that was stored with an accepted event id of
	// the run.
	Accepted(ctx context.Context, run, eventID string) (answer json.RawMessage, ok bool, err error)

	// Claim leases up to q.Limit tasks that are ready at q.Now to q.Worker,
	// oldest first (by NotBefore, or else by the commit that started them),
	// giving each an epoch higher than any before. A task is ready when its
	// NotBefore has come, no one holds it, its run is neither paused nor
	// halted, no cancelled task of its run is still held, and no timer of its
	// run has fallen due: that comes first. Of an activity with a limit, in runs of any
	// version of its machine, no more are held at once, and no more are claimed in any
	// window. A claim counts whatever becomes of it. Where q.Now is earlier than that
	// of claims before, these count as claims of q.Now.
	Claim(ctx context.Context, q ClaimQuery) ([]TaskRow, error)
	// Renew moves the end of a lease and, where checkpoint is not nil, stores it
	// as the execution's last: every later attempt under the same key is handed
	// it. It reports whether the task has been cancelled. ErrFenced where the
	// claim is not current: the task has ended, or is held under another epoch,
	// or by no one, or has been cancelled and its lease had run out by now. A
	// lease that has run out can be renewed until the task is reclaimed.
	Renew(ctx context.Context, c Claim, now, until time.Time, checkpoint json.RawMessage) (cancelled bool, err error)
	// RenewAll renews the leases of several claims as Renew does, without checkpoints and in one
	// call, and says which of them are not as they were.
	RenewAll(ctx context.Context, claims []Claim, now, until time.Time) (Renewed, error)
	// Release releases a task without counting it as lost, to be claimed from
	// notBefore on; a cancelled one has stopped. ErrFenced as for Renew.
	Release(ctx context.Context, c Claim, now, notBefore time.Time) error
	// Confirm says that a cancelled task has stopped. ErrFenced as for Renew,
	// and where the task has not been cancelled.
	Confirm(ctx context.Context, c Claim, now time.Time) error
	// Expired lists claims whose lease had run out by now, of runs that are not
	// halted, longest ago first. A cancelled one counts as confirmed and is not
	// listed.
	Expired(ctx context.Context, now time.Time, limit int) ([]TaskRow, error)
	// Reclaim makes an expired task ready again and counts it as lost;
	// ErrFenced where the claim is not current any more, or was renewed.
	Reclaim(ctx context.Context, c Claim, now time.Time) error
	// Held reports whether a cancelled task of the run is still held at now, by a
	// worker or by its child.
	Held(ctx context.Context, run string, now time.Time) (bool, error)

	// Look gives what a worker asks for in each round of its work, in one call. It hands out
	// timers and expired claims: for HandedFor no other worker of this store is given the
	// same, unless the worker leaves them to others meanwhile. That spares workers from racing,
	// and is no lease: whoever fires a timer or reclaims a task may. A medium that is
	// shared with other processes need not hand out across these.
	Look(ctx context.Context, q LookQuery) (Work, error)
	// Reports lists what children have used that their parents do not know, in no order. Its
	// cost is by their number.
	Reports(ctx context.Context, q ReportQuery) ([]Report, error)

	// Due lists timers due at or before now, earliest first, of runs that are
	// neither paused nor halted.
	Due(ctx context.Context, now time.Time, limit int) ([]TimerRow, error)

	// Outbox lists messages not delivered yet, at most one for each run: the
	// next in its order. They come in the order of the times at which they can
	// be taken. An empty run means all.
	Outbox(ctx context.Context, run string, limit int) ([]MessageRow, error)
	// TakeMessages leases up to q.Limit messages to q.Worker that are the next
	// of their run and can be taken at q.Now, the longest ready first, and
	// counts an attempt at each.
	TakeMessages(ctx context.Context, q MessageQuery) ([]MessageRow, error)
	// Delivered marks a message as delivered by the attempt that took it; the
	// next one of its run can then be taken. ErrFenced where it has been taken
	// again since or is delivered, ErrNotFound.
	Delivered(ctx context.Context, id string, attempt int, now time.Time) error
	// Undelivered returns a message, to be taken again from ready on, with
	// the reason. ErrFenced and ErrNotFound as for Delivered.
	Undelivered(ctx context.Context, id string, attempt int, ready time.Time, reason string) error

	// History lists the records of a run with Seq greater than after, in order.
	History(ctx context.Context, run string, after int64, limit int) ([]HistoryRow, error)
	// Runs lists runs, newest first. ErrNotFound where f.After is no run.
	Runs(ctx context.Context, f RunFilter) ([]RunRow, error)
	// Tasks lists the tasks of a run that have not ended, cancelled ones that
	// are held among them, in the order in which they were started.
	Tasks(ctx context.Context, run string) ([]TaskRow, error)
	// TaskOf gives the task that has a child, a cancelled one that it holds among them; ErrNotFound
	// where none has. Its cost does not depend on how many tasks the parent has.
	TaskOf(ctx context.Context, child string) (TaskRow, error)
	// Timers lists the timers of a run, by name.
	Timers(ctx context.Context, run string) ([]TimerRow, error)

	Overview

	// Close waits for what is under way. Closing again does nothing.
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
	Status     machine.Status
	Outcome    machine.Outcome
	Paused     bool
	Seq        int64
	Snapshot   json.RawMessage // canonical, by Machine.EncodeSnapshot
	Started    time.Time       // never changes: tells it from a pruned run of the same id
	Entered    time.Time       // its state
	Updated    time.Time       // by its last step

	// The run that it is a child of, empty for none, and the one at the top of that
	// tree, itself where there is no parent. The commit that creates a run says so, with an
	// empty Root for the run itself; what others say of it is passed over.
	Parent, Root string

	// Tags say what the run belongs to, by name; nil for none. The commit that creates a run
	// says them, and what others say of them is passed over.
	Tags map[string]string
}

// Awake reports whether the run's timers fire and its tasks are handed out.
func (r *RunRow) Awake() bool { return r.Status != machine.Halted && !r.Paused }

// HistoryRow is one record as stored.
type HistoryRow struct {
	Run    string
	Seq    int64
	At     time.Time
	Kind   machine.InputKind
	Input  string // as written in a trigger: "StartReview", "failed(timeout)", "after 24h"
	From   string // empty at start
	To     string
	Effect machine.Effect
	Record json.RawMessage // canonical, by Machine.EncodeRecord
}

// Report is what a child has used, all told, and what its parent knows of that, which is nil
// before the first time. A store compares the two, and knows nothing of what they mean.
// Do, Key and Attempt are of the task that has the child, and empty where that was cancelled.
type Report struct {
	Child, Parent string
	Total, Told   json.RawMessage
	Do, Key       string
	Attempt       int
}

// ReportQuery says which reports are meant: that of Child, or those of children of Parent, or all. Of
// several there are none of children that have ended and whose task has not: that ends with them.
type ReportQuery struct {
	Parent, Child string
}

// Never is the NotBefore of a task that can be claimed only when its child has ended.
var Never = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// TaskRow is one attempt of an activity: waiting, held, or cancelled and not
// yet confirmed. A run has at most one that is not cancelled for each do. A new one that
// has a Child takes that run over from the task that had it, by a repair or a migration;
// the store itself says then whether it has ended.
//
// A child may end while workers hold attempts that it has left. Its task goes on when those have stopped, or when
// their leases have run out: if it is cancelled, the child itself holds it under a lease as long as theirs,
// else that is its NotBefore.
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

	NotBefore    time.Time
	Epoch        int64  // fencing token: rises with each claim, never falls
	Worker       string // who holds it; empty for no one, and the id of a child that holds it after its end
	ClaimedAt    time.Time
	LeaseUntil   time.Time
	BeatAt       time.Time       // last sign of life, or the claim
	ProgressAt   time.Time       // last checkpoint, or the claim
	Lost         int             // how often a holder was lost
	Cancelled    bool            // and still held
	Child        string          // the run that holds it, or held it until it ended
	ChildEnded   bool            // it is finished
	Checkpoint   json.RawMessage // the execution's last
	CheckpointAt time.Time       // when it was made, by this attempt or an earlier one

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

// MayBeChild reports whether a run has an id as children have. Runs of old databases may, too.
func MayBeChild(run string) bool { return strings.Contains(run, "/") }

// ChildHolds reports whether a child that has not ended holds the task.
func (t *TaskRow) ChildHolds() bool { return t.Child != "" && !t.ChildEnded }

// Stopped reports whether the task has been cancelled, and at now neither a worker nor a child
// holds it any more. The row of one whose worker was lost stays for a while.
func (t *TaskRow) Stopped(now time.Time) bool {
	return t.Cancelled && !t.ChildHolds() && !t.Leased(now)
}

// Leased reports whether a worker holds the task at now, under a lease that runs.
func (t *TaskRow) Leased(now time.Time) bool { return t.Worker != "" && t.LeaseUntil.After(now) }

// ClaimQuery says which tasks a worker can take.
type ClaimQuery struct {
	Worker     string
	Now, Until time.Time   // until when the lease runs
	Limit      int         // 0 or less claims nothing
	Activities []Claimable // none claims nothing
	Run        string      // only of this run and those below it, whose ids begin with it and a slash; empty for any
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

	Ready   time.Time // when it can be taken: at once, after a wait, or when its lease has run out
	Attempt int       // how often it has been taken; fences off who took it before
	Worker  string    // who took it last; empty for no one
	Reason  string    // why the last attempt that came back failed
}

// MessageQuery says which messages a worker takes.
type MessageQuery struct {
	Worker     string
	Now, Until time.Time // until when the lease runs
	Limit      int       // 0 or less takes nothing
	Run        string    // as for a ClaimQuery
}

// RunFilter narrows Runs. Zero fields do not filter.
type RunFilter struct {
	Run         string // its id
	RunPrefix   string // how its id begins
	Machine     string
	State       string
	Status      machine.Status
	Outcome     machine.Outcome
	Paused      bool // only those that are
	Definition  string
	StartedFrom time.Time         // that time, or later
	StartedTo   time.Time         // before that time
	EnteredTo   time.Time         // in their state since before that time
	UpdatedTo   time.Time         // their last step was before that time
	Parent      string            // children of that run
	Root        string            // all runs of the tree that has that run at the top
	Tags        map[string]string // those that have all of these, with these values
	Limit       int
	After       string // the last run of the page before
}
