package drawing

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// rowsOf lists what is written in the box of s: its activities, what happens
// on the way in and out, and the inputs that are taken without leaving it.
func rowsOf(s *ir.State) []Row {
	var rows []Row
	for _, d := range s.Dos {
		rows = append(rows, doRow(d))
	}
	rows = append(rows, blockRows(s)...)
	if returns := s.ReturnsText(); returns != "" {
		rows = append(rows, Row{Text: returns})
	}
	for _, a := range armsOf(s) {
		if r, ok := armRow(a); ok {
			rows = append(rows, r)
		}
	}
	if len(s.Ignore) > 0 {
		rows = append(rows, Row{Text: "ignore " + ir.UsesText(s.Ignore)})
	}
	if len(s.Defer) > 0 {
		rows = append(rows, Row{Text: "defer " + ir.UsesText(s.Defer)})
	}
	return rows
}

// mostCall is how many characters of a call there is room for.
const mostCall = 80

// doRow sets the limits of d apart from the call. Where a call for elements is long, it is its
// arguments that are left out, and not what it is for.
func doRow(d *ir.Do) Row {
	call := *d
	call.Timeout, call.Heartbeat, call.Progress = nil, nil, nil
	text := call.Text()
	row := Row{Exits: exitsOf(d), Text: text, Detail: strings.TrimPrefix(strings.TrimPrefix(d.Text(), text), " ")}
	if f := d.Fan; f != nil {
		if call.Args = nil; utf8.RuneCountInString(text) > mostCall {
			row.Text = strings.Replace(call.Text(), "()", "(…)", 1)
		}
		row.Stack = fmt.Sprintf("%d..%d elements", f.Least, f.Most)
	}
	return row
}

// blockRows are the entry and exit blocks of s; a terminal's only block needs
// no heading.
func blockRows(s *ir.State) []Row {
	var rows []Row
	heading := "entry / "
	if s.Kind == ir.Terminal {
		heading = ""
	}
	if effects := effectsOf(s.Entry); len(effects) > 0 {
		rows = append(rows, Row{Text: heading + strings.Join(effects, ", ")})
	}
	if effects := effectsOf(s.Exit); len(effects) > 0 {
		rows = append(rows, Row{Text: "exit / " + strings.Join(effects, ", ")})
	}
	return rows
}

// armRow is the row of an arm that is no arrow.
func armRow(a *ir.Arm) (Row, bool) {
	switch {
	case a.Kind == ir.Goto, a.Kind == ir.Retry && a.State.Kind != ir.Composite:
		return Row{}, false
	}
	l := labelOf(a)
	switch a.Kind {
	case ir.Reject:
		l.Effects = []string{"reject"}
	case ir.IgnoreArm:
		l.Effects = []string{"ignore"}
	}
	return Row{Text: l.text()}, true
}

// text is l on one line.
func (l Label) text() string {
	text := strings.Join(l.head(), " ")
	if len(l.Effects) > 0 {
		text += " / " + strings.Join(l.Effects, ", ")
	}
	return text
}
