package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// analyse is a machine with an activity for each of up to 20 files.
func analyse(do, failed string) string {
	return fmt.Sprintf(`
machine Analyse(files [0..20]string) {
    event Analysed
    activity analyse(file string) -> Analysed cost usd 0.05
    initial Analysing
    state Analysing {
        do analyse(file) for file in files %s
        on Analysed {}
        on failed %s
        on done -> Done
    }
    terminal Done
}`, do, failed)
}

// TestBoundsOfElements: what elements count for, and how long they take: with P the
// attempts of one and W its waits P + W, and with a limit P (N-1) / n more; without retries
// so many rounds as it takes.
func TestBoundsOfElements(t *testing.T) {
	const retry = "retry 3 backoff 1s..4s jitter 0 else {}"
	for _, c := range []struct {
		name, src, want string
		limit           int
	}{
		{"all at once", analyse("timeout 10m", retry), "steps 61\ntime ~40m7s\nusd 4\nanalyse 80\n", explore.DefaultLimit},
		{"four at once", analyse("limit 4 timeout 10m", retry), "steps 61\ntime ~3h50m7s\nusd 4\nanalyse 80\n", explore.DefaultLimit},
		{"rounds", analyse("limit 3 timeout 10m", "{}"), "steps 1\ntime ~1h10m0s\nusd 1\nanalyse 20\n", explore.DefaultLimit},
		{"more places than elements", analyse("limit 30 timeout 10m", "{}"), "steps 1\ntime ~10m0s\nusd 1\nanalyse 20\n", explore.DefaultLimit},
		{"one after the other", analyse("limit 1 timeout 10m", "{}"), "steps 1\ntime ~3h20m0s\nusd 1\nanalyse 20\n", explore.DefaultLimit},
		{"past the limit", analyse("limit 4 timeout 10m", retry),
			"steps ~61\ntime ~3h50m7s\nusd ~4\nanalyse ~80\n", 1},
		{"without end", analyse("timeout 10m", "retry unbounded backoff 1s"),
			"steps unbounded\ntime unbounded\nusd unbounded\nanalyse unbounded\n", explore.DefaultLimit},
		{"the last attempts of all but one do not start", strings.Replace(analyse("limit 1", "retry 2"), "on Analysed {}", "on Analysed retry 1", 1),
			"steps 60\ntime unbounded\nusd ~4\nanalyse ~80\n", explore.DefaultLimit},
		{"the first failure ends it", analyse("timeout 10m", "retry 3 backoff 1s else -> Done"), "steps 61\ntime ~40m3s\nusd 4\nanalyse 80\n", explore.DefaultLimit},
	} {
		if got := bounds(t, c.src, c.limit); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestBoundsShareARun: a figure is exact if a run that was replayed for another one reaches it,
// too. The one that is found for the attempts alone is left by the timer before all have begun.
func TestBoundsShareARun(t *testing.T) {
	const want = "steps 2\ntime ~3m0s\nusd 5.8\nread 8\njoin 1\n"
	got := bounds(t, `
machine Join(files [1..8]string) {
    context { texts [0..8]string = [] }
    event Read { text string }
    activity read(file string) -> Read cost usd 0.6
    activity join(texts [0..8]string) cost usd 1
    initial Reading
    state Reading {
        do read(file) for file in files limit 4 timeout 1m
        on Read { texts = texts + event.text }
        on failed {}
        on done when len(texts) == 0 -> Failed
            else -> Joining
        after 2h -> Failed
    }
    state Joining {
        do join(texts) timeout 1m
        on done -> Done
        on failed -> Failed
    }
    terminal Done
    terminal Failed failure
}`, explore.DefaultLimit)
	if !strings.HasPrefix(got, want) {
		t.Errorf("%swant\n%s", got, want)
	}
}

// TestFactorsOfElements: the report says which elements there are.
func TestFactorsOfElements(t *testing.T) {
	w := check.Bounds(program(t, []byte(analyse("limit 4 timeout 10m", "retry 3 else {}"))).Machines[0], explore.DefaultLimit)
	if got, want := w.Activities[0].Factors, "4 attempts x 20 elements of files"; got != want {
		t.Errorf("attempts are %q, want %q", got, want)
	}
	if got, want := w.Steps.Factors, "1 move + 60 retries of analyse"; got != want {
		t.Errorf("steps are %q, want %q", got, want)
	}
	if got, want := w.Costs[0].Shares[0], "analyse 80 = 4 attempts x 20 elements of files"; got != want {
		t.Errorf("costs are %q, want %q", got, want)
	}
}

// TestElementsAreCounted: configurations do not grow with the order in which elements end.
func TestElementsAreCounted(t *testing.T) {
	three := func(ends string) string {
		return fmt.Sprintf(`
machine Three(x [0..100]string, y [0..100]string, z [0..100]string) {
    context { lost bool = false }
    event R
    activity f(s string) -> R
    initial S
    state S {
        do f(e) for e in x limit 4 as p timeout 1m
        do f(e) for e in y as q timeout 1m
        do f(e) for e in z as r timeout 1m
        on R {}
        on p.failed, q.failed, r.failed %s
        on done when lost -> U
            else -> T
    }
    terminal T
    terminal U
}`, ends)
	}
	beside := `
machine Beside(x [0..100]string) {
    context { a int 0..100 = 0 }
    event R
    event E
    activity f(s string) -> R
    initial S
    state S {
        do f(e) for e in x timeout 1m
        on R {}
        on failed retry 2 else {}
        on E when a < 100 { a = a + 1 } else ignore
        on done when a > 50 -> T
            else -> U
    }
    terminal T
    terminal U
}`
	counting := strings.Replace(strings.Replace(beside, "on R {}", "on R { a = a + 1 }", 1), "        on E when a < 100 { a = a + 1 } else ignore\n", "        on E ignore\n", 1)
	for _, c := range []struct {
		name, src string
		most      int
	}{
		{"three that change nothing", three("{}"), 30},
		{"three that set a flag", three("{ lost = true }"), 20_000},
		{"a number beside", beside, 500},
		{"a number that each raises", counting, 6_000},
	} {
		configurations, _, _ := check.Work(program(t, []byte(c.src)).Machines[0], all.Rules)
		if configurations == 0 || configurations > c.most {
			t.Errorf("%s: %d configurations, want at most %d", c.name, configurations, c.most)
		}
		if _, open := check.Asked(program(t, []byte(c.src)).Machines[0], all.Rules, explore.DefaultLimit); len(open) > 0 {
			t.Errorf("%s: %v is undecided", c.name, open)
		}
	}
}

// TestWaitingHasElements: the run that waits for the elements of a list has some.
func TestWaitingHasElements(t *testing.T) {
	found := 0
	for _, d := range check.Run(program(t, []byte(analyse("", "{}"))), all.Rules) {
		if d.Rule != "waits-forever" {
			continue
		}
		found++
		if files, _ := d.Witness.Params["files"].([]any); len(files) == 0 {
			t.Errorf("%s: started with %v", d.Message, d.Witness.Params)
		}
	}
	if found != 1 {
		t.Errorf("%d findings of waits-forever", found)
	}
}

// TestWhichElementIsLeftOut: the run that shows a gap has as many elements as it takes, and the
// one with which it ends is one that no guard takes.
func TestWhichElementIsLeftOut(t *testing.T) {
	const src = `
machine Count(names [1..%d]string) {
    context { n int 0..100 = 0 }
    event R { v int }
    activity w(name string) -> R fails none
    initial First
    state First {
        do w(name) for name in names timeout 1m
        on R, failed {}
        on done -> Second
    }
    state Second {
        do w(name) for name in names as r timeout 1m
        on r.R when %s %s
        on r.failed {}
        on done when n > 2 -> T
                else -> T
    }
    terminal T
}`
	for _, c := range []struct {
		most        int
		when, block string
		want        string
	}{
		{9, "event.v < 4", "{}", "r[0].R"},
		{9, "event.index < 4", "{}", "r[4].R"},
		{9, "event.index < 4", "{ n = min(n + 1, 100) }", "r[4].R"},
		{60, "event.index < 44", "{ n = min(n + 1, 100) }", "r[44].R"},
		{9, `event.item != "b"`, "{}", "r[1].R"},
	} {
		got := ""
		for _, d := range check.Run(program(t, fmt.Appendf(nil, src, c.most, c.when, c.block)), all.Rules) {
			if d.Rule == "unhandled-case" && len(d.Witness.Path) > 1 {
				got = d.Witness.Path[len(d.Witness.Path)-2].Input
			}
		}
		if got != c.want {
			t.Errorf("%s %s: the last input is %q, want %q", c.when, c.block, got, c.want)
		}
	}
}

// TestTimeOfAnEmptyFanOut: a machine that is called for no element is not stopped either.
func TestTimeOfAnEmptyFanOut(t *testing.T) {
	const text = `
machine Child {
    activity undo()
    initial A
    state A {
        after 1h -> Done
        on cancel -> B
    }
    state B {
        do undo() timeout 5h
        on done, failed -> Done
    }
    terminal Done
}
machine M(xs [0..MOST]string) {
    activity work()
    initial A
    state A {
        do machine Child() for x in xs
        do work() timeout 10h
        on Child.Done {}
        on done, failed -> Done
        after 1h -> Done
    }
    terminal Done
}
`
	for most, want := range map[string]time.Duration{"0": time.Hour, "1": 6 * time.Hour} {
		m := program(t, []byte(strings.Replace(text, "MOST", most, 1))).Machines[1]
		if f := check.Bounds(m, explore.DefaultLimit).Time; f.Amount == nil || f.Amount.Num().Int64() != int64(want) {
			t.Errorf("with at most %s elements it lasts %v ns, want %s", most, f.Amount, want)
		}
	}
}
