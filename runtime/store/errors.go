package store

import (
	"errors"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Errors of single runs.
var (
	ErrNotFound = errors.New("no such run")
	ErrConflict = machine.ErrConflict
)

// ErrClosed is the error of every method of a store that has been closed.
var ErrClosed = errors.New("the store is closed")

// ErrStoreStopped is the error of every write to a store that writes nothing more until it
// is opened again. A worker ends with it: there is nothing that it can do.
var ErrStoreStopped = errors.New("the store has stopped writing")

// ErrUnavailable is wrapped by errors of a store that pass: the disk is full, another
// program has locked it, it does not answer in time. A worker waits for as long as they
// last.
var ErrUnavailable = errors.New("the store cannot do it now")

// Unavailable is an ErrUnavailable in other words.
func Unavailable(text string) error { return unavailable(text) }

type unavailable string

func (e unavailable) Error() string { return string(e) }

func (e unavailable) Is(target error) bool { return target == ErrUnavailable }

// ErrUnknown is wrapped by the error of a write of which it is not known whether it has
// been made, because the store does not answer, or has failed in the middle. An event
// with an id can be sent again.
var ErrUnknown = errors.New("whether it was written is not known")

// NotFound is an ErrNotFound of something that is no run: a "definition", a
// "message".
func NotFound(kind, name string) error { return &notFound{kind, name} }

type notFound struct{ kind, name string }

func (e *notFound) Error() string { return fmt.Sprintf("no such %s: %q", e.kind, e.name) }

func (e *notFound) Is(target error) bool { return target == ErrNotFound }
