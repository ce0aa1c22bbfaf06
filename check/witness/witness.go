// Package witness is an example run as the parts of the checker hand it to one another. The
// explorer writes it, a replay performs it, and text is made of it where it is printed.
package witness

import (
	"cmp"
	"maps"
	"strconv"
	"time"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Witness is the run, or the values, that show a finding to be true. Values are in their
// JSON forms.
type Witness struct {
	Params map[string]any  // parameters of the run
	Values map[string]any  // data at the end of the path, or values that satisfy the guards in question
	Path   []Row           // empty where values alone are the witness
	Loop   int             // row of Path to which a cycle returns, -1 where there is none
	Rest   map[string]any  // the other parameters, with plain values
	Guards map[string]bool // what host guards say as the run starts
	AtEnd  bool            // Values are data at the end of the path; a replay puts those of its run there
	Holds  bool            // what is shown hangs on Values: a run that ends with others does not show it

	Alike map[string]ir.Range // between what the numbers of Values lie that would do as well
	Again []time.Duration     // when the rows of the cycle come in the second lap

	Recalled []Verdict // what has been guessed of the data at the end of the path
}

// Verdict is whether a comparison of data holds.
type Verdict struct {
	Of    *ir.Binary
	Holds bool
}

// Present stands in Params and Data for any value of what may be absent, and is not; null
// stands for what is. A replay puts a value in its place.
var Present any = present{}

type present struct{}

// Row is an input that arrives in a state. The last row of a path has none.
type Row struct {
	State *ir.State // nil for a run that cannot even start
	Input Input
	Arm   *ir.Arm // that takes it; nil where none does, or nobody knows
	At    time.Duration
	Data  map[string]any // payload of the input, where it matters
	Rest  map[string]any // the rest of the payload, with plain values

	Guards map[string]bool // by the text of the call

	LetStart []*ir.Do // it comes when their attempts have started
	Begins   []Begins // of the first row of a visit: how many elements its fan-outs have
	Children []Child  // that end with the input, or are cancelled by it
}

// Begins is how many elements a fan-out has.
type Begins struct {
	Do       *ir.Do
	Elements int64
}

// Kind is what an Input is.
type Kind int

const (
	None       Kind = iota // nothing comes
	Comes                  // the case arrives
	Again                  // the event, which was deferred, is looked at again, and taken
	Dropped                // the same, and nothing takes it
	Ended                  // the activity ends with nothing to say
	Checkpoint             // the activity says how far it has come
)

// Input is what comes.
type Input struct {
	Kind Kind
	ir.Case
	Activity *ir.Do // of Ended and Checkpoint
	Element  int    // of a fan-out: which one it is of, counted from 1; 0 of any that can, until it is replayed
}

// Of is the do that says it; nil where none does.
func (in Input) Of() *ir.Do {
	if in.Kind == Ended || in.Kind == Checkpoint {
		return in.Activity
	}
	return in.Do
}

// Deferred reports whether the input is an event that was deferred.
func (in Input) Deferred() bool { return in.Kind == Again || in.Kind == Dropped }

// Fires is the timer that fires, or nil.
func (in Input) Fires() *ir.Timer {
	if in.Kind == Comes && in.Case.Kind == ir.CaseTimer {
		return in.Timer
	}
	return nil
}

// Text is the input as a trigger is written: "StartReview", "failed(timeout)", "after 1m0s",
// "done". An activity without a label that stands beside others is named.
func (in Input) Text() string {
	switch in.Kind {
	case None:
		return ""
	case Ended:
		return in.sayer() + " ended"
	case Checkpoint:
		return in.sayer() + " checkpoint"
	}
	text := in.Case.Text()
	switch do := in.Do; {
	case do != nil && do.Fan != nil && in.Element > 0:
		unlabelled := in.Case
		if unlabelled.Do = &(ir.Do{}); in.Event != nil {
			text = in.sayer() + "." + in.Event.Exit()
		} else {
			text = in.sayer() + "." + unlabelled.Text()
		}
	case do != nil && do.Label == "" && len(do.State.Dos) > 1:
		text = do.Activity.Name + "." + text
	}
	switch in.Kind {
	case Again:
		text += " (deferred)"
	case Dropped:
		text += " (deferred, dropped)"
	}
	return text
}

// sayer is what the activity is called that says the input, with the index of its element.
func (in Input) sayer() string {
	name := cmp.Or(in.Of().Label, in.Of().Activity.Name)
	if in.Of().Fan != nil && in.Element > 0 {
		name += "[" + strconv.Itoa(in.Element-1) + "]"
	}
	return name
}

// Diag is w as a diagnostic has it; nil for nil.
func (w *Witness) Diag() *diag.Witness { return w.diag(map[*Witness]*diag.Witness{}) }

// diag is Diag; made are those that were made before: a thousand children may show one run.
func (w *Witness) diag(made map[*Witness]*diag.Witness) *diag.Witness {
	if w == nil {
		return nil
	}
	if out := made[w]; out != nil {
		return out
	}
	out := &diag.Witness{Params: known(w.Params), Values: w.Values, Loop: w.Loop, Rest: w.Rest, Guards: w.Guards, Source: w}
	for i := range w.Path {
		r := &w.Path[i]
		step := diag.Step{Input: r.Input.Text(), Data: known(r.Data), Rest: r.Rest, Guards: r.Guards}
		if r.State != nil {
			step.State = r.State.Path
		}
		if r.Input.Kind != None {
			step.At = r.At.String()
		}
		for _, c := range r.Children {
			step.Children = append(step.Children, c.diag(made))
		}
		out.Path = append(out.Path, step)
	}
	made[w] = out
	return out
}

// known is data without what has no value of its own.
func known(data map[string]any) map[string]any {
	out := maps.Clone(data)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == Present })
	return out
}
