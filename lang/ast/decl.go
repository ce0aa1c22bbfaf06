package ast

// Import makes known what another file, or the files of a folder, declare.
type Import struct {
	Node
	Path *Literal `parser:"'import' (?= String) @@"` // a string
}

// Param is a name with a type: a parameter of a machine, an activity or a
// guard, or a field of an event or a record.
type Param struct {
	Node
	Name     *Name `parser:"@@"`
	Type     *Type `parser:"@@"`
	Optional bool  `parser:"@'?'?"` // it may be absent
}

// Type is a type as written.
type Type struct {
	Node
	Name  string `parser:"( @Name"`   // "int", "duration", the name of an enum or a record; empty for a list
	Range *Range `parser:"@@?"`       // of int and duration
	Len   *Range `parser:"| '[' @@?"` // of a list: how many items it may have; nil for any number
	Elem  *Type  `parser:"']' @@ )"`  // of a list
}

// Range is a range as written; both ends belong to it.
type Range struct {
	Node
	Lo *Literal `parser:"(?= '-'? ( Int | Duration ) ) @@ '..'"` // int or duration, Neg where a minus stands before it
	Hi *Literal `parser:"(?= '-'? ( Int | Duration ) ) @@"`
}

// Context declares the fields of a run.
type Context struct {
	Node
	Fields []*Field `parser:"'context' '{' ( @@ ','? )* '}'"`
	Bad    []*Bad   // fields that could not be understood
}

// Field is one field of the context.
type Field struct {
	Node
	Name    *Name `parser:"@@"`
	Type    *Type `parser:"@@"`
	Default Expr  `parser:"( '=' @@ )?"` // a literal: see settler.fieldDefault of the parser; or *BadExpr; nil without one
}

// Enum declares a type by its values, in a machine or in a file.
type Enum struct {
	Node
	Name   *Name   `parser:"'enum' @@"`
	Values []*Name `parser:"'{' @@ ( (?= ',' Name) ',' @@ )* ','? '}'"`
}

// Record declares a type by its fields, in a machine or in a file.
type Record struct {
	Node
	Name   *Name    `parser:"'record' @@"`
	Fields []*Param `parser:"'{' ( @@ ','? )* '}'"`
	Bad    []*Bad   // fields that could not be understood
}

// Event declares an event and its payload.
type Event struct {
	Node
	Name   *Name    `parser:"'event' @@"`
	Fields []*Param `parser:"( '{' ( @@ ','? )* '}' )?"`
	Bad    []*Bad   // fields that could not be understood
}

// Failures declares the categories of failure that activities may report.
type Failures struct {
	Node
	Names []*Name `parser:"'failures' '{' @@ ( (?= ',' Name) ',' @@ )* ','? '}'"`
}

// Activity declares a side effect: what it takes, raises, fails with and costs, and how
// many attempts of it may begin.
type Activity struct {
	Node
	Name      *Name       `parser:"'activity' @@ '('"`
	Params    []*Param    `parser:"( @@ ( ',' @@ )* )? ')'"`
	Results   []*Name     `parser:"( '->' @@ ( '|' @@ )* )?"`
	Fails     []*Name     `parser:"( 'fails' @@ ( ',' @@ )* )?"` // nil without `fails`; "none" alone stands for no category
	Costs     []*Cost     `parser:"( 'cost' @@ ( ',' @@ )* )?"`
	Throttles []*Throttle `parser:"@@*"`
}

// Throttle is a limit of an activity over all runs: `limit 10 at once` or `limit 5 per 1m`.
type Throttle struct {
	Node
	Count  *Literal `parser:"'limit' (?= '-'? Int) @@"` // Neg where a minus stands before it
	AtOnce bool     `parser:"( @'at' 'once'"`
	Window *Literal `parser:"| 'per' (?= '-'? Duration) @@ )"` // Neg likewise; nil for `at once`
}

// Cost is what one attempt costs in one currency.
type Cost struct {
	Node
	Name   *Name    `parser:"@@"`
	Amount *Literal `parser:"(?= Int | Number) @@"`
}

// Guard declares a predicate that the host answers.
type Guard struct {
	Node
	Name   *Name    `parser:"'guard' @@ '('"`
	Params []*Param `parser:"( @@ ( ',' @@ )* )? ')'"`
}

// Budget declares the most that a run may take.
type Budget struct {
	Node
	Lines []*BudgetLine `parser:"'budget' '{' ( @@ ','? )* '}'"`
}

// BudgetLine is `steps 40`, `time 2h`, or a cost's name and amount.
type BudgetLine struct {
	Node
	Name   *Name    `parser:"@@"`
	Amount *Literal `parser:"(?= Int | Number | Duration) @@"`
}

// Assert is a promise about all runs.
type Assert struct {
	Node
	Done    *Name    `parser:"'assert' ( (?= 'done' Name ( 'precedes' | 'leads' | 'excludes' | 'at' )) 'done' @@"` // whose success is meant; nil where a state is
	Subject *Path    `parser:"| @@ )"`
	Verb    string   `parser:"@( 'precedes' | 'leads' 'to' | 'excludes' | 'at' 'most' )"` // "precedes", "leads to", "excludes", "at most"
	Objects []*Path  `parser:"( @@ ( '|' @@ )*"`                                          // one, or for "leads to" several; none for "at most"
	N       *Literal `parser:"| (?= Int) @@ )"`
}
