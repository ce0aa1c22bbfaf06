package ast

// Children calls visit for each node directly below n, in the order of the
// source.
func Children(n Any, visit func(Any)) {
	v := visitor(visit)
	switch n := n.(type) {
	case *File:
		inOrder(v, n.Machines, n.Bad)
	case *Machine:
		one(v, n.Name)
		all(v, n.Params)
		all(v, n.Items)
	case *State:
		one(v, n.Name)
		all(v, n.Items)
	case *Path:
		all(v, n.Names)
	default:
		v.declaration(n)
		v.member(n)
		v.step(n)
		v.expr(n)
	}
}

type visitor func(Any)

func (v visitor) declaration(n Any) {
	switch n := n.(type) {
	case *Param:
		one(v, n.Name)
		one(v, n.Type)
	case *Type:
		one(v, n.Range)
		one(v, n.Elem)
	case *Range:
		one(v, n.Lo)
		one(v, n.Hi)
	case *Context:
		inOrder(v, n.Fields, n.Bad)
	case *Field:
		one(v, n.Name)
		one(v, n.Type)
		some(v, n.Default)
	case *Enum:
		one(v, n.Name)
		all(v, n.Values)
	case *Event:
		one(v, n.Name)
		inOrder(v, n.Fields, n.Bad)
	case *Failures:
		all(v, n.Names)
	case *Activity:
		one(v, n.Name)
		all(v, n.Params)
		all(v, n.Results)
		all(v, n.Fails)
		all(v, n.Costs)
	case *Cost:
		one(v, n.Name)
		one(v, n.Amount)
	case *Guard:
		one(v, n.Name)
		all(v, n.Params)
	case *Budget:
		all(v, n.Lines)
	case *BudgetLine:
		one(v, n.Name)
		one(v, n.Amount)
	case *Assert:
		one(v, n.Subject)
		all(v, n.Objects)
		one(v, n.N)
	}
}

func (v visitor) member(n Any) {
	switch n := n.(type) {
	case *Initial:
		one(v, n.Target)
	case *Terminal:
		one(v, n.Name)
		one(v, n.Block)
	case *On:
		all(v, n.Triggers)
		all(v, n.Arms)
	case *Trigger:
		one(v, n.Label)
		one(v, n.Name)
		all(v, n.Categories)
	case *After:
		some(v, n.Delay)
		one(v, n.Jitter)
		all(v, n.Arms)
	case *Do:
		one(v, n.Activity)
		all(v, n.Args)
		one(v, n.Label)
		one(v, n.Scope)
		all(v, n.Limits)
	case *Limit:
		one(v, n.Value)
	case *Entry:
		one(v, n.Block)
	case *Exit:
		one(v, n.Block)
	case *Require:
		some(v, n.Cond)
		one(v, n.Target)
	case *Ignore:
		all(v, n.Events)
	case *Defer:
		all(v, n.Events)
	}
}

func (v visitor) step(n Any) {
	switch n := n.(type) {
	case *Arm:
		some(v, n.When)
		some(v, n.Step)
	case *Goto:
		one(v, n.Target)
		one(v, n.Bound)
		one(v, n.Block)
	case *Bound:
		one(v, n.Max)
		one(v, n.Scope)
	case *Scope:
		one(v, n.Target)
	case *Retry:
		one(v, n.Max)
		one(v, n.Scope)
		one(v, n.Backoff)
		one(v, n.Block)
	case *Backoff:
		some(v, n.By)
		one(v, n.First)
		one(v, n.Last)
		one(v, n.Factor)
		one(v, n.Jitter)
	case *Stay:
		one(v, n.Block)
	case *Block:
		all(v, n.Effects)
	case *Assign:
		one(v, n.Name)
		some(v, n.Value)
	case *Publish:
		one(v, n.Event)
		all(v, n.Fields)
	}
}

func (v visitor) expr(n Any) {
	switch n := n.(type) {
	case *EventField:
		one(v, n.Name)
	case *Len:
		some(v, n.X)
	case *Call:
		one(v, n.Func)
		all(v, n.Args)
	case *Selector:
		one(v, n.X)
		one(v, n.Sel)
	case *Unary:
		some(v, n.X)
	case *Binary:
		some(v, n.X)
		some(v, n.Y)
	case *IsSet:
		one(v, n.Name)
	case *Paren:
		some(v, n.X)
	}
}

// one visits n unless it is a nil pointer.
func one[T any, P interface {
	*T
	Any
}](v visitor, n P) {
	if n != nil {
		v(n)
	}
}

// some visits n unless it is a nil interface.
func some(v visitor, n Any) {
	if n != nil {
		v(n)
	}
}

func all[T Any](v visitor, nodes []T) {
	for _, n := range nodes {
		v(n)
	}
}

// inOrder visits the nodes of two lists, each in the order of the source,
// merged.
func inOrder[T Any](v visitor, nodes []T, bad []*Bad) {
	for _, b := range bad {
		for len(nodes) > 0 && nodes[0].Span().Start.Offset < b.Pos.Offset {
			v(nodes[0])
			nodes = nodes[1:]
		}
		v(b)
	}
	all(v, nodes)
}
