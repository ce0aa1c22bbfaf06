package machine

import (
	"encoding/json"
	"time"
)

// Format is the version of the Definition's own form.
const Format = 1

// Definition is a compiled machine as data. Names are as in the source;
// references are indexes. The hierarchy is flattened: each leaf lists for each
// input that it can meet the arms in the order in which they are tried.
type Definition struct {
	Format     int        `json:"format"`
	Name       string     `json:"name"`
	Doc        string     `json:"doc,omitempty"`
	Params     []Field    `json:"params,omitempty"`
	Fields     []Field    `json:"fields,omitempty"`
	Enums      []Enum     `json:"enums,omitempty"`
	Events     []Event    `json:"events,omitempty"`
	Categories []string   `json:"categories"` // declared ones, then the built-in ones
	Activities []Activity `json:"activities,omitempty"`
	Guards     []Guard    `json:"guards,omitempty"`
	States     []State    `json:"states"` // the first is the machine itself
	Arms       []Arm      `json:"arms,omitempty"`
	Dos        []Do       `json:"dos,omitempty"`
	Timers     []Timer    `json:"timers,omitempty"`
	Budget     *Budget    `json:"budget,omitempty"`
}

// Field is a parameter, a context field, a field of an event, or a parameter
// of an activity or guard. Of a record there is a Field for each leaf, one behind the
// other: "order.id", "order.total". Their values are set and unset together, and stand in
// one object in JSON.
type Field struct {
	Name    string          `json:"name"`
	Type    Type            `json:"type"`
	Default json.RawMessage `json:"default,omitempty"` // in its JSON form; absent where the field starts unset
	Doc     string          `json:"doc,omitempty"`

	// Optional is set where a parameter or the field of an event may be absent. Null in
	// JSON is the same, also of a json. Of a record that may be absent all leaves have it.
	Optional bool `json:"optional,omitempty"`

	// Within names what has to be there for a leaf to be: the records around it that may be
	// absent, the outermost first, and then itself, if it may be absent from the innermost. It
	// is empty where no such record is around it.
	Within []string `json:"within,omitempty"`
}

// Type is the type of a value.
type Type struct {
	Kind Kind    `json:"kind"`
	Min  *int64  `json:"min,omitempty"` // of int, and of duration in nanoseconds; set with Max
	Max  *int64  `json:"max,omitempty"`
	Enum int     `json:"enum,omitempty"` // index, of enum
	Elem *Type   `json:"elem,omitempty"` // of list
	Len  *Length `json:"len,omitempty"`  // of list; absent for any length

	Name   string  `json:"name,omitempty"`   // of record
	Fields []Field `json:"fields,omitempty"` // of record: its leaves, as those of a Field
}

// Length is how many items a list may have. Both ends belong to it.
type Length struct {
	Min int64 `json:"min"` // 0 or more
	Max int64 `json:"max"`
}

// Enum is a type declared by its values.
type Enum struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Event is a message that a run can take or publish. Internal ones are raised
// by activities alone.
type Event struct {
	Name     string  `json:"name"`
	Fields   []Field `json:"fields,omitempty"`
	Internal bool    `json:"internal,omitempty"`
	Doc      string  `json:"doc,omitempty"`
}

// Activity is a side effect, or with a Callee another machine that runs as a child: its
// Params are those of that machine, and it raises an event for each of its terminals, with
// what that terminal returns as its fields. It fails with `cancelled` where the child ended
// in no terminal. No worker has a handler for it. Its Costs are those that it, and what is below
// it, may spend of the caller's budget, each with the amount 0: nothing is reserved for it.
type Activity struct {
	Name    string  `json:"name"`
	Callee  string  `json:"callee,omitempty"` // the hash of the definition that a child runs
	Params  []Field `json:"params,omitempty"`
	Results []int   `json:"results,omitempty"` // events
	Fails   []int   `json:"fails,omitempty"`   // the declared categories with which it may fail
	Costs   []Cost  `json:"costs,omitempty"`
	Limit   *Limit  `json:"limit,omitempty"`
	Doc     string  `json:"doc,omitempty"`
}

// Limit is what holds for the attempts of an activity in all runs of its machine together,
// whatever their versions. What is 0 is no limit.
type Limit struct {
	AtOnce int64 `json:"at_once,omitempty"` // so many are held by workers
	Rate   int64 `json:"rate,omitempty"`    // so many are claimed in any Window
	Window int64 `json:"window,omitempty"`  // nanoseconds; set with Rate
}

