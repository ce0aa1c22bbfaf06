package resolve

import (
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// The rules that this package reports.
const (
	duplicateName  = "duplicate-name"
	unknownName    = "unknown-name"
	typeMismatch   = "type-mismatch"
	badLiteral     = "bad-literal"
	badTarget      = "bad-target"
	missingInitial = "missing-initial"
	nestedTerminal = "nested-terminal"
	missingRange   = "missing-range"
	guardTooRich   = "guard-too-rich"
	notYet         = "not-yet"
	ambiguousLabel = "ambiguous-label"
	unboundedLoop  = "unbounded-loop"
)

// quote puts a name between double quotes.
func quote(name string) string { return strconv.Quote(name) }

// article is the indefinite article that goes before noun.
func article(noun string) string {
	if strings.ContainsRune("aeiouAEIOU", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// count is n with noun in the right number.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// duplicate reports that name is taken by first.
func (r *resolver) duplicate(kind string, name, first *ast.Name) {
	message := kind + " " + quote(name.Text) + " is declared twice"
	if name.Text != first.Text {
		message = kind + " " + quote(name.Text) + " and " + quote(first.Text) +
			" have one name in generated Go, " + quote(ir.Exported(name.Text))
	}
	r.report(duplicateName, name.Span(), message, "Rename one of the two, or remove it.",
		related(first.Span(), "first declared here"))
}

// second reports a second one of what a state or a block has once.
func (r *resolver) second(span token.Span, message, help string, first token.Span) {
	r.report(duplicateName, span, message, help, related(first, "the first is here"))
}

// forbidden reports a name that the language keeps for itself.
func (r *resolver) forbidden(name *ast.Name, kind, why string) {
	r.report(duplicateName, name.Span(), article(kind)+" may not be called "+quote(name.Text)+": "+why, "Choose another name.")
}

// unknown reports that name, meant as a kind, is declared nowhere. Beside a
// bad item, which may have declared it, only a misspelt name is reported.
func (r *resolver) unknown(kind string, name *ast.Name, nearest string) {
	gaps := r.gaps || r.file.gaps && (kind == "type" || kind == "enum" || kind == "machine")
	if gaps && nearest == "" {
		r.m.Broken = true
		return
	}
	help := "Declare it, or name " + article(kind) + " that is declared."
	r.misspelt(unknownName, name.Span(), "unknown "+kind+" "+quote(name.Text), help, nearest)
}

// misspelt reports a name, and offers the nearest one as a fix where there is
// one.
func (r *resolver) misspelt(rule string, span token.Span, message, help, nearest string) {
	if nearest == "" {
		r.report(rule, span, message, help)
		return
	}
	d := r.report(rule, span, message, "Did you mean "+quote(nearest)+"?")
	d.Fixes = replace(span, nearest)
}

// replace is the fix that writes text in place of what stands at span.
func replace(span token.Span, text string) []diag.Fix {
	return []diag.Fix{{Message: "write " + quote(text), Edits: []diag.Edit{{Span: span, Text: text}}}}
}

// related is a second place.
func related(span token.Span, message string) diag.Related {
	return diag.Related{Span: span, Message: message}
}

// mismatch reports a value with the wrong type.
func (r *resolver) mismatch(span token.Span, message, help string) {
	r.report(typeMismatch, span, message, help)
}

// literal reports a literal that is no value.
func (r *resolver) literal(span token.Span, message, help string) {
	r.report(badLiteral, span, message, help)
}

// named is t without its range or length, as messages name it.
func named(t *ir.Type) string {
	if t.Kind == ir.List && t.Elem == nil {
		return "empty list"
	}
	plain := *t
	plain.Range, plain.Len = nil, nil
	return plain.String()
}
