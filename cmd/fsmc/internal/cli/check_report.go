package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

type report struct {
	unit   *lang.Unit
	list   diag.List
	bounds bool           // the worst cases are to be printed as text
	runs   bool           // with the runs that reach the figures
	expand bool           // with the steps of the machines that they call
	worst  []*check.Worst // of each machine, where they are asked for
}

// fold leaves the steps of called machines out of witnesses, unless they are asked for and few enough.
func (r report) fold() {
	for _, d := range r.list {
		d.Witness.Fold(r.expand)
	}
}

// status ends a check: errFinding for an error, or with strict for a warning.
func (r report) status(strict bool) error {
	switch {
	case r.list.HasErrors() || strict && r.list.Count(diag.Warning) > 0:
		return errFinding
	case len(r.unit.Program.Machines)+len(r.unit.Program.Scenarios) == 0 && !hasTypes(r.unit.Program):
		return errNoMachine
	}
	return nil
}

// reportFormat is a way to print a report.
type reportFormat struct {
	write func(io.Writer, report) error
	worst bool // it has the worst cases whether or not --bounds is given
}

func writeText(w io.Writer, r report) error {
	writeFindings(w, r)
	if !r.bounds {
		return nil
	}
	for i, m := range r.unit.Program.Machines {
		title := titleOf(r.unit.Program, m)
		printBounds(w, title, m.Name, r.worst[i])
		if r.runs {
			printWorstRuns(w, title, r.worst[i], r.expand)
		}
		printHandled(w, title, m)
	}
	return nil
}

func writeFindings(w io.Writer, r report) {
	diag.WriteText(w, r.list, r.unit.File, diag.TextOptions{Color: color(w)})
	if len(r.list) > 0 {
		fmt.Fprintf(w, "\n%s\n", diag.Summary(r.list))
		return
	}
	for _, m := range r.unit.Program.Machines {
		n := check.Stats(m)
		fmt.Fprintf(w, "%s: %s, %d of them terminal, %s: nothing wrong\n",
			titleOf(r.unit.Program, m), describe.Count(n.States, "state"), n.Terminals, describe.Count(n.Transitions, "transition"))
	}
	for _, f := range r.unit.Program.Files {
		var parts []string
		if n := len(f.Enums); n > 0 {
			parts = append(parts, describe.Count(n, "enum"))
		}
		if n := len(f.Records); n > 0 {
			parts = append(parts, describe.Count(n, "record"))
		}
		if f.Scenarios > 0 {
			parts = append(parts, describe.Count(f.Scenarios, "scenario"))
		}
		if f.Machines > 0 && f.Scenarios == 0 || len(parts) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s: %s: nothing wrong\n", diag.Harmless(f.Name), strings.Join(parts, ", "))
	}
}

// titleOf is what m is called among the machines of prog: its name, and its file where
// another folder has a machine of that name.
func titleOf(prog *ir.Program, m *ir.Machine) string {
	if slices.ContainsFunc(prog.Machines, func(other *ir.Machine) bool { return other != m && other.Name == m.Name }) {
		return m.Name + " (" + diag.Harmless(m.Span.Start.Filename) + ")"
	}
	return m.Name
}

// jsonReport is the output of check --format json, a promise to programs.
type jsonReport struct {
	Diagnostics []diag.JSONDiagnostic `json:"diagnostics"`
	Machines    []jsonMachine         `json:"machines"`
}

type jsonMachine struct {
	Name        string `json:"name"`
	File        string `json:"file"`
	States      int    `json:"states"`      // leaves and terminals
	Terminals   int    `json:"terminals"`   // of these
	Transitions int    `json:"transitions"` // arms with -> as written

	Bounds *jsonBounds `json:"bounds"` // null while names or types are wrong
}

func writeJSON(w io.Writer, r report) error { return printJSON(w, r.json()) }

// json is the report as programs read it, with its worst cases.
func (r report) json() jsonReport {
	out := jsonReport{Diagnostics: diag.JSON(r.list), Machines: []jsonMachine{}}
	for i, m := range r.unit.Program.Machines {
		n := check.Stats(m)
		out.Machines = append(out.Machines, jsonMachine{
			Name: m.Name, File: m.Span.Start.Filename,
			States: n.States, Terminals: n.Terminals, Transitions: n.Transitions,
			Bounds: boundsJSON(r.worst[i], r.expand),
		})
	}
	return out
}

func writeGitHub(w io.Writer, r report) error { return diag.WriteGitHub(w, r.list) }

func writeSARIF(w io.Writer, r report) error {
	opt := diag.SARIFOptions{Version: version(), State: r.statePlace}
	for _, rule := range all.Rules {
		opt.Rules = append(opt.Rules, diag.RuleInfo{
			ID: rule.Name, Summary: rule.Summary, HelpMarkdown: rule.Page(),
			Group: string(rule.Group), Severity: rule.Severity,
		})
	}
	return diag.WriteSARIF(w, r.list, r.unit.File, opt)
}

// statePlace is where a state of the machine in which d stands is declared.
func (r report) statePlace(d *diag.Diagnostic, path string) token.Span {
	for _, m := range r.unit.Program.Machines {
		if m.Name != d.Machine || m.Span.Start.Filename != d.Span.Start.Filename {
			continue
		}
		for _, s := range m.States {
			if s.Path == path {
				return s.Span
			}
		}
	}
	return token.Span{}
}
