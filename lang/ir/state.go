package ir

import (
	"cmp"
	"math/big"
	"time"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// StateKind says what a state is.
type StateKind int

const (
	Leaf StateKind = iota
	Composite
	Terminal
)

// State is a state, a composite state, a terminal, or the machine itself.
type State struct {
	ID       int    // index in Machine.States
	Name     string // the machine's name for the root
	Path     string // "Working.Draft"; empty for the root
	Kind     StateKind
	Outcome  string // of a terminal: "success", "failure", "cancelled"
	Parent   *State // nil for the root
	Children []*State
	Initial  *State // of a composite: the child in which it begins; nil where it is missing
	Depth    int    // 0 for the root

	Handlers []*Handler // its `on`s, in source order
	Timers   []*Timer   // its `after`s
	Dos      []*Do      // of a leaf
	Entry    *Block     // also the block of a terminal; nil without one
	Returns  []*VarRef  // of a terminal: the values that a run which ends there returns, read behind Entry
	Exit     *Block
	Require  *Require
	Ignore   []*EventUse
	Defer    []*EventUse

	Doc  string
	Span token.Span // of the name
	Body token.Span // of the whole declaration
	Decl token.Span // that with its comment
}

// Leaf is the leaf that is entered when s is: s itself, or the initial one
// inside it, however deep; nil where an `initial` is missing.
func (s *State) Leaf() *State {
	for s != nil && s.Kind == Composite {
		s = s.Initial
	}
	return s
}

// Inside reports whether s is t or lies in t.
func (s *State) Inside(t *State) bool {
	for ; s != nil; s = s.Parent {
		if s == t {
			return true
		}
	}
	return false
}

// Chain is s and the states around it, s first and the root last.
func (s *State) Chain() []*State {
	var chain []*State
	for ; s != nil; s = s.Parent {
		chain = append(chain, s)
	}
	return chain
}

// Domain is the innermost composite that contains both leaf and target and is
// neither: what a transition from leaf to target does not leave.
func Domain(leaf, target *State) *State {
	for d := leaf.Parent; d != nil; d = d.Parent {
		if d != target && target.Inside(d) {
			return d
		}
	}
	return nil // target is the root: no transition goes there
}

// EventUse names an event in an `ignore` or a `defer`.
type EventUse struct {
	Event *Event
	Span  token.Span
}

// TriggerKind says what a Trigger waits for.
type TriggerKind int

const (
	OnEvent TriggerKind = iota
	OnDone
	OnFailed
	OnCancel
	OnOverBudget
)

// Trigger is one trigger of a Handler.
type Trigger struct {
	Kind       TriggerKind
	Event      *Event      // of OnEvent
	Label      string      // empty without one
	Do         *Do         // the do with that label in the state or inside it; nil where there are several
	Categories []*Category // of OnFailed; none means every category not listed elsewhere in the state
	Costs      []string    // of OnOverBudget, with BudgetTime; none means all not listed elsewhere in the state
	Element    *Element    // what `event` has where every do whose results or failures come here has a Fan; else nil
	Span       token.Span
}

// Handler is an `on`. One without Triggers has lost them: they name what could
// not be resolved.
type Handler struct {
	State    *State
	Triggers []*Trigger
	Arms     []*Arm
	Span     token.Span
}

// Timer is an `after`, or the time of the budget, which Machine.BudgetTimer makes. Exactly
// one of Delay and Var is meant: Var where it is not nil, a duration or (a deadline) a time.
type Timer struct {
	ID     int
	State  *State
	Budget bool   // it is the time of the budget: what takes `over_budget(time)` takes it
	Delay  int64  // nanoseconds
	Source string // the delay as the source has it, "7d" where DelayText is "168h"; empty for a Var
	Var    *Var
	Ahead  *Range // of a deadline: how many nanoseconds it lies ahead when the timer starts; nil where nobody knows
	Idle   bool
	Jitter *big.Rat // share of the wait; nil for none
	Arms   []*Arm   // of that of the budget: those of all handlers that take it
	Span   token.Span
}

// ScopeKind says how long a counter or an execution lives.
type ScopeKind int

const (
	PerRun ScopeKind = iota
	PerVisit
	PerState // until State is entered again from outside
)

// Scope is a written or implied `per`.
type Scope struct {
	Kind  ScopeKind
	State *State // of PerState
}

// ArmKind says what an arm does.
type ArmKind int

const (
	Goto ArmKind = iota
	Retry
	Reject
	IgnoreArm // `ignore` as a step
	Stay      // a block alone
)

// Arm is one branch of a Handler or a Timer.
type Arm struct {
	ID      int
	State   *State   // in which it stands
	Handler *Handler // nil for a timer's arm
	Timer   *Timer   // nil for a handler's arm
	Index   int      // among the arms of its handler or timer
	When    Expr     // nil for always
	Kind    ArmKind

	Target    *State   // of Goto; nil where it could not be resolved
	Max       *int64   // of Goto and Retry: nil without a bound
	Unbounded bool     // of Goto and Retry: it says so
	Scope     Scope    // of the counter, where Max is set
	Backoff   *Backoff // of Retry: never nil
	Block     *Block   // nil without one

	Span token.Span
}

// Chain are the arms among which a is tried, in order.
func (a *Arm) Chain() []*Arm {
	if a.Timer != nil {
		return a.Timer.Arms
	}
	return a.Handler.Arms
}

// Restart is the state with which the counter of a starts again, where it is entered from
// outside; nil where there is none.
func (a *Arm) Restart() *State {
	switch {
	case a.Scope.Kind == PerState:
		return a.Scope.State
	case a.Scope.Kind == PerVisit && a.Kind == Goto:
		return a.State
	}
	return nil
}

// Backoff is the wait before a retry. Without By, the k-th wait is
// min(First × Factor^(k-1), Last), less at most its Jitter share.
type Backoff struct {
	By          Expr // a duration; nil for the written-out form
	First, Last int64
	Factor      *big.Rat
	Jitter      *big.Rat
	Span        token.Span
}

// What a retry waits unless it says otherwise: from 1s to 1m, doubling, less up
// to a fifth.
const (
	UsualFirst = int64(time.Second)
	UsualLast  = int64(time.Minute)
)

// UsualFactor and UsualJitter are not to be changed.
var (
	UsualFactor = big.NewRat(2, 1)
	UsualJitter = big.NewRat(1, 5)
)

// Block is a set of effects that happen at once.
type Block struct {
	Assigns   []*Assign
	Publishes []*Publish
	Span      token.Span
}

// Assign sets Var, or with a nil Value unsets it.
type Assign struct {
	Var   *Var
	Value Expr
	Span  token.Span

	// Written is the effect as written where it gives several leaves of a record their
	// values; each of them has an Assign, with the same text.
	Written string

	// Keeps is set where another place of a record is assigned, and Var is given the
	// value that it has: so that the record has one.
	Keeps bool
}

// Publish hands an event to the outbox. Values are in the order of the
// event's fields.
type Publish struct {
	Event  *Event
	Values []Expr
	Span   token.Span
}

// Do runs an activity while its leaf is active.
type Do struct {
	ID       int
	State    *State
	Activity *Activity
	Args     []Expr
	Fan      *Fan // nil where it runs once a visit
	Label    string
	Scope    Scope
	// Timeout, Heartbeat and Progress are in nanoseconds; nil without one.
	Timeout, Heartbeat, Progress *int64
	Span                         token.Span
}

// TimeLimit is one of the time limits of an attempt.
type TimeLimit struct {
	Word     string // as written
	Category string // with which an attempt fails that reaches it
	After    int64  // in nanoseconds
}

// Limits are those that d sets.
func (d *Do) Limits() (list []TimeLimit) {
	for _, l := range []TimeLimit{{Word: "timeout", Category: Timeout}, {Word: "heartbeat", Category: Silent}, {Word: "progress", Category: Stalled}} {
		if after := d.Limit(l.Category); after != nil {
			l.After = *after
			list = append(list, l)
		}
	}
	return list
}

// Limit is that with which an attempt of d fails with category; nil for none.
func (d *Do) Limit(category string) *int64 {
	switch category {
	case Timeout:
		return d.Timeout
	case Silent:
		return d.Heartbeat
	case Stalled:
		return d.Progress
	}
	return nil
}

// Name is what d is called in its state: its label, or the activity without one.
func (d *Do) Name() string { return cmp.Or(d.Label, d.Activity.Name) }

// Fan says that a Do runs for each element of a list, which is read on entering its
// leaf: each element is an execution of its own.
type Fan struct {
	List  *Var   // a field or a parameter with a range of lengths
	Item  string // what the arguments call the element
	Index string // what they call its index, which counts from 0; empty for nothing
	Limit int64  // so many elements run at the same time; 0 for any number

	Least, Most int64 // elements, as the type of the list says

	Span     token.Span // from `for` to the list or its limit
	ListSpan token.Span
}

// Elements is how many executions d begins on entering its leaf: at least and at most.
func (d *Do) Elements() (least, most int64) {
	if d.Fan == nil {
		return 1, 1
	}
	return d.Fan.Least, d.Fan.Most
}

// NeverRuns reports whether d runs for the elements of a list that is always empty, so that
// nothing comes of it but `done`.
func (d *Do) NeverRuns() bool {
	if d.Fan == nil || d.Fan.List == nil { // it has none where something is wrong with it
		return false
	}
	n := d.Fan.List.Type.Len
	return n != nil && n.Lo == 0 && n.Hi == 0
}

// MaxElements is the most that a list may hold whose elements a Fan runs for.
const MaxElements = 1000

// Require is an invariant of a leaf and where to go when it is false.
type Require struct {
	Cond   Expr
	Target *State // nil where it could not be resolved
	Span   token.Span
}
