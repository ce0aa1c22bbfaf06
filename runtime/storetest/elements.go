package storetest

import (
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// testElements starts a thousand tasks of one activity in one write, as a list has elements.
// Each is a task of its own: the end of one leaves the others as they are, and all are
// cancelled in one write.
func testElements(f *fixture) {
	const n = 1000
	name := func(i int) string { return machine.ElementName("Working.w", i) }
	c := f.create("r")
	for i := range n {
		f.start(c, name(i))
	}
	f.commit(c)
	again := f.next("r")
	f.start(again, name(7))
	if err := f.s.Commit(f.ctx, again); err == nil {
		f.Fatal("an element has two tasks")
	}
	claimed := f.claim(3)
	if len(claimed) != 3 {
		f.Fatalf("%d elements are claimed, want 3", len(claimed))
	}
	one := claimed[1]
	f.end(&one)
	f.late(&one)
	left := f.tasks("r")
	if len(left) != n-1 || slices.ContainsFunc(left, func(t store.TaskRow) bool { return t.Do == one.Do }) {
		f.Fatalf("%d elements are left after %q has ended", len(left), one.Do)
	}

	// One is tried again, while another begins in its place.
	c = f.next("r")
	two := claimed[0].Claim()
	c.Claim = &two
	f.start(c, two.Do).Attempt = 2
	f.start(c, one.Do).Attempt = 2
	f.commit(c)
	if got := len(f.tasks("r")); got != n {
		f.Fatalf("%d elements are there, want %d", got, n)
	}

	// All that no one holds are gone, and the one that is held has to stop.
	c = f.next("r")
	for i := range n {
		c.Cancel = append(c.Cancel, name(i))
	}
	f.commit(c)
	held := f.tasks("r")
	if len(held) != 1 || !held[0].Cancelled || held[0].Do != claimed[2].Do {
		f.Fatalf("%d tasks are left: %+v", len(held), held)
	}
	f.idle()
	f.must(f.s.Confirm(f.ctx, held[0].Claim(), f.now))
	if got := f.tasks("r"); len(got) != 0 {
		f.Fatalf("%+v is left", got)
	}
}
