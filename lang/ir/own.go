package ir

import "slices"

// What the values of the run itself are called: `run.id`, `run.started` and
// `run.machine`. The last is a constant, so that no Var stands for it.
const (
	RunWord    = "run"
	RunID      = "id"
	RunStarted = "started"
	RunMachine = "machine"
)

// OwnValues are the types of the values of a run itself, by name.
var OwnValues = map[string]*Type{
	RunID:      {Kind: String},
	RunStarted: {Kind: Time},
	RunMachine: {Kind: String},
}

// OwnName is how the value name of a run itself is written.
func OwnName(name string) string { return RunWord + "." + name }

// Inputs are what is known when a run starts and never changes: its parameters, then
// what of its own values the machine reads. Var.Index counts them.
func (m *Machine) Inputs() []*Var { return slices.Concat(m.Params, m.Own) }

// OwnVar is the Var of the value name of the run itself; nil where m does not read it.
func (m *Machine) OwnVar(name string) *Var {
	i := slices.IndexFunc(m.Own, func(v *Var) bool { return v.Name == OwnName(name) })
	if i < 0 {
		return nil
	}
	return m.Own[i]
}
