package machine

import "time"

// InputKind says what an Input is.
type InputKind string

const (
	StartInput   InputKind = "start"
	EventInput   InputKind = "event"   // an external event
	ResultInput  InputKind = "result"  // an activity raised an event, or ended with nothing to say
	FailureInput InputKind = "failure" // an attempt failed
	TimerInput   InputKind = "timer"
	DoneInput    InputKind = "done"
	KeptInput    InputKind = "kept" // a deferred event is looked at again
	CancelInput  InputKind = "cancel"

	OverBudgetInput InputKind = "over_budget" // a cost has passed its budget, or would

	// Of runs that are held to a budget alone:
	BeginInput InputKind = "begin" // an attempt is about to begin
	SpentInput InputKind = "spent" // an attempt says on its way what it has used

	ProgressInput InputKind = "progress" // a checkpoint, where `idle` timers run
	PauseInput    InputKind = "pause"
	ResumeInput   InputKind = "resume"
	RetryInput    InputKind = "retry" // an operator asks for another try
	RepairInput   InputKind = "repair"
	MigrateInput  InputKind = "migrate" // the run goes on with another definition
	LateInput     InputKind = "late"    // what an attempt returned that is not current any more
	LostInput     InputKind = "lost"    // an attempt's worker was lost, and the attempt is handed out again
	ReturnInput   InputKind = "return"  // an attempt was released that had used something, and is handed out again
	ToldInput     InputKind = "told"    // a child tells what it has used
	StoppedInput  InputKind = "stopped" // the children of a run that is ending have ended
)

// Input is what a run is given. Event payloads and parameters have been
// decoded against the definition: one value for each field, in its order.
type Input struct {
	Kind  InputKind
	Event int     // of event, result (-1: nothing to say) and kept
	Data  []Value // payload of event, result and kept; parameters of start

	Do      int    // of result, failure, late, lost, begin and spent; of told where the attempt is open
	Index   int    // of the same: the element, where the do has a Fan; else 0
	Key     string // of the same: the execution
	Attempt int    // of the same

	Worker string        // of result, failure, late, lost, begin and spent: who held the attempt
	Took   time.Duration // of the same: from its claim until it returned or was lost
	Cost   []Cost        // of the same but begin: what the attempt has used since it last said so, by name
	Below  []Cost        // of told, and of what ends a child: what that and those below it have used since it last said so, by name
	// Uncounted is what it has reported besides, as it did: names or amounts that are
	// none, or beyond the limits of the run. It decides nothing.
	Uncounted []Cost

	Category int    // of failure
	Message  string // of failure; of late: what was returned

	// Checkpoint says of lost, and of a failure because nothing was heard of the attempt, that the next one
	// begins with a checkpoint. It decides nothing.
	Checkpoint bool

	Stderr string // of failure: the end of what the attempt wrote to standard error; decides nothing

	Over  string    // of over_budget: the cost
	Allow bool      // of retry: the run goes on over the budget that has halted it
	Timer int       // of timer
	Since time.Time // of progress: when the checkpoint was made
	Force bool      // of cancel: end the run even where a state handles cancel
	State int       // of retry of a finished run: the leaf in which it failed; else 0

	Migration *Migration // of migrate
	Token     string     // of start: what tells the run apart; see Snapshot.Token
	Semantics int        // of start: see Snapshot.Semantics
	Above     []string   // of the start of a child; see Snapshot.Above

	Queued bool // of event, result and failure: it came while the run was paused

	// Who sent it, why, and under which id. They stand in the record and
	// decide nothing.
	ID     string
	Actor  string
	Reason string
}

// Ask puts a host guard's question to the host. An error rejects an external
// event and halts the run for any other input.
type Ask func(guard int, args []Value) (bool, error)

// CommandKind says what a Command asks of the engine.
type CommandKind string

const (
	StartTask  CommandKind = "start-task"
	CancelTask CommandKind = "cancel-task"
	EndTask    CommandKind = "end-task"   // its result or failure was taken
	ReadyTask  CommandKind = "ready-task" // it waits no more; who has it by now keeps it
	SetTimer   CommandKind = "set-timer"
	DropTimer  CommandKind = "drop-timer"
	SendOut    CommandKind = "publish"
	Finish     CommandKind = "finish"
)

// Command is one thing that makes a step real. All commands of a step are
// carried out in the same durable write as its snapshot, or not at all.
type Command struct {
	Kind CommandKind
	Seq  int64 // of the step: the Seq of its record

	Task Task // of start-task, cancel-task, end-task and ready-task

	Timer int       // of set-timer and drop-timer
	Due   time.Time // of set-timer

	Event   int     // of publish
	Data    []Value // of publish
	Message string  // of publish: the stable id of the message

	Outcome Outcome // of finish
}

// Effect says in one word what a step did.
type Effect string

const (
	Moved    Effect = "moved"
	Retried  Effect = "retried"
	Stayed   Effect = "stayed"
	Ignored  Effect = "ignored"
	Deferred Effect = "deferred"
	Dropped  Effect = "dropped" // a deferred event that nothing took
	Ended    Effect = "ended"   // an activity ended with nothing to say
	HaltedBy Effect = "halted"
	Stopped  Effect = "cancelled" // cancel that no state handles: the run ends where it stands

	Begun Effect = "begun" // an attempt may begin
	Held  Effect = "held"  // it may not yet: a cost would pass its budget
	Noted Effect = "noted" // what an attempt has used on its way

	Restarted Effect = "restarted" // `idle` timers started again
	Paused    Effect = "paused"
	Resumed   Effect = "resumed"
	Queued    Effect = "queued"    // it came while the run was paused, and is taken when it resumes
	Refused   Effect = "refused"   // a late result
	Reissued  Effect = "handed-on" // an attempt whose worker was lost, or released it
	Repaired  Effect = "repaired"
	Migrated  Effect = "migrated"
	Over      Effect = "finished" // a run that was ending, by the end of its children
)

// Record is one line of history: what came, what it met, and what was done.
// Replaying the inputs of a run's records, with their times and verdicts, over
// its definition gives its snapshot, bit for bit.
type Record struct {
	Seq    int64
	At     time.Time
	Input  Input
	From   int // the leaf before, -1 at start
	To     int // the leaf after
	Visit  int64
	Effect Effect

	Arm       int // the arm taken; -1 where none was
	Count     int64
	Passed    []Passed  // arms tried before it, and why they were passed over
	Verdicts  []Verdict // of host guards
	Redirects []int     // leaves that a false `require` turned away from, in order
	Wait      time.Duration
	Held      time.Duration // how long the run had been in From
	Returns   []Value       // of a move into a terminal that returns values: these
	Cause     *Cause        // of a halt, and of what is dropped from the queue; else nil
}

// Passed is an arm that was tried and not taken.
type Passed struct {
	Arm int
	Why PassedWhy
}

// Verdict is a host guard's answer.
type Verdict struct {
	Guard  int
	Args   []Value
	Answer bool
}
