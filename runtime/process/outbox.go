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
	give := Give(command)
	return func(ctx context.Context, m *runtime.Message) error {
		return give(ctx, message{m.ID, m.Run, m.Machine, m.Event, m.Data, m.At, m.Attempt})
	}
}

// Give gives values to a command, as Outbox gives messages: each as one line of JSON.
func Give(command string) func(context.Context, any) error {
	return func(ctx context.Context, v any) error {
		input, err := line(v)
		if err != nil {
			return err
		}
		return run(ctx, shell(command), input, newOutput(func([]byte, bool) bool { return true }))
	}
}
