package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// pulse is what an attempt says on its way: that its worker lives, with the last checkpoint, which would
// else be gone. That the activity lives, Perform watches. The SDK's own heartbeats are gathered: one that
// waits could overwrite a later checkpoint. So with a client all go by it, one after the other.
type pulse struct {
	client client.Client // nil: there are no checkpoints
	token  []byte
	key    string
	cancel context.CancelFunc // of the attempt

	mu     sync.Mutex
	last   json.RawMessage
	number int       // of checkpoints in this attempt
	made   time.Time // the last of them
}

// beat says that the worker lives.
func (p *pulse) beat(ctx context.Context) {
	for ticker := time.NewTicker(lease / 3); ; {
		select {
		case <-ctx.Done():
			ticker.Stop()
			return
		case <-ticker.C:
			p.mu.Lock()
			_ = p.say(ctx, p.last) // the next one is due soon; the lease is three of them
			p.mu.Unlock()
		}
	}
}

// checkpoint stores one before it returns nil.
func (p *pulse) checkpoint(ctx context.Context, data json.RawMessage) error {
	if why := machine.Oversized(data, maxPayload); why != "" {
		return errors.New("a checkpoint: " + why)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before, made := p.number, p.made
	p.number, p.made = before+1, time.Now()
	if err := p.say(ctx, data); err != nil {
		p.number, p.made = before, made
		return err
	}
	p.last = data
	return nil
}

// say gives the server a checkpoint, which it keeps until the activity is over. The server says in return
// that the attempt is cancelled.
func (p *pulse) say(ctx context.Context, data json.RawMessage) error {
	if p.client == nil {
		activity.RecordHeartbeat(ctx)
		return nil
	}
	err := p.client.RecordActivityHeartbeat(ctx, p.token, data, p.mark())
	if temporal.IsCanceledError(err) {
		p.cancel()
		return nil
	}
	return err
}

// mark is for who holds mu.
func (p *pulse) mark() mark {
	if p.number == 0 {
		return mark{}
	}
	return mark{p.key, p.number, time.Since(p.made)}
}

func (p *pulse) current() (json.RawMessage, mark) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last, p.mark()
}
