package breaking

import (
	"embed"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Rule is the record of one rule.
type Rule struct {
	Name    string // kebab-case
	Family  Family
	Summary string // one line: what a point means

	run func(*pair) // reports the points of a machine that both programs have; nil where Compare itself does
}

// Family says who notices a change.
type Family string

// The families, in the order in which they are listed.
const (
	Wire     Family = "wire"
	Runs     Family = "runs"
	Promises Family = "promises"
)

// Families are all of them, with who notices.
var Families = []struct {
	Family
	Who string
}{
	{Wire, "senders, activities and consumers of messages"},
	{Runs, "unfinished runs, which fsmc migrate is to move"},
	{Promises, "whoever relies on what the machine promises"},
}

// Severity is that of the points of r: what breaks is an error. A fault of a comment is not.
func (r *Rule) Severity() diag.Severity {
	if r == badAllow {
		return diag.Warning
	}
	return diag.Error
}

//go:embed pages/*.md
var pages embed.FS

// Page is the page of r, as Markdown: what it means, a change that it reports, and one
// that it does not.
func (r *Rule) Page() string {
	text, err := pages.ReadFile("pages/" + r.Name + ".md")
	if err != nil {
		panic("breaking: rule " + r.Name + " has no page")
	}
	return string(text)
}

// Point is one thing that breaks.
type Point struct {
	Rule    *Rule
	Machine string
	New     token.Span // where it stands in the new program; the name of the machine where it is gone
	Old     token.Span // the same of the old program
	Message string
	Help    string
	Witness *diag.Witness // a run that shows it; nil where the text does
	Bites   Bites
	By      *ir.Machine // of the new program; nil where that has none of the name
}

// Bites says which unfinished runs of the old machine a point concerns. The zero value
// is all of them.
type Bites struct {
	State string // those that stand in it; empty for all
	None  bool   // only runs that are yet to start
}

// Diagnostic is p as the printers of findings take it.
func (p *Point) Diagnostic() diag.Diagnostic {
	d := diag.Diagnostic{
		Rule: p.Rule.Name, Severity: p.Rule.Severity(), Machine: p.Machine,
		Span: p.New, Message: p.Message, Help: p.Help, Witness: p.Witness,
	}
	if p.Old.IsValid() {
		d.Related = []diag.Related{{Span: p.Old, Message: "before"}}
	}
	return d
}
