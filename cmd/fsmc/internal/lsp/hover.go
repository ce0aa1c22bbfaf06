package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// hover says what the name at the cursor means: its declaration, its comment, and of a
// state its worst visit and who leads there; of an arm its bound; of a rule its page.
func hover(_ context.Context, v *view, p proto.TextDocumentPositionParams) (any, error) {
	offset := v.offset(p.Position)
	if text, at := v.ruleAt(offset); text != "" {
		return v.say(text, at), nil
	}
	refs := v.names().at(v.doc.path, offset)
	var parts []string
	for _, r := range refs {
		if text := v.about(r); text != "" && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if len(parts) > 0 {
		return v.say(strings.Join(parts, "\n\n---\n\n"), refs[0].Span()), nil
	}
	if m := v.machineAt(offset); m != nil {
		at := slices.IndexFunc(m.Arms, func(a *ir.Arm) bool { return a.Span.Start.Offset <= offset && offset < a.Span.End.Offset }) // the innermost
		if at >= 0 && armText(m.Arms[at]) != "" {
			return v.say(armText(m.Arms[at]), m.Arms[at].Span), nil
		}
	}
	return nil, nil
}

func (v *view) say(text string, at token.Span) proto.Hover {
	where := v.rangeOf(at)
	return proto.Hover{Contents: proto.MarkupContent{Kind: "markdown", Value: text}, Range: &where}
}

// ruleAt is the page of the rule that a suppression at a place names.
func (v *view) ruleAt(offset int) (string, token.Span) {
	at := v.doc.file.Pos(offset)
	line := v.doc.file.Line(at.Line)
	const directive = "//fsmc:allow "
	begin := strings.Index(line, directive)
	if begin < 0 {
		return "", token.Span{}
	}
	rule, _, _ := strings.Cut(line[begin+len(directive):], " ")
	start := v.doc.file.LineStart(at.Line) + begin + len(directive)
	if offset < start || offset > start+len(rule) {
		return "", token.Span{}
	}
	return page(rule), v.doc.file.Span(start, start+len(rule))
}

// about is what is said of a name.
func (v *view) about(r ir.Ref) string {
	switch {
	case r.Kind == ir.KeyName:
		return "a key of a json"
	case r.Kind == ir.BuiltInName:
		return builtIns[textOf(v.unit(), r)]
	}
	n, doc := v.declaration(r.Decl)
	if n == nil {
		return ""
	}
	text := "```fsm\n" + v.heading(r, n) + "\n```"
	if doc != "" {
		text += "\n\n" + doc
	}
	switch r.Kind {
	case ir.StateName, ir.TerminalName:
		text += v.aboutState(r.Decl)
	case ir.ActivityName:
		text += v.aboutActivity(r.Decl)
	}
	return text
}

// declaration is the node that declares the name at a place, with its comment.
func (s *snapshot) declaration(at token.Pos) (found ast.Any, doc string) {
	ast.Walk(s.tree(at.Filename), func(n ast.Any) bool {
		span := n.Span()
		if at.Offset < span.Start.Offset || at.Offset >= span.End.Offset {
			return false
		}
		if _, name := n.(*ast.Name); !name {
			found = n
			declares, _ := symbolOf(n)
			_, param := n.(*ast.Param)
			if d := n.Base().Doc(); d != "" || declares != nil || param { // the comment of what is declared, and not of what is around it
				doc = d
			}
		}
		return true
	})
	if found != nil {
		return found, doc
	}
	if file := s.file(at.Filename); file != nil { // one that is only imported: its line
		line := strings.TrimSpace(file.Line(at.Line))
		return &ast.Name{Text: line}, ""
	}
	return nil, ""
}

// heading is the declaration of r on one line, or the first line of it.
func (s *snapshot) heading(r ir.Ref, n ast.Any) string {
	if name, is := n.(*ast.Name); is {
		return name.Text
	}
	text := string(s.file(r.Decl.Filename).Src[n.Span().Start.Offset:n.Span().End.Offset])
	line, _, more := strings.Cut(text, "\n")
	line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "{"))
	if more && (r.Kind == ir.EnumName || r.Kind == ir.RecordName || r.Kind == ir.EventName) {
		return text
	}
	switch r.Kind {
	case ir.ParamName, ir.FieldName, ir.MemberName, ir.PayloadName, ir.ArgumentName, ir.ValueName, ir.CategoryName, ir.LabelName, ir.ElementName, ir.CostName:
		return r.Kind.String() + " " + line
	}
	return line
}

// aboutState says what the worst visit of the state declared at a place takes, and from
// where it is entered.
func (s *snapshot) aboutState(at token.Pos) string {
	for _, m := range s.unit().Program.Machines {
		for _, state := range m.States {
			if state.Span.Start != at || state == m.Root {
				continue
			}
			var from []string
			for _, a := range m.Arms {
				if a.Target == state && !slices.Contains(from, a.State.Path) {
					from = append(from, a.State.Path)
				}
			}
			if state.Parent != nil && state.Parent.Initial == state {
				from = append([]string{"the start of " + state.Parent.Name}, from...)
			}
			text := "\n\nin machine " + m.Name + ", path `" + state.Path + "`"
			if w := s.worst(m); w != nil {
				if v := w.Visit(state.Path); v != nil {
					text += "\n\n" + visitText(v)
				}
			}
			if len(from) > 0 {
				text += "\n\nentered from: " + strings.Join(from, ", ")
			}
			return text
		}
	}
	return ""
}

// aboutActivity says how often the activity declared at a place is run at most.
func (s *snapshot) aboutActivity(at token.Pos) string {
	for _, m := range s.unit().Program.Machines {
		for _, a := range m.Activities {
			if a.Span.Start != at {
				continue
			}
			w := s.worst(m)
			if w == nil || a.Index >= len(w.Activities) || w.Activities[a.Index].Name != a.Name {
				return ""
			}
			return fmt.Sprintf("\n\nattempts in a run, at most: %s", amountText(w.Activities[a.Index].Amount))
		}
	}
	return ""
}

// armText says how often an arm is taken.
func armText(a *ir.Arm) string {
	switch {
	case a.Kind == ir.Retry && a.Max != nil:
		return retryText(a)
	case a.Max != nil:
		return fmt.Sprintf("taken at most %d times %s", *a.Max, map[ir.ScopeKind]string{ir.PerRun: "in a run", ir.PerVisit: "in a visit", ir.PerState: "in a visit of the state that it names"}[a.Scope.Kind])
	case a.Unbounded:
		return "taken any number of times: the machine says `unbounded`"
	}
	return ""
}

// builtIns are what the language declares itself.
var builtIns = map[string]string{
	"bool": "`true` or `false`", "int": "a whole number of 64 bits", "float": "a number of 64 bits", "string": "a text",
	"duration": "a length of time, such as `1h30m`", "time": "an instant", "json": "any JSON value",
	"now": "the time of the step", "min": "the smaller of two values", "max": "the greater of two values", "len": "the length of a text or a list", "text": "a value as a text",
	"unknown": "a category of failure that every machine has: an error no one classified",
	"timeout": "a category of failure that every machine has: the attempt ran longer than its `do` allows",
	"silent":  "a category of failure that every machine has: no heartbeat came for so long",
	"stalled": "a category of failure that every machine has: no checkpoint came for so long",
	"run":     "the run itself: `run.id`, `run.started`, `run.machine`",
}
