// Package tabletest compiles the machines of texts. Only tests import it.
package tabletest

import (
	"errors"
	"slices"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Compile gives the machines of src, the last ones first, but each before those that call it.
func Compile(src string) (machines []*machine.Machine, err error) {
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	for _, d := range unit.Diags {
		return nil, errors.New(d.Message)
	}
	known := map[*ir.Machine]bool{}
	for _, of := range slices.Backward(unit.Program.Machines) {
		for _, c := range table.Tree(of) {
			if known[c.Machine] {
				continue
			}
			known[c.Machine] = true
			m, err := machine.Compile(c.Definition)
			if err != nil {
				return nil, err
			}
			machines = append(machines, m)
		}
	}
	return machines, nil
}

// Machines is Compile of a text without faults.
func Machines(tb testing.TB, src string) []*machine.Machine {
	tb.Helper()
	machines, err := Compile(src)
	if err != nil {
		tb.Fatalf("%v\n%s", err, src)
	}
	return machines
}

// Machine is the one machine of a text without faults.
func Machine(tb testing.TB, src string) *machine.Machine {
	tb.Helper()
	machines := Machines(tb, src)
	if len(machines) != 1 {
		tb.Fatalf("there are %d machines, not one:\n%s", len(machines), src)
	}
	return machines[0]
}
