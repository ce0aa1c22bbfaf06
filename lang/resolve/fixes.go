package resolve

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// replace is the fix that writes text in place of what stands at span.
func replace(span token.Span, text string) []diag.Fix {
	return []diag.Fix{{Message: "write " + quote(text), Safe: true, Edits: []diag.Edit{{Span: span, Text: text}}}}
}

// maxInitials is how many states are offered as the one in which to begin.
const maxInitials = 5

// initials are fixes by which n, which does not say so, begins in one of its states. There
// is no choice where only one of them is no terminal.
func (r *resolver) initials(n *node) []diag.Fix {
	var names []string
	for _, c := range n.ir.Children {
		if c.Kind != ir.Terminal && c.Name != nameless {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	at := n.ir.Children[0].Decl.Start
	var fixes []diag.Fix
	for _, name := range names[:min(len(names), maxInitials)] {
		text := "initial " + name
		fixes = append(fixes, diag.Fix{
			Message: "add `" + text + "`", Safe: len(names) == 1,
			Edits: []diag.Edit{diag.Insert(at, text+lineLike(at))},
		})
	}
	return fixes
}

// declareEvent is the fix that declares an event, for a name that is none.
func (r *resolver) declareEvent(name *ast.Name) []diag.Fix {
	for src := range ast.Of[*ast.Event](r.src.Items) {
		at := src.Whole().Start
		return declare("event "+name.Text, at)
	}
	if n := r.root; n != nil && len(n.ir.Children) > 0 {
		return declare("event "+name.Text, n.ir.Children[0].Decl.Start)
	}
	return nil
}

// declareTerminal is the fix that declares a terminal state, for a target that is none.
func (r *resolver) declareTerminal(path *ast.Path) []diag.Fix {
	if len(path.Names) > 1 || len(r.root.ir.Children) == 0 {
		return nil
	}
	end := r.m.Body.End
	end.Offset--
	end.Column--
	text := "terminal " + path.Names[0].Text
	if soundsBad(path.Names[0].Text) {
		text += " failure"
	}
	indent := r.root.ir.Children[0].Body.Start.Column - 1
	text = strings.Repeat(" ", max(0, indent-(end.Column-1))) + text + lineLike(end)
	return []diag.Fix{{Message: "declare `" + strings.TrimSpace(text) + "`", Edits: []diag.Edit{diag.Insert(end, text)}}}
}

// soundsBad reports whether a run that ends in a state of that name has most likely failed.
func soundsBad(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"fail", "error", "expired", "reject", "declin", "refus", "abort", "timeout", "timedout", "lost"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}

func declare(text string, at token.Pos) []diag.Fix {
	return []diag.Fix{{Message: "declare `" + text + "`", Edits: []diag.Edit{diag.Insert(at, text+lineLike(at))}}}
}

// lineLike is the end of a line, and what stands in front of pos on its own one.
func lineLike(pos token.Pos) string { return "\n" + strings.Repeat(" ", pos.Column-1) }
