package ast

// Param is a name with a type: a parameter of a machine, an activity or a
// guard, or a field of an event.
type Param struct {
	Node
	Name *Name
	Type *Type
}

// Type is a type as written.
type Type struct {
	Node
	Name  string // "int", "duration", an enum's name; empty for a list
	Range *Range // of int and duration
	Elem  *Type  // of a list
}

// Range is a range as written; both ends belong to it.
type Range struct {
	Node
	Lo, Hi *Literal // int or duration, Neg where a minus stands before it
}

// Context declares the fields of a run.
type Context struct {
	Node
	Fields []*Field
}

// Field is one field of the context.
type Field struct {
	Node
	Name    *Name
	Type    *Type
	Default Expr // *Literal, *Selector (an enum value), *EmptyList, or *BadExpr; nil without one
}

// Enum declares a type by its values.
type Enum struct {
	Node
	Name   *Name
	Values []*Name
}

// Event declares an event and its payload.
type Event struct {
	Node
	Name   *Name
	Fields []*Param
}

// Failures declares the categories of failure that activities may report.
type Failures struct {
	Node
	Names []*Name
}

// Activity declares a side effect: what it takes, raises, fails with and costs.
type Activity struct {
	Node
	Name    *Name
	Params  []*Param
	Results []*Name
	Fails   []*Name // nil without `fails`
	Costs   []*Cost
}

// Cost is what one attempt costs in one currency.
type Cost struct {
	Node
	Name   *Name
	Amount *Literal
}

// Guard declares a predicate that the host answers.
type Guard struct {
	Node
	Name   *Name
	Params []*Param
}

// Budget declares the most that a run may take.
type Budget struct {
	Node
	Lines []*BudgetLine
}

// BudgetLine is `steps 40`, `time 2h`, or a cost's name and amount.
type BudgetLine struct {
	Node
	Name   *Name
	Amount *Literal
}

// Assert is a promise about all runs.
type Assert struct {
	Node
	Subject *Path
	Verb    string  // "precedes", "leads to", "excludes", "at most"
	Objects []*Path // one, or for "leads to" several; none for "at most"
	N       *Literal
}
