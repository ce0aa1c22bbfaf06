package temporal

import (
	"encoding/json"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// What Temporal takes as one payload is 2 MiB, and a workflow fails that gives more. So everything that goes into one is
// held to a part of it.
const (
	// maxPayload is the most bytes that a payload may have on its way here: Temporal keeps it several times, in one
	// record with what else there is. The client and the worker hold to it, who bring payloads, and not the workflow, which is
	// replayed.
	maxPayload = 512 << 10

	maxData        = 1 << 20   // of JSON that a run holds, in all: machine.WithMaxData
	maxDefinitions = 256 << 10 // of a machine and those that it calls, which a run carries with it
	maxArguments   = 1 << 20   // of one attempt
	maxPart        = 1 << 20   // of records that one answer gives
	maxInput       = 1_900_000 // of what an execution starts with
)

// oversized refuses a payload.
func oversized(kind machine.InputKind, event string, payload json.RawMessage) error {
	if why := machine.Oversized(payload, maxPayload); why != "" {
		return &machine.Rejected{Input: kind, Event: event, Why: why}
	}
	return nil
}

// overlong says of arguments that Temporal does not take them as the input of an activity or a child.
func (r *run) overlong(args json.RawMessage) error {
	if r.in.MaxData > 0 && len(args) > maxArguments {
		return fmt.Errorf("its arguments have %d bytes, more than the %d that Temporal takes: keep large data elsewhere, and give it a reference", len(args), maxArguments)
	}
	return nil
}
