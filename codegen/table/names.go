package table

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Names of arms, dos and timers stand in snapshots and history, so they are
// readable, unique in the machine, and change only with what they name.

// namer hands out names, numbering the second and later ones of a kind.
type namer struct {
	seen map[string]int
}

func newNamer() *namer { return &namer{seen: map[string]int{}} }

func (n *namer) unique(name string) string {
	n.seen[name]++
	if k := n.seen[name]; k > 1 {
		return n.unique(fmt.Sprintf("%s#%d", name, k))
	}
	return name
}

// within puts the state before what stands in it; the machine has no name here.
func within(s *ir.State, what string) string {
	if s.Path == "" {
		return what
	}
	return s.Path + " " + what
}

// armName is "State on Trigger", with "else N" for the arms behind the first.
func armName(a *ir.Arm) string {
	text := ""
	if a.Timer != nil {
		text = a.Timer.Text()
	} else {
		text = "on " + a.Handler.Text()
	}
	if a.Index > 0 {
		text += fmt.Sprintf(" else %d", a.Index)
	}
	return within(a.State, text)
}

// nameDos names each do "State.label", or "State.activity" without a label.
func nameDos(m *ir.Machine) []string {
	names := newNamer()
	out := make([]string, len(m.Dos))
	for i, d := range m.Dos {
		name := d.Label
		if name == "" {
			name = d.Activity.Name
		}
		out[i] = names.unique(d.State.Path + "." + name)
	}
	return out
}

// nameTimers names each timer "State after 24h".
func nameTimers(m *ir.Machine) []string {
	names := newNamer()
	out := make([]string, len(m.Timers))
	for i, t := range m.Timers {
		out[i] = names.unique(within(t.State, t.Text()))
	}
	return out
}
