package machine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CauseCode tells in history why something was not done.
type CauseCode string

// Why a run halts, an arm is passed over, or what waited in a queue is dropped.
const (
	TooManySteps     CauseCode = "too-many-steps" // of a run that would follow no end of steps
	NothingTakes     CauseCode = "nothing-takes"  // an input from inside, which is named
	GuardFalse       CauseCode = "guard-false"
	BoundUsed        CauseCode = "bound-used"
	MovedOn          CauseCode = "moved-on"
	NotTaken         CauseCode = "not-taken"    // an event from outside
	RefusedByMachine CauseCode = "reject"       // an arm says so
	NotAccepted      CauseCode = "not-accepted" // for what Said says
	FieldUnset       CauseCode = "field-unset"  // it is read and not set
	ParamUnset       CauseCode = "param-unset"  // it is read and not set
	InputField       CauseCode = "input-field"  // the input does not have it
	GuardUnanswered  CauseCode = "guard-unanswered"
	GuardFailed      CauseCode = "guard-failed"
	GuardArguments   CauseCode = "guard-arguments" // they are of other types than its parameters
	Overflow         CauseCode = "overflow"
	OutOfRange       CauseCode = "out-of-range"
	BadValue         CauseCode = "bad-value" // it is none of its field's type for what Said says
	RequireCircle    CauseCode = "require-circle"
	TooManyDeferred  CauseCode = "too-many-deferred"
	DeferredTooLarge CauseCode = "deferred-too-large"
	StringTooLong    CauseCode = "string-too-long"
	ListTooLarge     CauseCode = "list-too-large"
	DataTooLarge     CauseCode = "data-too-large"
	RunTooLarge      CauseCode = "run-too-large"
	JSONMisfit       CauseCode = "json-misfit" // it is read as another type, and for what Said says is none of it
	NoJSONList       CauseCode = "no-json-list"
	JSONTooLarge     CauseCode = "json-too-large"
	JSONTooDeep      CauseCode = "json-too-deep"
	TimeTooLate      CauseCode = "time-too-late"
	TooManyElements  CauseCode = "too-many-elements"
)

// causeTexts are made of the arguments of a cause. History has no word of them, so
// that they can be written better.
var causeTexts = map[CauseCode]string{
	TooManySteps:     "more steps follow at once than are allowed",
	NothingTakes:     "nothing takes %s in state %q",
	GuardFalse:       "guard is false",
	BoundUsed:        "bound is used up",
	MovedOn:          "the run had moved on",
	NotTaken:         "nothing takes it there",
	RefusedByMachine: "the machine refuses it there",
	NotAccepted:      "it is not accepted",
	FieldUnset:       "field %q is not set",
	ParamUnset:       "parameter %q is not set",
	InputField:       "the input has no field %q",
	GuardUnanswered:  "no one answers guard %q",
	GuardFailed:      "guard %q failed",
	GuardArguments:   "guard %q",
	Overflow:         "the result of %q is out of range",
	OutOfRange:       "field %q: %s is out of range, expected %s",
	BadValue:         "field %q",
	RequireCircle:    "the requires from %q on lead round in a circle",
	TooManyDeferred:  "the run keeps %s deferred events and no more",
	DeferredTooLarge: "the deferred events of the run would take more than %s bytes",
	StringTooLong:    "a string would be longer than %s bytes",
	ListTooLarge:     "a list would be larger than %s bytes",
	DataTooLarge:     "the fields of the run would take %s bytes, more than %s",
	RunTooLarge:      "the run would take %s bytes, more than %s: keep large data elsewhere, and a reference to it in the field",
	JSONMisfit:       "a json is not of type %s",
	NoJSONList:       "an item is put behind a json that is no list",
	JSONTooLarge:     "a json would be longer than %s bytes",
	JSONTooDeep:      "a json would be nested deeper than %s",
	TimeTooLate:      "a wait goes beyond the year 9999",
	TooManyElements:  "%q would run for %s elements, more than %s",
}

