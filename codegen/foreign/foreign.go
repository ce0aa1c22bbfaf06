// Package foreign is what readers and writers of other people's formats share: a
// tree of JSON or YAML with the line of each value, names that are made valid, a
// draft of machines that is printed as source text, and the report of what a reader
// or a writer could not carry over.
//
// In the order in which to read them: report.go says what came over, value.go reads
// JSON and YAML, names.go makes names, draft.go prints machines. Each format is a
// folder below this one. What XState and SCXML have in common is chart for readers, and
// plan for writers.
package foreign

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Source reads machines of one format.
type Source struct {
	Name    string // as the command line calls it: "asl"
	Summary string // what it is, in a few words
	// Read makes machines of text. name is what the machine is called where the text
	// does not say. An *Error says where text cannot be read.
	Read func(name string, text []byte) (*Result, error)
}

// Target writes machines in one format.
type Target struct {
	Name    string // as the command line calls it: "xstate"
	Summary string // what it is, in a few words
	// Write makes a text of a machine without errors of names and types, and of those that it
	// calls, which are Writable. The same machine gives the same text.
	Write func(*ir.Machine) *Result
}

// Writable is an error for a machine that no Target writes: it, or one that it calls, has no
// state to begin in.
func Writable(m *ir.Machine) error {
	if m.Root.Leaf() == nil {
		return fmt.Errorf("machine %q has no state to begin in", m.Name)
	}
	for _, a := range m.Activities {
		if a.Machine != nil && a.Machine != m {
			if err := Writable(a.Machine); err != nil {
				return err
			}
		}
	}
	return nil
}

// Result is what a Source or a Target has made.
type Result struct {
	Text   []byte // of a Source: in canonical form
	Report *Report
}

// MaxBytes is the longest text that is read, MaxDepth how deep its values may be
// nested, MaxValues how many it may have.
const (
	MaxBytes  = 16 << 20
	MaxDepth  = 100
	MaxValues = 1_000_000
)

// Error says what is wrong with a text and where. Lines and columns count from 1;
// 0 is unknown.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Message
	case e.Column == 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Errorf makes an Error at a value.
func (v *Value) Errorf(format string, args ...any) error {
	e := &Error{Message: fmt.Sprintf(format, args...)}
	if v != nil {
		e.Line, e.Column = v.Line, v.Column
	}
	return e
}

// Finish prints the machines of d.
func Finish(d *Draft, r *Report) (*Result, error) {
	text, problems := lang.Format("imported.fsm", []byte(d.Text()))
	if problems.HasErrors() {
		return nil, fmt.Errorf("the machine that was made cannot be read: %s (this is a bug of fsmc)", problems[0].Message)
	}
	for _, m := range d.Machines {
		r.Machines = append(r.Machines, m.Name)
	}
	return &Result{Text: text, Report: r}, nil
}
