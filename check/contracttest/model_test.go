package contracttest

// Machine is a machine. Its states are in the order of the text; the first is
// the machine itself, the outermost composite.
type Machine struct {
	Fields   []*Field // parameters first
	Failures []string
	Events   []*Event
	Acts     []*Activity
	Hosts    []string // host guards, without parameters
	Asserts  []*Assert
	Root     *State
	Budget   *Budget
	Shape    *Shape // what all records are; nil for none
	states   []*State
	bounds   []*Arm // those with a counter
	scale    int    // of all clocks
	overtime *After // the timer that over_budget of time is
}

// Kind is the type of a value. All values are numbers: a bool is 0 or 1, a value
// of an enum its place, a duration its seconds, a text one of a few, a list its length.
type Kind int

// The kinds.
const (
	Bool Kind = iota
	Enum
	Int
	Duration
	Text
	List
)

// unset is the value of a field that is not set.
const unset = -1 << 30

// Field is a parameter, a field of the context, or one of an event.
type Field struct {
	Name   string
	Kind   Kind
	Lo, Hi int // both ends belong to it; of bool and enum too, and of a list its lengths
	Param  bool
	Own    bool   // a parameter that nobody hands over: a value of the run itself
	Start  int    // unset: it has no default
	Absent bool   // of a parameter, a field of an event and a place of a record: it may be absent
	Items  string // of a list, the type of its items; empty for bool
	In     *Record
	at     int // place in the data
	line   int
}

// Event is an event; Raised says that an activity declares it.
type Event struct {
	Name   string
	Raised bool
	Exit   string // of a terminal of a machine that is called: its name there
	Fields []*Field
	line   int
}

// Activity is an activity, with what one attempt costs.
type Activity struct {
	Name   string
	Events []*Event
	Fails  []string // nil: all that the machine declares
	Costs  []int    // one for each of Costs, 0 for none; or nil
	Child  *Child   // the machine that it is; nil for an activity of the host
	at     int
}

// Assert is an assert. B is used by all but "at most", N by that alone. A is nil where Done
// is what it speaks of, which "leads to" can.
type Assert struct {
	Op   string // precedes, leads, excludes, most
	A    *State
	Done *Activity
	B    []*State
	N    int
	line int
}

// State is a state: a leaf, a composite or a terminal.
type State struct {
	Name     string
	Parent   *State
	Children []*State
	Initial  *State
	Terminal string // success, failure, cancelled; empty where it is none
	Ons      []*On
	Afters   []*After
	Dos      []*Do
	Entry    []*Effect
	Exit     []*Effect
	Returns  []*Field // of a terminal
	Require  *Expr
	Else     *State
	Ignore   []*Event
	Defer    []*Event
	at, line int
	required int // the line of its require
	ID       int // the same in all that is made of a machine
	depth    int
}

// Trigger is one trigger of an on.
type Trigger struct {
	Kind  string // event, done, failed, cancel, over
	Label string
	Event *Event
	Cats  []string // of failed; of over the costs
}

// On is an `on` with its chain of arms.
type On struct {
	Triggers []*Trigger
	Arms     []*Arm
	ID       int
	state    *State
	line     int
}

// After is a timer.
type After struct {
	Wait   int // seconds
	Field  *Field
	Idle   bool
	Over   bool // it is over_budget of time
	Jitter int  // seconds by which it may be longer
	Arms   []*Arm
	ID     int
	state  *State
	at     int
	line   int
}

// Do runs an activity in a leaf, or with a List one for each of its elements. A limit of 0
// is none.
type Do struct {
	Act                          *Activity
	List                         *Field // a parameter
	AtOnce                       int    // so many elements run at the same time
	Label                        string
	Timeout, Heartbeat, Progress int
	ID                           int
	state                        *State
	at                           int
	line                         int
}

// Arm is one arm of a chain.
type Arm struct {
	When      *Expr
	Op        string // go, retry, reject, ignore, stay
	To        *State
	Bound     int // 0: none
	Unbounded bool
	Per       string // "", run, visit; or the state below
	PerState  *State
	First     int // backoff in seconds; last and jitter are the same for all waits
	Last      int
	Jitter    int // percent
	Block     []*Effect
	home      *State
	counter   int
	line      int
}

// Effect gives a field a value; a nil Value unsets it. With Record it is about a whole record,
// and gives it the values of another, or of Parts, or unsets it.
type Effect struct {
	Field  *Field
	Value  *Expr
	Record *Record
	From   *Record
	Op     string // of From: field, event, item
	Parts  []*Effect
	line   int
}

// Expr is an expression: a condition or a value.
type Expr struct {
	Op    string // lit, field, event, item, host, isset, sent, has, ! && || == != < <= > >= + - * min max len append
	Args  []*Expr
	Field *Field
	Val   int
	Host  int
}

func (s *State) leaf() bool { return len(s.Children) == 0 }

func (s *State) within(c *State) bool {
	for ; s != nil; s = s.Parent {
		if s == c {
			return true
		}
	}
	return false
}

// link fills in what the printer and the interpreter number.
func (m *Machine) link() {
	m.states, m.bounds = nil, nil
	for i, f := range m.Fields {
		f.at = i
	}
	for i, a := range m.Acts {
		a.at = i
	}
	timers := 0
	m.overtime = m.late()
	var walk func(s *State, depth int)
	walk = func(s *State, depth int) {
		s.at, s.depth = len(m.states), depth
		m.states = append(m.states, s)
		chain := func(arms []*Arm) {
			for _, a := range arms {
				a.home = s
				if a.Bound > 0 {
					a.counter = len(m.bounds)
					m.bounds = append(m.bounds, a)
				}
			}
		}
		for _, o := range s.Ons {
			o.state = s
			chain(o.Arms)
		}
		for _, a := range m.afters(s) {
			a.state, a.at = s, timers
			timers++
			chain(a.Arms)
		}
		for i, d := range s.Dos {
			d.state, d.at = s, i
		}
		for _, c := range s.Children {
			c.Parent = s
			walk(c, depth+1)
		}
	}
	walk(m.Root, 0)
}

// identify numbers what a change may move.
func (m *Machine) identify() {
	m.link()
	n := 0
	next := func() int { n++; return n }
	for _, s := range m.states {
		s.ID = next()
		for _, o := range s.Ons {
			o.ID = next()
		}
		for _, a := range s.Afters {
			a.ID = next()
		}
		for _, d := range s.Dos {
			d.ID = next()
		}
	}
}