// Cause is why something was not done.
type Cause struct {
	Code  CauseCode // "" in what was written before there were codes
	Place Place
	Args  []string
	Said  string // words that are no one's to compare: what a host guard said, or all of a cause without a code
}

// Place is the part of a machine in which a fault was met.
type Place struct {
	Part string // arm, entry, exit, timer, require or terminal; "" for none
	Name string // of the arm or timer, or the path of the state
}

// String names the place in English.
func (p Place) String() string {
	switch p.Part {
	case "":
		return ""
	case "arm", "terminal":
		return fmt.Sprintf("%s %q", p.Part, p.Name)
	case "timer":
		return "timer " + p.Name
	case "require":
		return "the require of " + p.Name
	}
	return fmt.Sprintf("the %s of %q", p.Part, p.Name)
}

// String is the cause in English.
func (c *Cause) String() string {
	if c == nil {
		return ""
	}
	if c.Code == "" || c.Code == TooManySteps && c.Said != "" { // which had words beside it once
		return c.Said
	}
	args := make([]any, len(c.Args))
	for i, a := range c.Args {
		args[i] = a
	}
	text := fmt.Sprintf(causeTexts[c.Code], args...)
	if c.Said != "" {
		text += ": " + c.Said
	}
	if c.Place != (Place{}) {
		text = "in " + c.Place.String() + ": " + text
	}
	return text
}

func (c *Cause) code() CauseCode {
	if c == nil {
		return ""
	}
	return c.Code
}

// asIn is c as history has it, where that says the same: without a code it has the
// words of its time; what was said stands nowhere else; and no host guard is asked in
// a replay, so that whether one failed or was missing stands nowhere else either.
func (c *Cause) asIn(history *Cause) *Cause {
	switch {
	case c == nil || history == nil:
		return c
	case history.Code == "":
		return history
	case c.Place != history.Place || !slices.Equal(c.Args, history.Args):
		return c
	case c.Code == history.Code, c.Code == GuardFailed && history.Code == GuardUnanswered:
		return history
	}
	return c
}

// PassedWhy is why an arm is passed over: a code, or in records from before there were
// codes the words for it.
type PassedWhy string

// Code is GuardFalse or BoundUsed, also where words stand for it; else "".
func (w PassedWhy) Code() CauseCode {
	for _, code := range []CauseCode{GuardFalse, BoundUsed} {
		if string(w) == string(code) || string(w) == causeTexts[code] {
			return code
		}
	}
	return ""
}

// String is the reason in English.
func (w PassedWhy) String() string {
	if code := w.Code(); code != "" {
		return causeTexts[code]
	}
	return string(w)
}

// passedAsIn is got, with the words of history where they say the same.
func passedAsIn(got, history []Passed) []Passed {
	for i := range min(len(got), len(history)) {
		if got[i].Why.Code() == history[i].Why.Code() {
			got[i].Why = history[i].Why
		}
	}
	return got
}

// CauseOf is the cause within the error of a step or of arguments, or nil.
func CauseOf(err error) *Cause {
	if refused, ok := errors.AsType[*Rejected](err); ok {
		return refused.Cause
	}
	if fault, ok := errors.AsType[*fault](err); ok {
		return &fault.cause
	}
	return nil
}

// check refuses what no text can be made of.
func (c *Cause) check() error {
	if c == nil || c.Code == "" && c.Place == (Place{}) && c.Args == nil {
		return nil
	}
	text, known := causeTexts[c.Code]
	switch {
	case !known:
		return fmt.Errorf("there is no code %q", shorten(string(c.Code)))
	case len(c.Args) != strings.Count(text, "%"):
		return fmt.Errorf("the code %q has %d arguments", c.Code, len(c.Args))
	case c.Place != (Place{}) && !slices.Contains([]string{"arm", "entry", "exit", "timer", "require", "terminal"}, c.Place.Part):
		return fmt.Errorf("there is no place %q", shorten(c.Place.Part))
	}
	return nil
}
