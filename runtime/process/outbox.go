package process

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// message is what a command gets on standard input.
type message struct {
	ID      string          `json:"id"`
	Run     string          `json:"run"`
	Machine string          `json:"machine"`
	Event   string          `json:"event"`
	Data    json.RawMessage `json:"data"`
	At      time.Time       `json:"at"`
	Attempt int             `json:"attempt"`
}

// Outbox delivers each message with a command, which the shell reads: one JSON
// object on standard input. That it exits with status 0 means that the message
// has been delivered; the end of its standard error says why it has not. What it
// prints is passed over. It is stopped like an activity.
func Outbox(command string) runtime.OutboxFunc {
	return func(ctx context.Context, m *runtime.Message) error {
		input, err := line(message{m.ID, m.Run, m.Machine, m.Event, m.Data, m.At, m.Attempt})
		if err != nil {
			return err
		}
		return run(ctx, shell(command), input, &output{early: func([]byte, bool) bool { return true }})
	}
}
