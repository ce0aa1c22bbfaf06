package breaking_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestPairsByFolder: machines of one name in several folders are each compared with their
// own older form, whatever the folders of both sides are called.
func TestPairsByFolder(t *testing.T) {
	for _, c := range []struct {
		what     string
		old, new string // folders, each with what its machine does
		removed  string // folders of the old side
		added    int
	}{
		{"the same folders", "a=1 b=2", "a=1 b=2", "", 0},
		{"other orders", "a=1 b=2", "b=2 a=1", "", 0},
		{"two roots", "old/a=1 old/b=2", "new/a=1 new/b=2", "", 0},
		{"in git", "git:main/s/a=1 git:main/s/b=2", "s/a=1 s/b=2", "", 0},
		{"the root and a folder in it", "old=1 old/b=2", "new=1 new/b=2", "", 0},
		{"folders of one name in each other", "old/a=1 old/a/a=2", "new/a=1 new/a/a=2", "", 0},
		{"from above", "../x/a=1 ../x/b=2", "a=1 b=2", "", 0},
		{"one is gone", "a=1 b=2", "b=2", "a", 0},
		{"one is new", "b=2", "a=1 b=2", "", 1},
		{"one inside is new", "git:main=1", ".=1 inner=2", "", 1},
		{"one inside is new, below the root", "git:main/s=1", ".=1 inner=2", "", 1},
		{"one inside is new, in a folder of another name", "old=1", "new=1 new/inner=2 new/more=3", "", 2},
		{"one inside is gone", "old=1 old/inner=2", "new=1", "old/inner", 0},
		{"a folder has another name", "a=1 b=2", "a=1 c=2", "", 0},
		{"nobody can tell", "a=1 b=2", "c=1 d=2", "a b", 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			old := orders(t, c.old)
			found := compare(old, orders(t, c.new))
			var removed []string
			for _, p := range found.Points {
				if p.Rule.Name != "machine-removed" {
					t.Errorf("machines that do not belong together are compared: %v", describe(found))
				}
				removed = append(removed, path.Dir(p.Old.Start.Filename))
			}
			if strings.Join(removed, " ") != c.removed || len(found.Added) != c.added || found.Paired != len(old.Machines)-len(removed) {
				t.Errorf("removed %v, added %v, %d pairs", removed, found.Added, found.Paired)
			}
		})
	}
}

// orders is a program with a machine Order in each of the folders.
func orders(t *testing.T, folders string) *ir.Program {
	t.Helper()
	var sources []lang.Source
	for _, f := range strings.Fields(folders) {
		dir, does, _ := strings.Cut(f, "=")
		sources = append(sources, lang.Source{Name: dir + "/o.fsm", Src: []byte(order("Done" + does))})
	}
	return sound(t, sources)
}

// order is a machine Order that can end in one of some ways.
func order(ends ...string) string {
	text := "machine Order {\n    event Go { n int }\n    initial Idle\n    state Idle {\n"
	for i, end := range ends {
		text += fmt.Sprintf("        on Go when event.n == %d -> %s\n", i, end)
	}
	text += "        else ignore\n    }\n"
	for _, end := range ends {
		text += "    terminal " + end + "\n"
	}
	return text + "}\n"
}

func sound(t *testing.T, sources []lang.Source) *ir.Program {
	t.Helper()
	unit := lang.Load(sources)
	if unit.Diags.HasErrors() {
		t.Fatal(unit.Diags)
	}
	return unit.Program
}

const callsOrder = `import "o.fsm"

machine Caller {
    initial Ordering
    state Ordering {
        do machine Order()
        on done -> Done
        on failed -> Done
    }
    terminal Done
}
`

// TestCalledByFolder: of two machines of one name, the one that a machine of its folder
// calls is a child, and the other is not.
func TestCalledByFolder(t *testing.T) {
	side := func(called, free string) *ir.Program {
		return sound(t, []lang.Source{
			{Name: "a/o.fsm", Src: []byte(called)}, {Name: "a/caller.fsm", Src: []byte(callsOrder)}, {Name: "b/o.fsm", Src: []byte(free)},
		})
	}
	one, two := order("Done"), order("Done", "Late")
	if found := compare(side(one, one), side(one, two)); slices.Contains(names(found), "child-changed") {
		t.Errorf("nobody calls it: %v", describe(found))
	}
	if found := compare(side(one, one), side(two, one)); !slices.Contains(names(found), "child-changed") {
		t.Errorf("a child can end in another way: %v", describe(found))
	}
}
