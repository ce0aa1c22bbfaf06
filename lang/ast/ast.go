// Package ast is the syntax tree of a .fsm file: what was written, where, with
// its comments, and with a Bad node where it could not be understood. It knows
// no meaning: names are not resolved and types are not checked.
package ast

import (
	"iter"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// Node is embedded in every node. The parser fills Pos and EndPos: EndPos is
// the place just behind the last token of the node.
type Node struct {
	Pos      token.Pos
	EndPos   token.Pos
	Comments *Comments // nil where none are attached
}

// Span is where the node stands.
func (n *Node) Span() token.Span { return token.Span{Start: n.Pos, End: n.EndPos} }

// Base is the node itself, for passes that treat all nodes alike.
func (n *Node) Base() *Node { return n }

// Any is any node of the tree.
type Any interface {
	Span() token.Span
	Base() *Node
}

// Comment is one line comment. Text begins with "//" and has no line end.
type Comment struct {
	Pos  token.Pos
	Text string
}

// Comments are the comments that belong to a node.
type Comments struct {
	Before []*Comment // on lines of their own above the node
	Suffix []*Comment // behind the node, on its last line
	Inside []*Comment // on lines of their own before the closing brace of the node
}

// File is one source file.
type File struct {
	Node
	Name     string
	Decls    []Decl
	Comments []*Comment // all of the file, in order; attached ones too
}

// Decl is what may stand in a file outside all braces: *Import, *Enum, *Record,
// *Machine or *Scenario, or a Bad.
type Decl interface {
	Any
	decl()
}

func (*Import) decl()   {}
func (*Enum) decl()     {}
func (*Record) decl()   {}
func (*Machine) decl()  {}
func (*Scenario) decl() {}
func (*Bad) decl()      {}

// Of yields the nodes of one kind in list, in order.
func Of[T, N Any](list []N) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, n := range list {
			if t, ok := any(n).(T); ok && !yield(t) {
				return
			}
		}
	}
}

// Name is an identifier where it stands.
type Name struct {
	Node
	Text string `parser:"@Name"`
}

// Path is a target: names joined by dots.
type Path struct {
	Node
	Names []*Name `parser:"@@ ( '.' @@ )*"`
}

// Bad is a stretch of text that could not be understood. The diagnostic that
// says why has been reported.
type Bad struct {
	Node
}

// Machine is one machine with all that stands in it.
type Machine struct {
	Node
	Name   *Name    `parser:"'machine' @@"`
	Params []*Param `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	Items  []Item   `parser:"'{' @@* '}'"`
}

// Item is what may stand between the braces of a machine or a state: a
// declaration (machines only) or a member, or a Bad.
type Item interface {
	Any
	item()
}

func (*Context) item()  {}
func (*Enum) item()     {}
func (*Record) item()   {}
func (*Event) item()    {}
func (*Failures) item() {}
func (*Activity) item() {}
func (*Guard) item()    {}
func (*Budget) item()   {}
func (*Assert) item()   {}
func (*Initial) item()  {}
func (*State) item()    {}
func (*Terminal) item() {}
func (*On) item()       {}
func (*After) item()    {}
func (*Do) item()       {}
func (*Entry) item()    {}
func (*Exit) item()     {}
func (*Require) item()  {}
func (*Ignore) item()   {}
func (*Defer) item()    {}
func (*Bad) item()      {}
