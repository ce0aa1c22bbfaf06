package lsp

import (
	"maps"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

func (c *completer) snippet(name, text string) {
	c.items = append(c.items, proto.CompletionItem{
		Label: name, Kind: proto.CompletionSnippet, Detail: "a " + name + ", to fill in", InsertText: text, InsertTextFormat: proto.InsertSnippet,
	})
}

// opening are the words with which a line may begin: in an effect block fields and
// `publish`, in the fields of a context nothing.
func (c *completer) opening() {
	switch c.around().(type) {
	case *ast.Block:
		c.words("publish")
		c.values(false)
	case *ast.Context, *ast.Record, *ast.Event, *ast.Enum, *ast.Failures:
	case *ast.Budget:
		c.words("steps", "time")
		c.costs()
	case *ast.State:
		c.words("initial", "state", "on", "after", "do", "entry", "exit", "require", "ignore", "defer", "else")
		c.snippet("state", "state ${1:Name} {\n    $0\n}")
	default:
		c.words("context", "enum", "record", "event", "failures", "activity", "guard", "budget", "assert", "initial", "state", "terminal", "on", "after", "do", "entry", "exit", "require", "ignore", "defer", "else")
		c.snippet("state", "state ${1:Name} {\n    $0\n}")
		c.snippet("event", "event ${1:Name} {\n    ${2:field} ${3:string}\n}")
		c.snippet("activity", "activity ${1:name}(${2}) -> ${3:Done} fails ${4:none}")
	}
}

// around is the innermost node with braces around the cursor.
func (c *completer) around() (found ast.Any) {
	ast.Walk(c.tree(c.doc.path), func(n ast.Any) bool {
		s := n.Span()
		if c.offset <= s.Start.Offset || c.offset >= s.End.Offset {
			return false
		}
		switch n.(type) {
		case *ast.Machine, *ast.State, *ast.Block, *ast.Context, *ast.Record, *ast.Event, *ast.Enum, *ast.Failures, *ast.Budget:
			found = n
		}
		return true
	})
	return found
}

func (c *completer) states() {
	for _, s := range c.m.States {
		if s != c.m.Root {
			c.add(proto.CompletionModule, s.Name, ir.StateName.String()+" "+s.Path, s.Doc)
			if s.Depth > 1 {
				c.add(proto.CompletionModule, s.Path, "", s.Doc)
			}
		}
	}
}

func (c *completer) events() {
	for _, e := range c.m.Events {
		if e.Terminal == nil {
			c.add(proto.CompletionEvent, e.Name, "event", e.Doc)
		}
	}
}

func (c *completer) triggers() {
	c.events()
	c.words("done", "failed", "cancel", "over_budget")
	for _, d := range c.m.Dos {
		c.add(proto.CompletionVariable, d.Label, "label of "+d.Activity.Name, "")
	}
}

func (c *completer) categories(builtIn bool) {
	for _, cat := range c.m.Categories {
		if builtIn || !cat.BuiltIn {
			c.add(proto.CompletionConstant, cat.Name, "category", builtIns[cat.Name])
		}
	}
	if !builtIn {
		c.words("none")
	}
}

func (c *completer) costs() {
	for _, a := range c.m.Activities {
		for _, cost := range a.Costs {
			c.add(proto.CompletionConstant, cost.Name, "cost", "")
		}
		for _, name := range a.Below {
			c.add(proto.CompletionConstant, name, "cost", "")
		}
	}
}

func (c *completer) activities() {
	for _, a := range c.m.Activities {
		if a.Machine == nil {
			var params []string
			for _, p := range ir.Declarations(a.Params) {
				params = append(params, p.Name+" "+p.Type.String())
			}
			c.add(proto.CompletionFunction, a.Name, a.Name+"("+strings.Join(params, ", ")+")", a.Doc)
		}
	}
	c.words("machine")
}

func (c *completer) machines() {
	for _, m := range c.unit().Program.Machines {
		if m != c.m {
			c.add(proto.CompletionClass, m.Name, "machine", m.Doc)
		}
	}
}

func (c *completer) types() {
	for _, name := range []string{"bool", "int", "float", "string", "duration", "time", "json"} {
		c.add(proto.CompletionStruct, name, "type", builtIns[name])
	}
	records := c.m.Records
	for _, f := range c.unit().Program.Files {
		records = append(slices.Clip(records), f.Records...)
	}
	for _, e := range c.enums() {
		c.add(proto.CompletionEnum, e.Name, "enum: "+strings.Join(e.Values, ", "), e.Doc)
	}
	for _, r := range records {
		c.add(proto.CompletionStruct, r.Name, "record", r.Doc)
	}
}

// enums are those of the machine and of files.
func (c *completer) enums() []*ir.Enum {
	all := c.m.Enums
	for _, f := range c.unit().Program.Files {
		all = append(slices.Clip(all), f.Enums...)
	}
	return all
}

// values are what can be read; where an expression stands also what makes one.
func (c *completer) values(expression bool) {
	for _, v := range c.vars() {
		kind := "field "
		if v.Param {
			kind = "parameter "
		}
		c.add(proto.CompletionVariable, v.Declared(), kind+v.DeclaredType().String(), v.Doc)
	}
	if !expression {
		return
	}
	c.constants()
	for _, g := range c.m.Guards {
		c.add(proto.CompletionFunction, g.Name, "guard", g.Doc)
	}
	c.words("event", "unset")
}

// constants are what an expression may have beside fields, the event and host guards.
func (c *completer) constants() {
	for _, e := range c.enums() {
		for _, value := range e.Values {
			c.add(proto.CompletionEnumMember, e.Name+"."+value, "enum", e.Doc)
		}
	}
	c.words("now", "min", "max", "len", "text", "true", "false", "run")
}

func (c *completer) vars() []*ir.Var { return slices.Concat(c.m.Params, c.m.Fields) }

// behindPoint are the parts of what stands before the point at the end of tokens.
func (c *completer) behindPoint(name string, tokens []string) {
	if name == "event" {
		c.payload()
		return
	}
	if name == "run" {
		for _, own := range slices.Sorted(maps.Keys(ir.OwnValues)) {
			c.add(proto.CompletionField, own, "", "")
		}
	}
	for _, v := range c.vars() {
		if v.Declared() == name && v.DeclaredType().Kind == ir.RecordKind {
			for _, f := range v.DeclaredType().Record.Fields {
				c.add(proto.CompletionField, f.Name, f.Type.String(), f.Doc)
			}
		}
	}
	for _, e := range c.enums() {
		if e.Name == name {
			for _, value := range e.Values {
				c.add(proto.CompletionEnumMember, value, "", "")
			}
		}
	}
	for _, d := range c.m.Dos {
		if d.Label == name && tokens[0] == "on" {
			for _, e := range d.Activity.Results {
				c.add(proto.CompletionEvent, e.Exit(), "event", e.Doc)
			}
			c.words("failed")
		}
	}
	for _, s := range c.m.States {
		if s.Name == name {
			for _, inner := range s.Children {
				c.add(proto.CompletionModule, inner.Name, "state", inner.Doc)
			}
		}
	}
}

// payload are the fields of the events of the handler around the cursor.
func (c *completer) payload() {
	var around *ir.Handler
	for _, s := range c.m.States {
		for _, h := range s.Handlers {
			if h.Span.Start.Offset <= c.offset && (around == nil || h.Span.Start.Offset > around.Span.Start.Offset) {
				around = h
			}
		}
	}
	if around == nil {
		return
	}
	for _, t := range around.Triggers {
		for _, f := range t.Fields() {
			c.add(proto.CompletionField, f.Declared(), f.Type.String(), f.Doc)
		}
	}
}
