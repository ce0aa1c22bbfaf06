package diag

import (
	"maps"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// JSONDiagnostic is a Diagnostic as `fsmc check --format json` writes it. The
// names and meanings of its fields are a promise to programs that read them.
// Severity is "error", "warning" or "hint". Lines and columns count from 1,
// columns in UTF-8 bytes; both are 0 for a finding about a whole file. Help,
// Witness and Fixes are left out where there is none; other lists are never null.
type JSONDiagnostic struct {
	Rule     string        `json:"rule"`
	Severity string        `json:"severity"`
	Machine  string        `json:"machine"`
	File     string        `json:"file"`
	Start    JSONPos       `json:"start"`
	End      JSONPos       `json:"end"`
	Message  string        `json:"message"`
	Help     string        `json:"help,omitempty"`
	Related  []JSONRelated `json:"related"`
	Witness  *JSONWitness  `json:"witness,omitempty"`
	Fixes    []JSONFix     `json:"fixes,omitempty"`
}

// JSONFix is a change of the text after which the finding is gone. Safe says that
// `fsmc check --fix` makes it unasked.
type JSONFix struct {
	Message string     `json:"message"`
	Safe    bool       `json:"safe"`
	Edits   []JSONEdit `json:"edits"`
}

// JSONEdit replaces what stands between two places of a file by Text.
type JSONEdit struct {
	File  string  `json:"file"`
	Start JSONPos `json:"start"`
	End   JSONPos `json:"end"`
	Text  string  `json:"text"`
}

// JSONPos is a place in a file.
type JSONPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// JSONRelated is a second place that belongs to a finding.
type JSONRelated struct {
	File    string  `json:"file"`
	Start   JSONPos `json:"start"`
	End     JSONPos `json:"end"`
	Message string  `json:"message"`
}

// JSONWitness is a Witness. Loop, the row of Path to which a cycle returns, is
// left out where the path is no cycle. Guards, the answers of host guards as the run
// starts, are left out where none is asked then. Params, and the Data of each row, hold what
// a replay needs: also the plain values, which a text leaves out. A place of a record has its
// name in the machine, "order.total".
type JSONWitness struct {
	Params map[string]any  `json:"params"`
	Guards map[string]bool `json:"guards,omitempty"`
	Values map[string]any  `json:"values"`
	Loop   *int            `json:"loop,omitempty"`
	Path   []JSONStep      `json:"path"`
}

// JSONStep is one row of a witness. The last row has an empty Input, and
// neither Data nor Guards; all others have both. At is left out where the
// time is not known.
type JSONStep struct {
	State  string          `json:"state"`
	Input  string          `json:"input"`
	Data   map[string]any  `json:"data,omitzero"`
	Guards map[string]bool `json:"guards,omitzero"`
	At     string          `json:"at,omitempty"`

	Children []JSONChild `json:"children,omitempty"`
}

// JSONChild is a run that the run of a witness starts, in the row in which it ends or
// is cancelled. Of Terminal and Ends one is empty, or both where it runs on. Run is left out unless
// it is asked for.
type JSONChild struct {
	Do       string         `json:"do"`
	Machine  string         `json:"machine"`
	Given    map[string]any `json:"given"`
	Terminal string         `json:"terminal"`
	Ends     string         `json:"ends"` // "cancelled", "timeout", or "unknown"
	Run      *JSONWitness   `json:"run,omitempty"`
}

// JSON is list in the form in which it is written as JSON, in the same order;
// never nil.
func JSON(list List) []JSONDiagnostic {
	out := make([]JSONDiagnostic, len(list))
	for i, d := range list {
		out[i] = JSONDiagnostic{
			Rule:     d.Rule,
			Severity: d.Severity.String(),
			Machine:  d.Machine,
			File:     d.Span.Start.Filename,
			Start:    jsonPos(d.Span.Start),
			End:      jsonPos(d.Span.End),
			Message:  d.Message,
			Help:     d.Help,
			Related:  jsonRelated(d.Related),
			Witness:  NewJSONWitness(d.Witness),
			Fixes:    jsonFixes(d.Fixes),
		}
	}
	return out
}

func jsonPos(p token.Pos) JSONPos { return JSONPos{Line: p.Line, Column: p.Column} }

func jsonRelated(related []Related) []JSONRelated {
	out := make([]JSONRelated, len(related))
	for i, r := range related {
		out[i] = JSONRelated{
			File:    r.Span.Start.Filename,
			Start:   jsonPos(r.Span.Start),
			End:     jsonPos(r.Span.End),
			Message: r.Message,
		}
	}
	return out
}

func jsonFixes(fixes []Fix) []JSONFix {
	var out []JSONFix
	for _, f := range fixes {
		fix := JSONFix{Message: f.Message, Safe: f.Safe}
		for _, e := range f.Edits {
			fix.Edits = append(fix.Edits, JSONEdit{
				File: e.Span.Start.Filename, Start: jsonPos(e.Span.Start), End: jsonPos(e.Span.End), Text: e.Text,
			})
		}
		out = append(out, fix)
	}
	return out
}

// NewJSONWitness is w in the form in which it is written as JSON; nil for nil.
func NewJSONWitness(w *Witness) *JSONWitness {
	if w == nil {
		return nil
	}
	out := &JSONWitness{Params: joined(w.Params, w.Rest), Guards: w.Guards, Values: notNil(w.Values), Path: make([]JSONStep, len(w.Path))}
	if w.loops() {
		out.Loop = &w.Loop
	}
	for i, s := range w.Path {
		row := JSONStep{State: s.State, Input: s.Input, At: s.At}
		if s.Input != "" {
			row.Data, row.Guards = joined(s.Data, s.Rest), notNil(s.Guards)
		}
		for _, c := range s.Children {
			row.Children = append(row.Children, JSONChild{
				Do: c.Do, Machine: c.Machine, Given: notNil(c.Given), Terminal: c.Terminal, Ends: c.Ends, Run: NewJSONWitness(c.Run),
			})
		}
		out.Path[i] = row
	}
	return out
}

// joined is what a and b hold; never nil.
func joined(a, b map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, b)
	maps.Copy(out, a)
	return out
}

// notNil is m, or an empty map for nil, which JSON would write as null.
func notNil[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}
