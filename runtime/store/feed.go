package store

import (
	"encoding/json"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// FeedRow is a record in the history of all runs.
type FeedRow struct {
	ID      int64  // its position
	Machine string // of its run
	HistoryRow
}

// MarshalJSON gives what has happened, without the record itself. The form is stable.
func (f FeedRow) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID      int64          `json:"id"`
		Run     string         `json:"run"`
		Machine string         `json:"machine"`
		Seq     int64          `json:"seq"`
		At      time.Time      `json:"at"`
		Input   string         `json:"input"`
		From    string         `json:"from"` // empty at the start
		To      string         `json:"to"`
		Effect  machine.Effect `json:"effect"`
	}{f.ID, f.Run, f.Machine, f.Seq, f.At.UTC(), f.Input, f.From, f.To, f.Effect})
}
