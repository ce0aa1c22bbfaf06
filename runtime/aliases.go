package runtime

import (
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// What programs need of the packages below, so that most import this one alone.

type (
	Machine       = machine.Machine
	Definition    = machine.Definition
	ExternalEvent = machine.ExternalEvent
	Completion    = machine.Completion
	Operator      = machine.Operator
	Mapping       = machine.Mapping
	View          = machine.View
	StepView      = machine.StepView
	StepInfo      = machine.StepInfo
	Rejected      = machine.Rejected
	Difference    = machine.Difference
	InputKind     = machine.InputKind
	Effect        = machine.Effect
	Status        = machine.Status
	Outcome       = machine.Outcome

	Store      = store.Store
	RunFilter  = store.RunFilter
	RunRow     = store.RunRow
	FeedRow    = store.FeedRow
	PruneQuery = store.PruneQuery
	Pruned     = store.Pruned
)

// Whether a run goes on, and how it has ended.
const (
	Running  = machine.Running
	Halted   = machine.Halted
	Ending   = machine.Ending
	Finished = machine.Finished

	Success   = machine.Success
	Failed    = machine.Failed
	Cancelled = machine.Cancelled
)

// MaxPayload is the most bytes that one JSON payload may have.
const MaxPayload = machine.MaxPayload

// Errors that callers tell apart with errors.Is.
var (
	ErrNotFound    = store.ErrNotFound
	ErrConflict    = store.ErrConflict
	ErrExists      = machine.ErrExists
	ErrFenced      = machine.ErrFenced
	ErrDuplicate   = machine.ErrDuplicate
	ErrFinished    = machine.ErrFinished
	ErrHalted      = machine.ErrHalted
	ErrUnavailable = store.ErrUnavailable
	ErrUnknown     = store.ErrUnknown
)
