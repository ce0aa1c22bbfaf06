package assertionviolated

import (
	"math/rand/v2"
	"testing"

	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// TestProvedHolds: what the control graph proves no run breaks, for every promise
// that can be made about two states of the rules' examples and of random machines.
func TestProvedHolds(t *testing.T) {
	proven := 0
	for _, s := range langtest.Sources(t, "../*/testdata/*.fsm") {
		proven += provedHolds(t, s.Src)
	}
	for seed := range uint64(200) {
		proven += provedHolds(t, []byte(oracletest.Generate(rand.New(rand.NewPCG(seed, 0)))))
	}
	if proven == 0 {
		t.Error("nothing is proved")
	}
}

// provedHolds holds the proofs about the machines of src against all their runs, and
// gives how many proofs there are.
func provedHolds(t *testing.T, src []byte) (proven int) {
	t.Helper()
	for _, m := range lang.Load([]lang.Source{{Name: "m.fsm", Src: src}}).Program.Machines {
		table := flat.New(m, nil)
		p := explore.NewProduct(table, 10_000)
		if p == nil || m.Broken || len(p.Faults()) > 0 {
			continue
		}
		c := control.New(table, flat.Declared)
		for _, a := range promises(m) {
			if !proved(c, a) {
				continue
			}
			if proven++; violation(p, a, longest{}, func(int32) bool { return true }) != nil {
				t.Fatalf("it is not proved that %s:\n%s", message(a), src)
			}
		}
	}
	return proven
}

// promises are those about all pairs of states of a small machine.
func promises(m *ir.Machine) []*ir.Assert {
	var out []*ir.Assert
	states := m.States[1:min(len(m.States), 12)]
	for _, s := range states {
		for n := range int64(4) {
			out = append(out, &ir.Assert{Subject: s, Verb: ir.AtMost, N: n})
		}
		for _, o := range states {
			out = append(out, &ir.Assert{Subject: s, Verb: ir.Precedes, Objects: []*ir.State{o}})
			if !s.Inside(o) && !o.Inside(s) {
				out = append(out, &ir.Assert{Subject: s, Verb: ir.Excludes, Objects: []*ir.State{o}})
			}
		}
	}
	return out
}
