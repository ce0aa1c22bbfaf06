package golang

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// filePlan is everything that will be printed, with every name decided.
type filePlan struct {
	Package  string
	Source   string
	Core     bool
	Enums    []*enumPlan // of files
	Records  []*recordPlan
	Machines []*machinePlan
}

// machinePlan is one machine. All its identifiers begin with its name, so that
// several machines can stand in one package.
type machinePlan struct {
	src  *ir.Machine
	Name string // "CodeReview"
	low  string // "codeReview": before unexported names
	Doc  string

	Enums      []*enumPlan // that are declared for it alone
	Records    []*recordPlan
	Params     *structPlan
	Data       *structPlan
	States     []statePlan // leaves and terminals
	Events     []*eventPlan
	Activities []*activityPlan
	Guards     []*guardPlan
	Failures   []constPlan // declared categories
	Bounds     []boundPlan // what is proved; empty where that is not asked for

	Optional string   // type of a field that may be unset
	Calls    []string // what registers the machines of the package that it calls
	Away     []string // definitions of those of other packages, callees first

	Definition string // compiled, as JSON; empty in a core
	Text       string // of the source; empty in a core, and where it is embedded
	Embed      string // file with the text

	core *corePlan
	enum map[*ir.Enum]*enumPlan
	rec  map[*ir.Record]*recordPlan
	ev   map[*ir.Event]*eventPlan
}

// enumPlan is a type declared by its values.
type enumPlan struct {
	Type   string
	Doc    string
	Values []constPlan
}

// recordPlan is a record.
type recordPlan struct {
	src *ir.Record
	structPlan
}

// constPlan is a constant: its Go name, and what it stands for in the source.
type constPlan struct {
	Name  string
	Value string
}

// statePlan is a leaf or a terminal.
type statePlan struct {
	Const   string
	Path    string
	Doc     string
	Outcome string      // of a terminal; empty for a leaf
	Result  *structPlan // of a terminal that returns values; else nil
	returns []*ir.VarRef
}

// structPlan is a struct with a place in JSON.
type structPlan struct {
	Type   string
	Doc    string
	Fields []fieldPlan
}

// fieldPlan is one field of a struct.
type fieldPlan struct {
	Name     string // Go
	JSON     string // as in the source
	Type     string // Go
	Doc      string
	Optional bool // it may be unset
	typ      *ir.Type
}

// eventPlan is an event with its payload.
type eventPlan struct {
	src      *ir.Event
	Const    string
	Name     string // as in the source
	Payload  *structPlan
	External bool
	Sent     bool   // from outside: some state handles, ignores or defers it
	Raised   bool   // by some activity
	Input    string // function of the core that makes an input of it
}

// activityPlan is a side effect.
type activityPlan struct {
	Name    string // as in the source
	Method  string
	Doc     string
	Params  []paramPlan
	Results []*eventPlan // none, one, or several
	Sum     string       // sealed interface of several results
	Runs    []string     // states in which it runs
}

// guardPlan is a predicate that the host answers.
type guardPlan struct {
	src    *ir.Guard
	Name   string
	Method string
	Doc    string
	Params []paramPlan
}

// paramPlan is a parameter of an activity or a guard.
type paramPlan struct {
	Name     string // Go, unexported, no keyword
	JSON     string
	Type     string
	Optional bool // it may be absent
	typ      *ir.Type
}
