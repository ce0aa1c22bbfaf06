package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// outcome is how a call of an activity ended, in plain values: nothing in it is the
// user's any more, so that whoever reads it calls no method that may panic.
type outcome struct {
	end      end
	event    string          // of a result
	data     json.RawMessage // of a result
	fault    string          // why the data of a result has no JSON form
	category string          // of a failure; empty for an error that names none
	message  string          // of a failure, or why the attempt was declined
	cost     map[string]json.Number
}

// end is what an outcome means. Their order is that of the columns of endings.
type end int

const (
	gaveResult end = iota
	gaveFailure
	gaveDecline
	lostItsWorker
	goesOn // it was told to stop, and has not returned
)

// failed is the outcome of a call that ended with neither a result nor an error.
func failed(message string) outcome { return outcome{end: gaveFailure, message: message} }

// outcomeOf reads what an activity returned. It belongs into the goroutine of the
// call, because it calls the methods of errors and data, which may panic, hang or
// end the goroutine just as the activity itself may.
func outcomeOf(result *Result, err error) outcome {
	out := outcome{event: result.Event, cost: maps.Clone(result.Cost)}
	if err == nil {
		if result.Event == "" {
			return out
		}
		if out.data, err = rawJSON(result.Data); err != nil {
			out.fault = err.Error()
		}
		return out
	}
	out.end, out.message = gaveFailure, errorText(err)
	var failure *Failure
	if why := kindOf(err, &out.end, &failure); why != "" {
		out.message += " (" + why + ")"
	}
	if failure != nil {
		out.category, out.cost = failure.Category, maps.Clone(failure.Cost)
		if before, after, said := strings.Cut(out.message, failure.Error()); said { // what it is wrapped in says more
			out.message = before + failure.Message + after
		} else {
			out.message = failure.Message
		}
	}
	return out
}

// kindOf finds out what an error means, or says why that cannot be found out.
func kindOf(err error, end *end, failure **Failure) (why string) {
	var declined *declined
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprintf("what it wraps cannot be read: %s", panicText(p))
		}
	}()
	switch {
	case errors.Is(err, ErrWorkerLost):
		*end = lostItsWorker
	case errors.As(err, &declined) && declined != nil:
		*end = gaveDecline
	default:
		errors.As(err, failure)
	}
	return ""
}

// rawJSON is the data of an event as a copy of its own.
func rawJSON(data any) (json.RawMessage, error) {
	switch data := data.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return bytes.Clone(data), nil
	}
	encoded, err := EncodeFields(data)
	if string(encoded) == "null" { // a nil map or pointer
		encoded = nil
	}
	return encoded, err
}

// input is the end of a task's attempt for its run: of a result that does not fit a failure.
func (out *outcome) input(m *Machine, t *machine.Task, maxPayload int) machine.Input {
	if out.end != gaveResult {
		return m.FailureInput(t, out.category, out.message)
	}
	in, err := m.ResultInput(t, out.event, out.data, maxPayload)
	switch {
	case out.fault != "" && in.Event >= 0:
		return m.FailureInput(t, "unknown", fmt.Sprintf("the result does not fit: event %q: its data has no JSON form: %s", out.event, out.fault))
	case err != nil:
		return m.FailureInput(t, "unknown", "the result does not fit: "+err.Error())
	}
	return in
}
