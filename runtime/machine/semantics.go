package machine

import (
	"errors"
	"fmt"
)

// Semantics is the version of what Step does. It is raised by a change of what a step gives for any
// input that a run may have in its history: runs are replayed, and some engines live by that. A run
// keeps the version with which it has started, and the steps of older versions stay.
const Semantics = 1

// newest is Semantics, but in tests of what becomes of versions.
var newest = Semantics

// ErrNewer says that a run has steps of a version that this program does not know.
var ErrNewer = errors.New("the run was written by a newer fsmc")

// Option sets something of a Machine that Compile makes.
type Option func(*Machine) error

// WithSemantics lets new runs start with steps of that version, which is Semantics unless said.
func WithSemantics(version int) Option {
	return func(m *Machine) error {
		if version < 1 || version > newest {
			return fmt.Errorf("there are no steps of version %d, only of 1 to %d", version, newest)
		}
		m.semantics = version
		return nil
	}
}

// sinceFirst is a version as it is kept with a run: 0 for the first, which was there before it was kept.
func sinceFirst(version int) int {
	if version == 1 {
		return 0
	}
	return version
}

// semantics is a version. The first is never written.
func (c *coder) semantics(to *int) {
	if !c.begins("semantics", *to != 0) {
		return
	}
	switch count(c, to); {
	case !c.reads():
	case *to > newest:
		c.err = fmt.Errorf("%w: its steps are of version %d, and this program knows them up to version %d", ErrNewer, *to, newest)
	case *to < 2:
		c.err = fmt.Errorf("there are no steps of version %d", *to)
	}
	c.ends()
}
