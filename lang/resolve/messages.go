package resolve

import (
	"slices"
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
	r.misnamed[name.Text] = true
	r.report(duplicateName, name.Span(), diag.Article(kind)+" may not be called "+quote(name.Text)+": "+why, "Choose another name.")
}

// isMisnamed reports whether a declaration that r sees took name, which the language keeps for
// itself: then either may be meant, and the declaration alone is reported.
func (r *resolver) isMisnamed(name string) bool {
	if !r.misnamed[name] && (r.file == nil || !r.file.misnamed[name]) {
		return false
	}
	r.m.Broken = true
	return true
}

// unknown reports that name, meant as a kind, is declared nowhere. Beside a
// bad item, which may have declared it, only a misspelt name is reported.
func (r *resolver) unknown(kind string, name *ast.Name, nearest string) {
	gaps := r.gaps || r.file.gaps && (kind == "type" || kind == "enum" || kind == "machine") || kind == "cost" && r.lostCall()
	if gaps && nearest == "" {
		r.m.Broken = true
		return
	}
	help := "Declare it, or name " + diag.Article(kind) + " that is declared."
	switch kind {
	case "category":
		help = `Declare it, as in "failures { ` + name.Text + ` }", or name a category that is declared.`
	case "cost":
		help = `Declare it for an activity, as in "activity a()  cost ` + name.Text + ` 1", or name a cost that is declared.`
	}
	if file := r.declaredIn(kind, name.Text); file != "" {
		help, nearest = "It is declared in "+quote(file)+": import that file here. What it is imported by does not bring it.", ""
	}
	instead := r.instead(kind, name.Text)
	if instead != "" {
		help, nearest = instead, ""
	}
	d := r.misspelt(unknownName, name.Span(), "unknown "+kind+" "+quote(name.Text), help, nearest)
	if kind == "event" && nearest == "" && instead == "" && r.src != nil {
		d.Fixes = append(d.Fixes, r.declareEvent(name)...)
	}
}

// lostCall reports whether a state calls a machine that has not been found, or calls it as an
// activity: what that machine may spend is not known.
func (r *resolver) lostCall() bool {
	for _, n := range r.nodes {
		for src := range ast.Of[*ast.Do](n.items) {
			if !present(src.Activity) || r.calls[src.Activity.Text] != nil {
				continue
			}
			if _, machine := r.file.callables[src.Activity.Text]; src.Machine || machine {
				return true
			}
		}
	}
	return false
}

// noTypes are what other languages call a list.
var noTypes = map[string]bool{"list": true, "array": true, "slice": true, "vector": true}

// noInputs is advice about what other languages take for an input.
var noInputs = map[string]string{
	"entry": entryAlone, "enter": entryAlone, "exit": exitAlone, "leave": exitAlone,
	"any": eachNamed, "all": eachNamed, "default": eachNamed, "always": `Write "on done": a state without activities raises it at once.`,
}

const (
	entryAlone = `Write "entry { … }", without "on".`
	exitAlone  = `Write "exit { … }", without "on".`
	eachNamed  = `Name the events, as in "on A, B"; "on failed" takes every failure.`
)

// noValues are what other languages call a value that is not there.
var noValues = map[string]bool{"none": true, "nil": true, "undefined": true}

// instead is advice about name, meant as a kind, where it is something else; empty for none.
func (r *resolver) instead(kind, name string) string {
	if kind == "type" && noTypes[strings.ToLower(name)] {
		return `A list has the type of its items behind brackets: "[]string", or "[0..20]string" for at most 20.`
	}
	if r.src == nil { // no machine
		return ""
	}
	_, event := r.events.names[name]
	_, activity := r.activities.names[name]
	switch {
	case kind == "event":
		return noInputs[strings.ToLower(name)]
	case kind == "field" && noValues[strings.ToLower(name)]:
		return `To ask whether there is a value, write "is set" or "is not set"; to take it away, "= unset".`
	case kind == "label" && activity:
		return "Name the event alone, or give the activity a label: \"do " + name + "(…) as " + name + "\"."
	case kind == "category" && activity:
		return "Give the activity a label, as in \"do " + name + "(…) as a\", and write \"on a.failed\"."
	case kind == "enum" && (event || activity):
		return "What came is read in its arm as \"event.\" and the name of the field."
	}
	return ""
}

// declaredIn is a file that imports a file which is imported here leads to, and that declares
// name, meant as a kind; empty for none.
func (r *resolver) declaredIn(kind, name string) string {
	for _, other := range r.file.from {
		for src := range ast.Of[*ast.Import](other.src.Decls) {
			path, wrong := parseString(src.Path.Text)
			if wrong != nil {
				continue
			}
			targets, _ := r.file.find(other.src.Name, path)
			for _, t := range targets {
				if t.File != r.file.src && declares(t.File, kind, name) {
					return t.File.Name
				}
			}
		}
	}
	return ""
}

// declares reports whether src declares name, meant as a kind, outside its machines.
func declares(src *ast.File, kind, name string) bool {
	return slices.ContainsFunc(src.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.Enum:
			return kind != "machine" && d.Name.Text == name
		case *ast.Record:
			return kind == "type" && d.Name.Text == name
		case *ast.Machine:
			return kind == "machine" && d.Name.Text == name
		}
		return false
	})
}

// misspelt reports a name, and offers the nearest one as a fix where there is
// one.
func (r *resolver) misspelt(rule string, span token.Span, message, help, nearest string) *diag.Diagnostic {
	if nearest == "" {
		return r.report(rule, span, message, help)
	}
	d := r.report(rule, span, message, "Did you mean "+quote(nearest)+"?")
	d.Fixes = replace(span, nearest)
	return d
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
