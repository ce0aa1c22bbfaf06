package temporal

import (
	"context"
	"sync"

	"go.temporal.io/sdk/client"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// versions are those of a machine that a worker has met.
type versions struct {
	client  client.Client // asks a run for its definition; nil: there are those alone that the worker has
	has     library
	current Callee

	mu     sync.Mutex
	others map[string]Callee // by hash
}

// find gives the version by which an attempt was begun, with those of the functions that fit it. It has none
// where the worker has not the machine, or nobody can be asked for the definition.
func (v *versions) find(ctx context.Context, c *Call) (found Callee) {
	if v == nil {
		return Callee{}
	}
	if c.Definition == v.current.Machine.Hash() {
		return v.current
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	found, ok := v.others[c.Definition]
	d := v.has[c.Definition]
	if ok || v.client == nil && d == nil {
		return found
	}
	var err error
	if d != nil {
		found.Machine, err = machine.Compile(d)
	} else if encoded, lost := queryOf(ctx, v.client, c.Run).definition(c.Definition); lost != nil {
		err = lost
	} else {
		found.Machine, err = compile(encoded)
	}
	if err != nil { // it is asked for again
		return Callee{}
	}
	found.Handlers, _ = v.current.Handlers.Match(v.current.Machine.Definition(), found.Machine.Definition())
	v.others[c.Definition] = found
	return found
}