// Cost is an exact decimal, as text.
type Cost struct {
	Name   string `json:"name"`
	Amount string `json:"amount"`
}

// Guard is a predicate that the host answers.
type Guard struct {
	Name   string  `json:"name"`
	Params []Field `json:"params,omitempty"`
}

// Budget is the most that a run may take.
type Budget struct {
	Steps *int64 `json:"steps,omitempty"`
	Time  *int64 `json:"time,omitempty"` // nanoseconds
	Costs []Cost `json:"costs,omitempty"`
}

// StateKind says what a State is.
type StateKind string

const (
	LeafState      StateKind = "leaf"
	CompositeState StateKind = "composite"
	TerminalState  StateKind = "terminal"
)

// State is a state. Parent is -1 for the machine itself, Initial -1 for all
// but composites.
type State struct {
	Path     string    `json:"path"` // "Working.Draft"; empty for the machine
	Kind     StateKind `json:"kind"`
	Outcome  Outcome   `json:"outcome,omitempty"`
	Parent   int       `json:"parent"`
	Initial  int       `json:"initial"` // the child in which a composite begins
	Entry    *Block    `json:"entry,omitempty"`
	Exit     *Block    `json:"exit,omitempty"`
	Returns  []*Expr   `json:"returns,omitempty"` // of a terminal: params and fields that a run which ends there returns
	Require  *Require  `json:"require,omitempty"`
	Dos      []int     `json:"dos,omitempty"`
	Timers   []int     `json:"timers,omitempty"`
	Choice   bool      `json:"choice,omitempty"` // a leaf without activities that raises done on entering
	Handlers []Handler `json:"handlers,omitempty"`
	Doc      string    `json:"doc,omitempty"`
}

// Handler lists, for one input that a leaf can meet, the arms in the order in
// which they are tried. Which of Event, Do, Category and Timer are meant
// depends on Kind; the others are -1. Where any leaf has a handler of over_budget, the runs
// of the machine are held to the costs of its budget.
type Handler struct {
	Kind     InputKind `json:"kind"`           // event, result, failure, done, cancel, timer, over_budget
	Event    int       `json:"event"`          // of event and result
	Do       int       `json:"do"`             // of result and failure
	Category int       `json:"category"`       // of failure
	Timer    int       `json:"timer"`          // of timer
	Cost     string    `json:"cost,omitempty"` // of over_budget: its name
	Arms     []int     `json:"arms"`
}

// ArmKind says what an Arm does.
type ArmKind string

const (
	GotoArm   ArmKind = "goto"
	RetryArm  ArmKind = "retry"
	RejectArm ArmKind = "reject"
	IgnoreArm ArmKind = "ignore"
	DeferArm  ArmKind = "defer"
	StayArm   ArmKind = "stay"
)

// Arm is one branch. Name is stable, unique in the machine, and readable: it
// stands in history and names the arm's counter.
type Arm struct {
	Name      string   `json:"name"`
	State     int      `json:"state"` // in which it stands
	Text      string   `json:"text"`  // as written, in short: "-> AwaitingRetry max 5"
	When      *Expr    `json:"when,omitempty"`
	Kind      ArmKind  `json:"kind"`
	Target    int      `json:"target"`        // of goto; else -1
	Max       *int64   `json:"max,omitempty"` // of goto and retry; absent for no bound
	Unbounded bool     `json:"unbounded,omitempty"`
	Scope     Scope    `json:"scope"`
	Backoff   *Backoff `json:"backoff,omitempty"`
	Block     *Block   `json:"block,omitempty"`
}

// Scope says how long a counter or an execution lives: "run", "visit", or
// "state" (until State is entered again from outside).
type Scope struct {
	Kind  ScopeKind `json:"kind"`
	State int       `json:"state"` // of "state"; else -1
}

// ScopeKind is the kind of a Scope.
type ScopeKind string

const (
	PerRun   ScopeKind = "run"
	PerVisit ScopeKind = "visit"
	PerState ScopeKind = "state"
)

// Backoff is the wait before a retry: By, or min(First × Factor^(k-1), Last)
// for the k-th, less at most its Jitter share. Durations are in nanoseconds.
type Backoff struct {
	By     *Expr   `json:"by,omitempty"`
	First  int64   `json:"first,omitempty"`
	Last   int64   `json:"last,omitempty"`
	Factor float64 `json:"factor,omitempty"`
	Jitter float64 `json:"jitter,omitempty"`
}

