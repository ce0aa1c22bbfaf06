package data_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestFlow: no run of random machines, tried by brute force, has a number in a leaf that the flow
// does not give there.
func TestFlow(t *testing.T) {
	const machines, limit = 60, 2000
	told, narrower := 0, 0
	for i := range uint64(machines) {
		for _, generate := range []func(*rand.Rand) string{oracletest.Generate, oracletest.GenerateFlat, oracletest.GenerateOptional, oracletest.GenerateFans} {
			src := generate(rand.New(rand.NewPCG(i, 7)))
			unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
			if unit.Diags.HasErrors() || len(unit.Program.Machines) == 0 {
				continue
			}
			m := unit.Program.Machines[0]
			at := data.FlowOf(m)
			space := oracletest.Explore(m, limit)
			if space == nil {
				continue
			}
			for _, node := range space.Nodes[1:] {
				s := node.Snapshot
				if s.Status != machine.Running {
					continue
				}
				leaf := m.States[s.State]
				for j, v := range m.Fields {
					if !data.Followed(v) || !s.Data[j].IsSet() {
						continue
					}
					r, there := at(leaf, v)
					if n := s.Data[j].Int(); !there || n < r.Lo || n > r.Hi {
						t.Fatalf("machine %d: in %s, %s is %d, and not in %v (%v)\n%s", i, leaf.Path, v.Name, n, r, there, src)
					}
					told++
					if r != *v.Type.Range {
						narrower++
					}
				}
			}
		}
	}
	if narrower < told/10 {
		t.Errorf("of %d numbers only %d lie in less than their range", told, narrower)
	}
}
