package store

import (
	"encoding/json"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Duplicate is the machine.ErrDuplicate of a Commit, with what is told to who sends the event
// a second time.
type Duplicate struct{ Answer json.RawMessage }

func (d *Duplicate) Error() string        { return machine.ErrDuplicate.Error() }
func (d *Duplicate) Is(target error) bool { return target == machine.ErrDuplicate }

// Conflict is an ErrConflict of a Commit with the run as it stands.
type Conflict struct{ Run RunRow }

func (c *Conflict) Error() string        { return ErrConflict.Error() }
func (c *Conflict) Is(target error) bool { return target == ErrConflict }
