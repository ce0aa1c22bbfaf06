// Package diag holds what fsmc has to say about a source text, and the
// renderers that say it: to a person, as JSON, and to other tools.
package diag

import (
	"cmp"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// Severity says how much a diagnostic weighs. Only an Error stops gen and run.
type Severity int

const (
	Hint Severity = iota
	Warning
	Error
)

// String is "hint", "warning" or "error".
func (s Severity) String() string {
	return [...]string{"hint", "warning", "error"}[s]
}

// Diagnostic is one finding.
//
// Message is lower case, without a full stop, names in quotes, the fault
// first. Help is a whole sentence that says what to do; it may be empty.
type Diagnostic struct {
	Rule     string // kebab-case, one of the rules `fsmc explain` lists
	Severity Severity
	Machine  string // empty outside any machine
	Span     token.Span
	Message  string
	Help     string
	Related  []Related
	Witness  *Witness
	Fixes    []Fix
}

// Related is a second place that belongs to a finding.
type Related struct {
	Span    token.Span
	Message string
}

// Witness is the run, or the values, that show a finding to be true.
type Witness struct {
	Params map[string]any  // parameters of the run, in their JSON forms
	Values map[string]any  // data at the end of the path, or values that satisfy the guards in question
	Path   []Step          // empty where values alone are the witness
	Loop   int             // row of Path to which a cycle returns, -1 where there is none
	Rest   map[string]any  // the other parameters, with plain values: json alone has them
	Guards map[string]bool // what host guards say as the run starts
	Source any             `json:"-"` // where it comes from: the run in the form of the checker, see witness.Of
}

// Step is one row of a witness: in State, Input arrives. The last row has no
// Input: it is the state in which the path ends.
type Step struct {
	State  string
	Input  string         // as written in a trigger: "StartReview", "failed(timeout)", "after 1m0s", "done"
	Data   map[string]any // payload of the input, where it matters
	Rest   map[string]any // the rest of the payload, with plain values: json alone has it
	Guards map[string]bool
	At     string // a Go duration since the start of the run

	Children []Child // the runs that end with the input, or are cancelled by it
}

// Child is a run that the run of a Witness starts.
type Child struct {
	Do       string         // what starts it: "review[2]"
	Machine  string         // its name
	Given    map[string]any // its parameters
	Terminal string         // in which it ends
	Ends     string         // of one that ends in no terminal: "cancelled", "timeout", or "unknown" where it cannot start; else empty
	Run      *Witness       // an example of a run that ends so; nil where there is none
}

// maxExpanded is of how many rows together a witness and the runs of all children below it are shown.
const maxExpanded = 100_000

// Fold leaves the runs of children out of w, which may be nil; with expand, only where they are too long to be shown.
func (w *Witness) Fold(expand bool) {
	if w == nil || expand && w.rows(map[*Witness]int{}) <= maxExpanded {
		return
	}
	for i := range w.Path {
		for k := range w.Path[i].Children {
			w.Path[i].Children[k].Run = nil
		}
	}
}

// rows counts those of w and below, no more than are told apart. Many children may share one run: known has those
// that are counted.
func (w *Witness) rows(known map[*Witness]int) int {
	if w == nil {
		return 0
	}
	n, is := known[w]
	if is {
		return n
	}
	n = len(w.Path)
	for i := range w.Path {
		for k := range w.Path[i].Children {
			n = min(n+w.Path[i].Children[k].Run.rows(known), maxExpanded+1)
		}
	}
	known[w] = n
	return n
}

// List collects diagnostics. Its zero value is ready for use.
type List []Diagnostic

// Add appends d. What its texts repeat of the source is shortened where it is too
// long to read.
func (l *List) Add(d Diagnostic) {
	d.Message, d.Help = shorten(d.Message), shorten(d.Help)
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		d.Related[i].Message = shorten(d.Related[i].Message)
	}
	*l = append(*l, d)
}

// Sort orders by place, then by rule and message, so that output is stable.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Span.Start.Filename, b.Span.Start.Filename),
			cmp.Compare(a.Span.Start.Offset, b.Span.Start.Offset),
			cmp.Compare(a.Span.End.Offset, b.Span.End.Offset),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
}

// Count is the number of diagnostics of severity s.
func (l List) Count(s Severity) int {
	n := 0
	for _, d := range l {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool { return l.Count(Error) > 0 }
