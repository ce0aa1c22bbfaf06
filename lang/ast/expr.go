package ast

// Expr is an expression: *Ident, *EventField, *Now, *Len, *Call, *Selector,
// *Member, *Literal, *EmptyList, *List, *Object, *RecordLit, *Unary, *Binary,
// *IsSet, *Paren or *BadExpr.
type Expr interface {
	Any
	expr()
}

func (*Ident) expr()      {}
func (*EventField) expr() {}
func (*Now) expr()        {}
func (*Len) expr()        {}
func (*Call) expr()       {}
func (*Selector) expr()   {}
func (*Member) expr()     {}
func (*Literal) expr()    {}
func (*EmptyList) expr()  {}
func (*List) expr()       {}
func (*Object) expr()     {}
func (*RecordLit) expr()  {}
func (*Unary) expr()      {}
func (*Binary) expr()     {}
func (*IsSet) expr()      {}
func (*Paren) expr()      {}
func (*BadExpr) expr()    {}

// Ident is a name that stands for a value: a parameter or a field.
type Ident struct {
	Node
	Name string
}

// EventField is `event.Name`.
type EventField struct {
	Node
	Name *Name
}

// Now is the time of the step.
type Now struct{ Node }

// Len is `len(X)`; X is an *Ident, an *EventField, a *Selector or a *Member.
type Len struct {
	Node
	X Expr
}

// Call is a host guard, `min`, `max` or `text`, applied.
type Call struct {
	Node
	Func *Name
	Args []Expr
}

// Selector is `Enum.Value`, a field of a record (`order.total`), a value of the run
// itself (`run.id`), or what a json has under a key (`body.order`).
type Selector struct {
	Node
	X, Sel *Name
}

// Member is a field of a record or what a json has under a key, where X is no name
// alone: `event.order.total`, `body.order.items`.
type Member struct {
	Node
	X   Expr // *EventField, *Selector or *Member
	Sel *Name
}

// LiteralKind says what a Literal is.
type LiteralKind int

const (
	Int      LiteralKind = iota // 12, 1_000
	Number                      // 0.04
	Duration                    // 1h30m
	String                      // "…"
	Bool                        // true, false
)

// Literal is a literal as written. Text is the source text, with underscores
// and quotes, without a minus before it.
type Literal struct {
	Node
	Kind LiteralKind
	Text string `parser:"@( '-'? ( Int | Number | Duration ) | String | 'true' | 'false' )"`
	Neg  bool   // a minus stands before it; only in ranges and defaults
}

// EmptyList is `[]`.
type EmptyList struct{ Node }

// List is `[a, b]`, a list of a json, with at least one item.
type List struct {
	Node
	Items []Expr
}

// Object is `{"key": value}`, an object of a json.
type Object struct {
	Node
	Pairs []*Pair
}

// Pair is a key of an Object and its value.
type Pair struct {
	Node
	Key   *Literal // a string
	Value Expr
}

// RecordLit is a record with all its fields: `Order { id = x, total = 0 }`.
type RecordLit struct {
	Node
	Type   *Name
	Fields []*RecordValue
}

// RecordValue is one field of a RecordLit.
type RecordValue struct {
	Node
	Name  *Name
	Value Expr
}

// Unary is `!X` or `-X`.
type Unary struct {
	Node
	Op string
	X  Expr
}

// Binary is X Op Y. Op is one of || && == != < <= > >= + - *.
type Binary struct {
	Node
	Op   string
	X, Y Expr
}

// IsSet is `Name.Inner is set`, or with Not `Name.Inner is not set`.
type IsSet struct {
	Node
	Event bool // it is `event.Name.Inner`
	Name  *Name
	Inner []*Name // of a place in a record: what stands behind the points
	Not   bool
}

// Paren is an expression in parentheses, kept so that formatting can keep it.
type Paren struct {
	Node
	X Expr
}

// BadExpr is an expression that could not be understood.
type BadExpr struct{ Node }
