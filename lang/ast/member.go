package ast

// Initial names the state in which a machine or composite state begins.
type Initial struct {
	Node
	Target *Name `parser:"'initial' @@"`
}

// State is a state; with states inside it is a composite.
type State struct {
	Node
	Name  *Name  `parser:"'state' @@"`
	Items []Item `parser:"'{' @@* '}'"`
}

// Terminal is a state in which a run ends.
type Terminal struct {
	Node
	Name    *Name   `parser:"'terminal' @@"`
	Outcome string  `parser:"@( 'success' | 'failure' | 'cancelled' )?"` // "success", "failure", "cancelled"; empty where none is written
	Returns []*Name `parser:"( 'returns' @@ ( ',' @@ )* )?"`             // fields and parameters whose values the run returns
	Block   *Block  `parser:"@@?"`                                       // nil without one
}

// On handles triggers by its arms, which are tried in order.
type On struct {
	Node
	Triggers []*Trigger `parser:"'on' @@ ( ',' @@ )*"`
	Arms     []*Arm     `parser:"@@ ( 'else' @@ )*"`
}

// Trigger is what an On waits for. Kind is "done", "failed", "cancel", "over_budget" or
// "event"; Name is the event's. A machine that declares an event over_budget means that.
type Trigger struct {
	Node
	Label      *Name   `parser:"( (?= Name '.') @@ '.' )?"` // nil without `label.`
	Kind       string  `parser:"( @( 'done' | 'failed' | 'cancel' | 'over_budget' )"`
	Categories []*Name `parser:"( '(' @@ ( ',' @@ )* ')' )?"` // of "failed"; of "over_budget" the costs
	Name       *Name   `parser:"| @@ )"`                      // of "event"
}

// After is a timer and what happens when it fires.
type After struct {
	Node
	Delay  Expr     `parser:"'after' @@"` // *Literal (duration) or *Ident
	Idle   bool     `parser:"@'idle'?"`
	Jitter *Literal `parser:"( 'jitter' (?= Int | Number) @@ )?"` // nil without one
	Arms   []*Arm   `parser:"@@ ( 'else' @@ )*"`
}

// Arm is one branch: a guard (nil for always) and a step.
type Arm struct {
	Node
	When Expr `parser:"( 'when' @@ )?"`
	Step Step `parser:"@@"`
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
	Target *Path  `parser:"'->' @@"`
	Bound  *Bound `parser:"@@?"` // nil without one
	Block  *Block `parser:"@@?"` // nil without one
}

// Bound is `max N`, `max N per S` or `unbounded`.
type Bound struct {
	Node
	Unbounded bool     `parser:"( @'unbounded'"`
	Max       *Literal `parser:"| 'max' (?= Int) @@"`
	Scope     *Scope   `parser:"( 'per' @@ )? )"` // nil without `per`
}

// Scope is what stands behind `per`. Kind is "run", "visit" or "state".
type Scope struct {
	Node
	Kind   string `parser:"( @( 'run' | 'visit' )"`
	Target *Path  `parser:"| @@ )"` // of "state"
}

// Retry runs the activity again.
type Retry struct {
	Node
	Unbounded bool     `parser:"'retry' ( @'unbounded'"`
	Max       *Literal `parser:"| (?= Int) @@"`
	Scope     *Scope   `parser:"( 'per' @@ )? )"`
	Backoff   *Backoff `parser:"( 'backoff' @@ )?"` // nil without one
	Block     *Block   `parser:"@@?"`
}

// Backoff is the wait before a retry: a first and a last duration with a
// factor, or an expression.
type Backoff struct {
	Node
	By     Expr     `parser:"( 'by' @@"`                  // nil for the written-out form
	First  *Literal `parser:"| (?= Duration) @@"`         // nil with By
	Last   *Literal `parser:"( '..' (?= Duration) @@ )?"` // nil where one duration stands alone
	Factor *Literal `parser:"( 'factor' (?= Int | Number) @@ )?"`
	Jitter *Literal `parser:"( 'jitter' (?= Int | Number) @@ )? )"`
}

// Reject refuses an external event.
type Reject struct{ Node }

// IgnoreStep accepts an input and does nothing.
type IgnoreStep struct{ Node }

// Stay does the effects of its block without leaving the state.
type Stay struct {
	Node
	Block *Block `parser:"@@"`
}

// Block is a set of effects that happen at once.
type Block struct {
	Node
	Effects []Effect `parser:"'{' ( @@ ','? )* '}'"`
}

// Effect is *Assign, *Publish or *Bad.
type Effect interface {
	Any
	effect()
}

func (*Assign) effect()  {}
func (*Publish) effect() {}
func (*Bad) effect()     {}

// Assign sets a field or a place in a record, or with a nil Value unsets it.
type Assign struct {
	Node
	Name  *Name   `parser:"@@"`
	Inner []*Name `parser:"( '.' @@ )*"` // of a place in a record: what stands behind the points
	Value Expr    `parser:"( (?= '=' 'unset') '=' 'unset' | '=' @@ )"`
}

// Publish hands an event to the outbox.
type Publish struct {
	Node
	Event  *Name     `parser:"'publish' @@"`
	Fields []*Assign `parser:"( '{' ( @@ ','? )* '}' )?"`
}

// Do runs an activity, or a machine as a child, while its state is active.
type Do struct {
	Node
	Machine  bool     `parser:"'do' ( (?= 'machine' Name) @'machine' )?"` // Activity is the name of a machine
	Activity *Name    `parser:"@@ '('"`
	Args     []Expr   `parser:"( @@ ( ',' @@ )* )? ')'"`
	Fan      *Fan     `parser:"@@?"`           // nil without `for`
	Label    *Name    `parser:"( 'as' @@ )?"`  // nil without `as`
	Scope    *Scope   `parser:"( 'per' @@ )?"` // nil without `per`
	Limits   []*Limit `parser:"@@*"`
}

// Fan is `for Index, Item in List limit Limit`: a Do runs once for each element of a list.
type Fan struct {
	Node
	Index *Name    `parser:"'for' ( (?= Name ',') @@ ',' )?"` // nil without one
	Item  *Name    `parser:"@@"`
	List  *Path    `parser:"'in' @@"`                       // a field, a parameter or a place in a record
	Limit *Literal `parser:"( 'limit' (?= '-'? Int) @@ )?"` // Neg where a minus stands before it; nil without one
}

// Limit is a time limit of a Do. Name is "timeout", "heartbeat" or "progress".
type Limit struct {
	Node
	Name  string   `parser:"@( 'timeout' | 'heartbeat' | 'progress' )"`
	Value *Literal `parser:"(?= Duration) @@"`
}

// Entry is a block that runs when a state is entered.
type Entry struct {
	Node
	Block *Block `parser:"'entry' @@"`
}

// Exit is a block that runs when a state is left.
type Exit struct {
	Node
	Block *Block `parser:"'exit' @@"`
}

// Require is an invariant of a leaf state and where to go when it is false.
type Require struct {
	Node
	Cond   Expr  `parser:"'require' @@"`
	Target *Path `parser:"'else' '->' @@"`
}

// Ignore accepts events and does nothing.
type Ignore struct {
	Node
	Events []*Name `parser:"'ignore' @@ ( ',' @@ )*"`
}

// Defer keeps events for a later state.
type Defer struct {
	Node
	Events []*Name `parser:"'defer' @@ ( ',' @@ )*"`
}
