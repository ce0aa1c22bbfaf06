package runtime

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// This file serves generated code, which is typed where the engine is not.

// MustCompile compiles a definition in its JSON form, for definitions that are part of a program.
// It panics if the definition is damaged.
func MustCompile(definition string) *Machine {
	m, err := compile([]byte(definition))
	if err != nil {
		panic(fmt.Sprintf("runtime: %v", err))
	}
	return m
}

func compile(definition []byte) (*Machine, error) {
	d, err := machine.ParseDefinition(definition)
	if err != nil {
		return nil, err
	}
	return machine.Compile(d)
}

// SendOption says something about the sending of an event.
type SendOption func(*ExternalEvent)

// NewEvent is the event called name, with the object of its fields.
func NewEvent(name string, data json.RawMessage, options ...SendOption) ExternalEvent {
	e := ExternalEvent{Name: name, Data: data}
	for _, option := range options {
		option(&e)
	}
	return e
}

// WithEventID makes sending idempotent: see ExternalEvent.ID.
func WithEventID(id string) SendOption { return func(e *ExternalEvent) { e.ID = id } }

// WithActor says in history who sent the event.
func WithActor(name string) SendOption { return func(e *ExternalEvent) { e.Actor = name } }

// WithReason says in history why the event was sent.
func WithReason(why string) SendOption { return func(e *ExternalEvent) { e.Reason = why } }

// IfSeq lets the run refuse the event if its sequence number is not seq.
func IfSeq(seq int64) SendOption { return func(e *ExternalEvent) { e.IfSeq = seq } }

// EncodeJSON is json.Marshal without the escapes for HTML, so that a value of type json does not
// change. If a method of the value panics, that is an error.
func EncodeJSON(v any) (encoded json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			encoded, err = nil, errors.New(panicText(p))
		}
	}()
	if encoded, err = machine.EncodeJSON(v); err != nil {
		return nil, plain(err) // it may wrap one of the value's own
	}
	return encoded, nil
}
