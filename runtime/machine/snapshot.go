package machine

import "time"

// Snapshot is everything that is known of one run. It is a value: Step never
// changes the one it is given. Slices over fields, arms and dos are indexed as
// in the Definition. Its canonical JSON is written by Machine.EncodeSnapshot.
type Snapshot struct {
	Run       string // the run's id
	Token     string // tells it apart from pruned runs of that id, in keys and ids of messages; lower-case letters and digits, or empty
	Semantics int    // the version of its steps; 0 for the first
	Seq       int64  // number of history records so far
	State     int    // the leaf, or the terminal
	Visit     int64  // number of leaves entered so far; names the present visit

	Status  Status
	Outcome Outcome // of a finished run

	Started time.Time
	Entered time.Time // when State was entered
	Now     time.Time // time of the last step: time never runs backwards

	Params   []Value
	Data     []Value
	Counters []int64 // by arm: how often its bound has been used in its scope

	Tasks      []Task      // the activities of the visit, by their dos and elements
	Lists      []List      // of the visit: those whose elements activities run for, by their dos
	Tries      []Tries     // what elements have used of the bounds of retries, by do, element and arm
	Executions []Execution // open executions that outlive a visit (`do … per S`), by their dos and elements
	Alarms     []Alarm     // the timers that are running
	Kept       []Kept      // deferred events, in the order in which they came
	KeptNext   int         // how many of Kept have been looked at since a state was last entered

	DoneDue   bool // done is the next input
	Cancelled bool // cancel has been taken
	Halt      *Halt
	PausedAt  time.Time // zero unless paused
	Queue     []Input   // results, failures and events that came while paused
	Late      int64     // refused results and lost workers that stand in history
	Versions  []Version // earlier definitions of the run, in order
	Spent     []Cost    // what the run's attempts have used, sorted by name
	Uncounted int64     // costs that they have reported, and that count for nothing

	// Of runs that are held to a budget alone:
	OverDue  []string // costs for which over_budget is the next input, by name
	OverDone []string // costs for which it has been taken, which hold nothing back any more, by name
	Stopping []Task   // begun attempts whose state was left, and of whose end nothing is known

	Above []string // of a child: the costs to whose budgets runs above it are held, by name

	// Of runs that call machines alone:
	Left   bool // a child may go on although the run has nothing more to do with it
	Forced bool // of one that is ending: its children are cancelled with force

	Seed uint64 // of all jitter of the run
}

// keys is what the idempotency keys and the ids of the messages of a run begin with.
// It ends in a slash. Runs that were started before there were tokens have their id
// alone there.
func (s *Snapshot) keys() string {
	if s.Token == "" {
		return s.Run + "/"
	}
	return s.Run + "@" + s.Token + "/"
}

// isToken reports whether a text can be one. None is the empty token.
func isToken(text string) bool {
	for _, c := range text {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(text) <= maxToken
}

// maxToken is the most bytes that a token may have.
const maxToken = 32

// Status says whether a run goes on.
type Status string

const (
	Running  Status = "running"
	Halted   Status = "halted" // an input could not be taken; see Halt
	Ending   Status = "ending" // it is over, but child runs of it are not
	Finished Status = "finished"
)

// TaskState says where an activity of the visit stands.
type TaskState string

const (
	TaskOpen    TaskState = "open"    // an attempt runs, or will at NotBefore
	TaskWaiting TaskState = "waiting" // an element has no place to run in: it has not begun, or it is tried again from NotBefore on
	TaskEnded   TaskState = "ended"   // it has nothing more to say
)

// Task is one activity of the present visit, or one of its elements. Key is the
// idempotency key of its execution, the same over all attempts of it. An element that
// has not begun, or has ended, has no Key and no Attempt.
type Task struct {
	Do        int
	Index     int // of the element, where the do has a Fan; else 0
	State     TaskState
	Key       string
	Attempt   int       // from 1, counted within the execution
	NotBefore time.Time // a retry waits until then; zero for at once

	// Of runs that are held to a budget alone:
	Begun    string // the worker with which the attempt has begun; empty where it has not
	Reported []Cost // what it has used since then, as far as it has said on its way, by name
	Assumed  []Cost // what it was counted with when the run ended without knowing, by name
}

// List is the list whose elements a do with a Fan runs for, as it was when the leaf was
// entered.
type List struct {
	Do    int
	Items Value
	Seq   int64 // of the step that entered the leaf
}

// Tries is how often an element has used the bound of a retry.
type Tries struct {
	Do, Index, Arm int
	Used           int64
}

// Execution is an execution that may be continued in a later visit.
type Execution struct {
	Do      int
	Index   int // of the element, where the do has a Fan; else 0
	Key     string
	Attempt int    // the last attempt started
	Item    string // a digest of the element
}

// Alarm is a running timer.
type Alarm struct {
	Timer int
	Due   time.Time
	Wait  time.Duration // of an `idle` one that is no deadline: with which it starts again, before jitter
}

// Version is a definition with which a run went on up to a record.
type Version struct {
	Definition string // hash
	Until      int64  // Seq of the last record that is of it
}

// Kept is a deferred event.
type Kept struct {
	Event int
	Data  []Value
	ID    string // the sender's event id
}

// Halt is why a run stands still, and the input that it could not take.
type Halt struct {
	Cause *Cause
	Input Input
}
