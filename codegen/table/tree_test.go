package table_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// family are machines that call each other: Top calls Left and Right, which both call
// Leaf.
func family(wait string) string {
	side := func(name string) string {
		return `machine ` + name + ` {
			context { n int = 0 }
			initial A
			state A { do machine Leaf(n) on Leaf.Done -> Done { n = event.n } on failed -> Lost }
			terminal Done returns n
			terminal Lost failure
		}
		`
	}
	return `machine Leaf(n int) { initial A state A { after ` + wait + ` -> Done } terminal Done returns n }
		` + side("Right") + side("Left") + `machine Top {
			context { n int = 0 }
			initial A
			state A {
				do machine Right() as r
				do machine Left() as l
				on l.Done, r.Done { n = n + event.n }
				on Left.Lost, Right.Lost, failed ignore
				on done -> Done
			}
			terminal Done
		}`
}

// TestTree holds that a tree of machines has each definition once, those that are called
// first, and that a definition depends on those that it calls.
func TestTree(t *testing.T) {
	hashes := map[string]string{}
	var names []string
	for _, c := range table.Tree(codegentest.Parse(t, "family.fsm", family("1h"))) {
		d := c.Definition
		m, err := machine.Compile(d)
		must(t, err)
		names = append(names, c.Machine.Name)
		hashes[d.Name] = m.Hash()
		for _, a := range d.Activities {
			if a.Callee == "" || a.Callee != hashes[a.Name] {
				t.Errorf("%s calls %s as %q, and not as %q", d.Name, a.Name, a.Callee, hashes[a.Name])
			}
		}
	}
	if diff := cmp.Diff([]string{"Leaf", "Left", "Right", "Top"}, names); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
	if again := table.Compile(codegentest.Parse(t, "family.fsm", family("1h"))); again.Hash() != hashes["Top"] {
		t.Error("the same machine has another hash")
	}
	if other := table.Compile(codegentest.Parse(t, "family.fsm", family("2h"))); other.Hash() == hashes["Top"] {
		t.Error("another leaf leaves the hash of the top as it is")
	}
}