// Block is a set of effects that happen at once.
type Block struct {
	Assigns   []Assign  `json:"assigns,omitempty"`
	Publishes []Publish `json:"publishes,omitempty"`
}

// Assign sets a context field, or without a Value unsets it.
type Assign struct {
	Field int   `json:"field"`
	Value *Expr `json:"value,omitempty"`
}

// Publish hands an event to the outbox; Values are in the order of its fields.
type Publish struct {
	Event  int     `json:"event"`
	Values []*Expr `json:"values,omitempty"`
}

// Do runs an activity while its leaf is active. Name is stable and unique in
// the machine. Durations are in nanoseconds, absent where not set.
type Do struct {
	Name      string  `json:"name"`
	State     int     `json:"state"`
	Activity  int     `json:"activity"`
	Label     string  `json:"label,omitempty"`
	Args      []*Expr `json:"args,omitempty"`
	Fan       *Fan    `json:"fan,omitempty"` // absent where it runs once in a visit
	Scope     Scope   `json:"scope"`
	Timeout   *int64  `json:"timeout,omitempty"`
	Heartbeat *int64  `json:"heartbeat,omitempty"`
	Progress  *int64  `json:"progress,omitempty"`
}

// LimitOf is a Timeout, Heartbeat or Progress, and 0 for none.
func LimitOf(ns *int64) time.Duration {
	if ns == nil {
		return 0
	}
	return time.Duration(*ns)
}

// Fan says that a do runs for each element of a list, which is read when its leaf is
// entered. Each element is an execution of its own.
type Fan struct {
	List  *Expr `json:"list"`            // a param or a field, of at most MaxElements
	Limit int64 `json:"limit,omitempty"` // so many elements run at once; absent for any number
}

// Timer is an `after`, or the time of the budget. Exactly one of Delay (nanoseconds) and Var
// is meant: Var where it is present, a duration or (a deadline) a time.
type Timer struct {
	Name   string  `json:"name"`             // stable and unique in the machine
	Budget bool    `json:"budget,omitempty"` // it stands at the machine, with the time of the budget for its delay
	State  int     `json:"state"`
	Delay  int64   `json:"delay,omitempty"`
	Source string  `json:"source,omitempty"` // how a delay is written, where the name has it in another form: "7d"
	Var    *Expr   `json:"var,omitempty"`
	Idle   bool    `json:"idle,omitempty"`
	Jitter float64 `json:"jitter,omitempty"`
}

// Require is an invariant of a leaf and where to go when it is false.
type Require struct {
	Cond   *Expr `json:"cond"`
	Target int   `json:"target"`
}

// Expr is an expression. Op is one of
//
//	lit    a constant: Type and Value
//	param  a parameter: Index
//	field  a context field: Index
//	event  a field of the input's payload: Name; of an element, its `index` and `item` too
//	each   in the Args of a do with a Fan what an attempt is for: Name, "item" or "index"; of an item
//	       that is a record a leaf, "item.total"
//	run    a value of the run itself: Name, "id" or "started"
//	now    the time of the step
//	len    Args[0] is a param, field, event, each or run
//	set    whether the param, field or event Args[0] is set
//	unset  no value, for a field of a message that may be absent
//	guard  a host guard: Index, Args
//	object a json object: Keys, and Args for their values
//	array  a json list: Args
//	key    what the json Args[0] has under Name; null for nothing
//	fit    the json Args[0] as a value of Type
//	leaf   the leaf of the record Args[0] that is called Name
//	text   the JSON form of Args[0], without quotes
//	record a record, of which Args are the leaves
//	min, max, neg, !, ||, &&, ==, !=, <, <=, >, >=, +, -, *
//
// Where a json is Args[0] of +, an item is put behind it.
//
// Type is the type of its value.
type Expr struct {
	Op    string          `json:"op"`
	Type  Type            `json:"type"`
	Index int             `json:"index,omitempty"`
	Name  string          `json:"name,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
	Keys  []string        `json:"keys,omitempty"`
	Args  []*Expr         `json:"args,omitempty"`

	// OrUnset is set of a param, field or event that gives no value where it has none, and of
	// a fit that gives none for null. It stands where a value is given to what may be unset.
	OrUnset bool `json:"or_unset,omitempty"`
}

// Outcome says how a run ended.
type Outcome string

const (
	Success   Outcome = "success"
	Failed    Outcome = "failure"
	Cancelled Outcome = "cancelled"
)
