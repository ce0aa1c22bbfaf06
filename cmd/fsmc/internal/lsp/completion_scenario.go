package lsp

import (
	"slices"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// scenarioAt is the scenario of the text around a place; nil for none.
func (v *view) scenarioAt(offset int) *ir.Scenario {
	for _, s := range v.unit().Program.Scenarios {
		if s.Body.Start.Filename == v.doc.path && s.Body.Start.Offset <= offset && offset <= s.Body.End.Offset && s.Machine != nil {
			return s
		}
	}
	return nil
}

// scenario is what may stand in a line of a scenario behind its tokens.
func (c *completer) scenario(tokens []string) {
	if len(tokens) == 0 {
		c.words("send", "wait", "cancel", "guard", "expect", "repeat")
		c.attempts()
		return
	}
	switch last := tokens[len(tokens)-1]; {
	case last == ".":
		c.behindPoint(tokens[max(len(tokens)-2, 0)], tokens)
	case last == "send" && len(tokens) == 1:
		for _, e := range c.m.Events {
			if e.External() {
				c.add(proto.CompletionEvent, e.Name, "event", e.Doc)
			}
		}
	case last == "published":
		c.events()
	case last == "guard" && len(tokens) == 1:
		for _, g := range c.m.Guards {
			c.add(proto.CompletionFunction, g.Name, "guard", g.Doc)
		}
	case tokens[0] == "guard":
		c.words("true", "false")
	case last == "cost" && len(tokens) > 1 || last == "," && slices.Contains(tokens, "cost"):
		c.costs()
	case last == "fails":
		c.categories(true)
	case last == "->":
		c.results(tokens[0])
	case last == "waiting" || last == "of":
		c.attempts()
	case last == "expect":
		c.states()
		c.values(false)
		c.constants()
		c.words("refused", "ended", "halted", "attempt", "published", "waiting")
	case tokens[0] == "expect": // it asks no host guard, and there is no event
		c.values(false)
		c.constants()
	case tokens[0] == "send":
		c.words("refused")
	case slices.Contains(tokens, "->") || slices.Contains(tokens, "fails") || last == "checkpoint":
		c.words("cost")
	case len(tokens) == 1 || last == "]":
		c.words("->", "fails", "checkpoint", "lost")
	}
}

// attempts are what names attempts: labels and activities.
func (c *completer) attempts() {
	for _, d := range c.m.Dos {
		c.add(proto.CompletionVariable, d.Label, "label of "+d.Activity.Name, "")
		c.add(proto.CompletionFunction, d.Activity.Name, "activity", d.Activity.Doc)
	}
}

// results are the ways in which what a name means ends well.
func (c *completer) results(name string) {
	for _, d := range c.m.Dos {
		if d.Label != name && d.Activity.Name != name {
			continue
		}
		for _, e := range d.Activity.Results {
			c.add(proto.CompletionEvent, e.Exit(), "event", e.Doc)
		}
		if d.Activity.Silent() {
			c.words("done")
		}
	}
}
