package check_test

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
)

// sums are machines with a field of many values that is only added to, and what is found of
// it.
var sums = []struct{ name, src, want string }{
	{"a result of each of 20 elements adds up to 500", batchOf("comments int 0..10_000 = 0", "comments = comments + event.comments"), ""},
	{"each adds three times as much", batchOf("comments int 0..10_000 = 0", "comments = comments + event.comments * 3"), "undecided"},
	{"each clamps", batchOf("comments int 0..900 = 0", "comments = min(comments + event.comments, 900)"), ""},
	{"a list has an item for each element", batchOf("comments [0..20]string = []", "comments = comments + event.item"), ""},
	{"a list has no room for the last element", batchOf("comments [0..19]string = []", "comments = comments + event.item"), "out-of-range"},
	{"a list begins with the elements", batchOf("comments [0..40]string = []", "comments = comments + event.item + event.item"), ""},
	{"it begins with more", batchOf("comments int 0..10_000 = 1", "comments = comments + event.comments"), "undecided"},
	{"each lap begins with nothing", again("comments = 0", "comments = 0", "lost = 0"), ""},
	{"each lap begins with as much as one may add", again("comments = 1", "comments = 0", "lost = 0"), "undecided"},
	{"one of two ways back keeps what there is", again("comments = 0", "lost = 0", "lost = 0"), "undecided"},
	{"both do, and something else begins with nothing", again("lost = 0", "lost = 0", "comments = 0"), "undecided"},
	{"an event adds as often as it comes", `machine M {
    context { a int 0..400 = 0, b int 0..400 = 0, n int 0..30_000 = 0 }
    event Up
    event Go
    initial S
    after 1h -> T
    state S {
        on Up { n = n + 1 }
        on Go when a < 400 && b < 400 -> S unbounded { a = a + 1, b = min(b + a, 400) }
            else -> T
    }
    terminal T returns n
}`, "out-of-range"},
	{"each lap adds up to the end of the range", `machine M {
    context { n int 0..400 = 0 }
    event Up { by int 1..9 }
    initial S
    after 1h -> T
    state S {
        on Up -> S { n = min(n + event.by, 400) }
    }
    terminal T returns n
}`, "unbounded-loop"},
}

// again is batchOf whose list can be read again, by arms with those blocks, and whose count of comments
// is set in the middle of a visit by another.
func again(retry, more, middle string) string {
	return `machine Batch(files [0..20]string) {
    context { comments int 0..10_000 = 0, lost int 0..60 = 0 }
    event Read { comments int 0..500 }
    event Retry
    event More
    event Reset
    activity read(file string) -> Read
    initial Reading
    state Reading {
        do read(file) for file in files limit 4 timeout 1m
        on Read { comments = comments + event.comments }
        on failed { lost = min(lost + 1, 60) }
        on Reset { ` + middle + ` }
        on done when lost < 3 -> Merged
            else -> Partly
    }
    state Partly {
        on Retry -> Reading max 2 { ` + retry + ` }
            else -> Lost
        on More -> Reading max 2 { ` + more + ` }
            else -> Lost
        after 8h -> Lost
    }
    terminal Merged success returns comments
    terminal Lost failure returns comments
}`
}

// batchOf is a machine that runs something for 20 elements: context has the fields, and
// effect is what each result does.
func batchOf(context, effect string) string {
	return `machine Batch(files [0..20]string) {
    context { ` + context + `, lost int 0..20 = 0, done1 int 0..20 = 0 }
    event Read { comments int 0..500 }
    activity read(file string) -> Read
    initial Reading
    state Reading {
        do read(file) for file in files limit 4 timeout 1m
        on Read { ` + effect + `, done1 = done1 + 1 }
        on failed retry 2
            else { lost = lost + 1 }
        on done when lost < 3 && done1 < 17 -> Merged
            else -> Partly
    }
    terminal Merged success returns comments
    terminal Partly failure returns comments
}`
}

// TestSums holds what only adds up against its range, of machines that are not small.
func TestSums(t *testing.T) {
	before := check.SmallProduct
	check.SmallProduct = 100
	defer func() { check.SmallProduct = before }()
	for _, test := range sums {
		t.Run(test.name, func(t *testing.T) {
			list, _ := check.Asked(program(t, []byte(test.src)).Machines[0], all.Rules, 30_000)
			var found []string
			for _, d := range list {
				if d.Rule != "never-read" {
					found = append(found, d.Rule)
				}
			}
			if got := strings.Join(found, " "); (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

// TestListsThatOnlyGrow: lists that are only added to do not multiply what there is to tell apart.
func TestListsThatOnlyGrow(t *testing.T) {
	configurations, _, _ := check.Work(program(t, []byte(`machine Shelf(paths [1..50]string) {
    context { read [0..50]string = [], odd [0..50]string = [], lost [0..50]string = [] }
    event Read
    event Odd
    activity look(path string) -> Read | Odd
    initial Reading
    state Reading {
        do look(path) for path in paths limit 4 as look timeout 1m
        on look.Read { read = read + event.item }
        on look.Odd { odd = odd + event.item }
        on look.failed { lost = lost + event.item }
        on done -> Done
    }
    terminal Done success returns read, odd, lost
}`)).Machines[0], all.Rules)
	if configurations == 0 || configurations > 100 {
		t.Errorf("%d configurations", configurations)
	}
}
