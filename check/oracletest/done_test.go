package oracletest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
)

// TestBruteForceDone is TestBruteForce for machines with promises about what follows an
// activity's success, of the host and of machines that are called.
func TestBruteForceDone(t *testing.T) {
	t.Parallel()
	done := &machines{generate: generateDone(oracletest.Generate), count: *oracleCount / 4, larger: *oracleCount / 40}
	done.compare(t)
	done.want(t, "assertion-violated", "no assertion-violated")
	calls := &machines{generate: generateDone(oracletest.GenerateTree), count: *oracleCount / 4, larger: *oracleCount / 12}
	calls.compare(t)
	calls.want(t, "assertion-violated", "no assertion-violated")
	for _, all := range []*machines{done, calls} {
		if open := all.seen["undecided assertion-violated"]; open > all.count/40 {
			t.Errorf("assertion-violated is undecided for %d machines", open)
		}
	}
}

// generateDone writes in place of other promises one about each activity.
func generateDone(generate func(*rand.Rand) string) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		src := generate(r)
		m := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}}).Program.Machines[0]
		said, promises := map[string]bool{}, ""
		for _, d := range m.Dos {
			said[d.Activity.Name] = said[d.Activity.Name] || d.Fan != nil // a fan-out may not be meant
		}
		for _, d := range m.Dos {
			name := d.Activity.Name
			if said[name] {
				continue
			}
			said[name] = true
			promises += fmt.Sprintf("    assert done %s leads to %s | %s\n", name, m.States[1+r.IntN(len(m.States)-1)].Path, m.States[1+r.IntN(len(m.States)-1)].Path)
		}
		lines := slices.DeleteFunc(strings.SplitAfter(src, "\n"), func(line string) bool { return strings.HasPrefix(line, "    assert ") })
		head := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "machine ") })
		return strings.Join(slices.Insert(lines, head+1, promises), "")
	}
}
