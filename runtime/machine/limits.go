package machine

import "time"

// Limits of what a run may hold and of what it may do at once. They keep every
// snapshot, record and message at a size that any store can take.
const (
	// MaxPayload is the most bytes that one JSON payload may have (an event,
	// a result, the parameters of a start), and that one value may take.
	MaxPayload = 1 << 20
	// MaxNesting is how deep the JSON of a payload may be nested, and a type.
	MaxNesting = 200
	// storedNesting is how deep a run may be nested as it is stored, which is a
	// payload, in lists that a machine has made of it, in what is around them. The
	// deepest is a deferred event in the snapshot of a migration: a record, its
	// input, the snapshot, the list, the event. SQLite reads 1000 levels.
	storedNesting = 2*MaxNesting + 8
	// MaxData is about how many bytes all context fields of a run may take
	// together: each value counts its text and 16 bytes, lists their items.
	MaxData = 4 << 20
	// MaxKept is how many events a run may keep deferred, and how many may wait
	// while it is paused.
	MaxKept = 1000
	// MaxKeptData is about how many bytes they may take together.
	MaxKeptData = 4 << 20
	// MaxElements is the most elements for which one do runs.
	MaxElements = 1000
	// MaxMessage is the length in bytes to which the message of a failure is
	// cut.
	MaxMessage = 64 << 10
	// MaxStderr is how many bytes are kept of the end of what a failed attempt wrote to
	// standard error.
	MaxStderr = 8 << 10
	// MaxLate is how many late results, lost workers and attempts released of one
	// run are recorded. Those beyond it are refused, and passed on, all the same.
	MaxLate = 100
	// MaxNote is the most bytes that the name of who did something, and the
	// reason, may have.
	MaxNote = 4 << 10
	// MaxFollowing is how many steps may follow at once from one input (done,
	// timers without a wait) before the run is halted. Kept events do not
	// count: each is taken once, and there are no more than MaxKept.
	MaxFollowing = 1000
)

// Times lie in the years 1 to 9999, the range of RFC 3339 without the year 0.
var (
	minTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	maxTime = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC).UnixMicro()
)
