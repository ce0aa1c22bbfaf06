package ast

// Initial names the state in which a machine or composite state begins.
type Initial struct {
	Node
	Target *Name
}

// State is a state; with states inside it is a composite.
type State struct {
	Node
	Name  *Name
	Items []Item
}

// Terminal is a state in which a run ends.
type Terminal struct {
	Node
	Name    *Name
	Outcome string // "success", "failure", "cancelled"; empty where none is written
	Block   *Block // nil without one
}

// On handles triggers by its arms, which are tried in order.
type On struct {
	Node
	Triggers []*Trigger
	Arms     []*Arm
}

// Trigger is what an On waits for. Kind is "done", "failed", "cancel" or
// "event"; Name is the event's.
type Trigger struct {
	Node
	Kind       string
	Label      *Name // nil without `label.`
	Name       *Name // of "event"
	Categories []*Name
}

// After is a timer and what happens when it fires.
type After struct {
	Node
	Delay  Expr // *Literal (duration) or *Ident
	Idle   bool
	Jitter *Literal // nil without one
	Arms   []*Arm
}

// Arm is one branch: a guard (nil for always) and a step.
type Arm struct {
	Node
	When Expr
	Step Step
}

// Step is what an arm does: *Goto, *Retry, *Reject, *IgnoreStep, *Stay, or
// *Bad.
type Step interface {
	Any
	step()
}

func (*Goto) step()       {}
func (*Retry) step()      {}
func (*Reject) step()     {}
func (*IgnoreStep) step() {}
func (*Stay) step()       {}
func (*Bad) step()        {}

// Goto is `-> Target`, perhaps bounded, perhaps with a block.
type Goto struct {
	Node
	Target *Path
	Bound  *Bound // nil without one
	Block  *Block // nil without one
}

// Bound is `max N`, `max N per S` or `unbounded`.
type Bound struct {
	Node
	Unbounded bool
	Max       *Literal
	Scope     *Scope // nil without `per`
}

// Scope is what stands behind `per`. Kind is "run", "visit" or "state".
type Scope struct {
	Node
	Kind   string
	Target *Path // of "state"
}

// Retry runs the activity again.
type Retry struct {
	Node
	Unbounded bool
	Max       *Literal
	Scope     *Scope
	Backoff   *Backoff // nil without one
	Block     *Block
}

// Backoff is the wait before a retry: a first and a last duration with a
// factor, or an expression.
type Backoff struct {
	Node
	By     Expr     // nil for the written-out form
	First  *Literal // nil with By
	Last   *Literal // nil where one duration stands alone
	Factor *Literal
	Jitter *Literal
}

// Reject refuses an external event.
type Reject struct{ Node }

// IgnoreStep accepts an input and does nothing.
type IgnoreStep struct{ Node }

// Stay does the effects of its block without leaving the state.
type Stay struct {
	Node
	Block *Block
}

// Block is a set of effects that happen at once.
type Block struct {
	Node
	Effects []Effect
}

// Effect is *Assign, *Publish or *Bad.
type Effect interface {
	Any
	effect()
}

func (*Assign) effect()  {}
func (*Publish) effect() {}
func (*Bad) effect()     {}

// Assign sets a field, or with a nil Value unsets it.
type Assign struct {
	Node
	Name  *Name
	Value Expr
}

// Publish hands an event to the outbox.
type Publish struct {
	Node
	Event  *Name
	Fields []*Assign
}

// Do runs an activity while its state is active.
type Do struct {
	Node
	Activity *Name
	Args     []Expr
	Label    *Name  // nil without `as`
	Scope    *Scope // nil without `per`
	Limits   []*Limit
}

// Limit is a time limit of a Do. Name is "timeout", "heartbeat" or "progress".
type Limit struct {
	Node
	Name  string
	Value *Literal
}

// Entry is a block that runs when a state is entered.
type Entry struct {
	Node
	Block *Block
}

// Exit is a block that runs when a state is left.
type Exit struct {
	Node
	Block *Block
}

// Require is an invariant of a leaf state and where to go when it is false.
type Require struct {
	Node
	Cond   Expr
	Target *Path
}

// Ignore accepts events and does nothing.
type Ignore struct {
	Node
	Events []*Name
}

// Defer keeps events for a later state.
type Defer struct {
	Node
	Events []*Name
}
