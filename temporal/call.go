package temporal

import (
	"encoding/json"
	"time"
)

// Call is what an activity is given.
type Call struct {
	Run        string          `json:"run"`
	Machine    string          `json:"machine"`
	Activity   string          `json:"activity"`
	Definition string          `json:"definition"` // its hash
	Do         string          `json:"do"`
	Key        string          `json:"key"`
	Attempt    int             `json:"attempt"`
	Args       json.RawMessage `json:"args"`
	Started    time.Time       `json:"started"` // of the run
	Visit      int64           `json:"visit"`
	Timeout    time.Duration   `json:"timeout,omitempty"` // in nanoseconds, as all durations here
	Heartbeat  time.Duration   `json:"heartbeat,omitempty"`
	Progress   time.Duration   `json:"progress,omitempty"`
	Checkpoint json.RawMessage `json:"checkpoint,omitempty"` // the last one under that key

	IdempotencyKey string `json:"idempotency_key"` // Key, as executables know it

	Limiter string `json:"limiter,omitempty"` // the workflow that wants to know when the attempt begins
	Place   string `json:"place,omitempty"`   // that of the attempt
}

// Answer is what an activity returns. One in another language may leave End out, and answer as an executable does: with an
// event and its data, with nothing, or with Failed or Declined.
type Answer struct {
	End      string                 `json:"end"` // result, failed, declined or lost
	Failed   string                 `json:"failed,omitempty"`
	Declined string                 `json:"declined,omitempty"`
	Event    string                 `json:"event,omitempty"`
	Data     json.RawMessage        `json:"data,omitempty"`
	Category string                 `json:"category,omitempty"`
	Message  string                 `json:"message,omitempty"`
	Cost     map[string]json.Number `json:"cost,omitempty"`
	Worker   string                 `json:"worker,omitempty"`
	Took     time.Duration          `json:"took,omitempty"`
	Stderr   string                 `json:"stderr,omitempty"`

	Checkpoint json.RawMessage `json:"checkpoint,omitempty"` // the last one
	Mark       mark            `json:"mark,omitzero"`        // of it
}

// complete is for an answer without End.
func (a *Answer) complete() {
	switch {
	case a.End != "":
	case a.Failed != "":
		a.End, a.Category = endFailed, a.Failed
	case a.Declined != "":
		a.End, a.Message = endDeclined, a.Declined
	default:
		a.End = endResult
	}
}

const (
	endResult   = "result"
	endFailed   = "failed"
	endDeclined = "declined"
	endLost     = "lost"

	endElsewhere = "elsewhere" // the worker has not that version of the activity
)
