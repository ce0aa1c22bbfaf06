package scenario_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// tests are the scenarios of a source, and false where the source has an error.
func tests(t *testing.T, src string) ([]*table.Test, bool) {
	t.Helper()
	unit := lang.Load([]lang.Source{{Name: "a.fsm", Src: []byte(src)}})
	if unit.Diags.HasErrors() {
		return nil, false
	}
	whole := func(s *ir.Scenario) bool { return !s.Broken }
	out, err := table.Tests(unit.Program.Scenarios, whole, func(at token.Span) string {
		line, _, _ := strings.Cut(src[at.Start.Offset:at.End.Offset], "\n")
		return line
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, true
}

// review is a machine with one of each thing that a line can speak of.
const review = `
machine Review(n int 0..5) {
    failures { busy }
    context { got int = 0 }
    event Go
    event Seen { n int }
    event Told { score float, note json }
    guard open()
    activity look() -> Seen
    initial Idle
    state Idle { on Go when open() -> Looking }
    state Looking {
        entry { publish Told { score = 1.0, note = {"a": 1, "b": 2.50} } }
        do look() timeout 5m
        on Seen -> Held { got = event.n }
        on failed retry 2 backoff 10s else -> Lost
    }
    state Held { after 1m -> Done }
    terminal Done success
    terminal Lost failure
}
`

// TestPlay holds what comes of scenarios of one machine against what the contract says of each line.
func TestPlay(t *testing.T) {
	const passes = ""
	for name, c := range map[string]struct{ lines, is string }{
		"to the end":                  {`guard open = true; send Go; look -> Seen { n = 3 }; expect Held; expect got == 3; wait 1m; expect Done; expect ended`, passes},
		"no answer":                   {`send Go`, "the scenario does not say what it answers: write `guard open = true`"},
		"refused":                     {`guard open = false; send Go; expect refused; expect Idle`, passes},
		"refused, said at once":       {`guard open = false; send Go refused; expect Idle`, passes},
		"refused, and not said":       {`guard open = false; send Go; expect Idle`, "is refused in state"},
		"refused, and the last line":  {`guard open = false; send Go`, "is refused in state"},
		"taken, and said refused":     {`guard open = true; send Go refused`, "the run has taken it, and the run stands in Looking"},
		"nothing was refused":         {`guard open = true; send Go; expect refused`, "nothing was refused"},
		"refused is of the last line": {`guard open = false; send Go refused; wait 1s; expect refused`, "nothing was refused"},
		"an answer in between":        {`guard open = false; send Go; guard open = true; expect refused`, "is refused in state"},
		"another state":               {`guard open = true; send Go; expect Held`, "state Looking"},
		"too early":                   {`guard open = true; send Go; look fails busy; look -> Seen { n = 1 }`, "write `wait 10s` before it"},
		"retries":                     {`guard open = true; send Go; look fails busy; expect waiting look; wait 10s; expect attempt 2 of look; look fails unknown; wait 10s; look fails busy; expect Lost`, passes},
		"too early by little":         {`guard open = true; send Go; look fails busy; wait 9s; wait 999999us; look -> Seen { n = 1 }`, "write `wait 1us` before it"},
		"over, and not waiting":       {`guard open = true; send Go; look -> Seen { n = 3 }; wait 1m; expect waiting look`, "look waits for its retry"},
		"not waiting":                 {`guard open = true; send Go; expect waiting look`, "attempt 1 of it is under way"},
		"another attempt":             {`guard open = true; send Go; expect attempt 2 of look`, "attempt 1"},
		"no attempt":                  {`look -> Seen { n = 1 }`, "the run stands in Idle"},
		"behind the end":              {`guard open = true; send Go; look -> Seen { n = 1 }; wait 1m; look lost`, "the run has ended in Done"},
		"checkpoint and lost":         {`guard open = true; send Go; look checkpoint; look lost; expect attempt 1 of look; look lost; look lost; look lost; look lost; expect attempt 1 of look; look lost; expect waiting look; wait 10s; expect attempt 2 of look`, passes},
		"cancelled":                   {`cancel; expect ended`, passes},
		"not ended":                   {`expect ended`, "the run stands in Idle"},
		"a wait of nothing":           {`wait 0s; expect Idle`, passes},
		"a wait that is no refusal":   {`guard open = false; send Go; wait 0s; expect refused`, "is refused in state"},
		"too short":                   {`guard open = true; send Go; look -> Seen { n = 1 }; wait 59s; expect Done`, "state Held"},
		"a comparison":                {`expect n == 2`, "n is 1"},
		"two sides":                   {`expect got > n`, "got is 0, n is 1"},
		"published":                   {`guard open = true; send Go; expect published Told { score = 1.0 }; expect published Told`, passes},
		"published, all of it":        {`guard open = true; send Go; expect published Told { note = {"b": 2.5, "a": 1} }`, passes},
		"published otherwise":         {`guard open = true; send Go; expect published Told { score = 1.5 }`, "published were Told"},
		"nothing published":           {`expect published Told`, "nothing was published"},
		"repeat":                      {`repeat 3 { expect Idle }; repeat 0 { expect Held }`, passes},
		"repeat of nothing":           {`repeat 1000000000 { }; expect Idle`, passes},
		"repeat without end":          {`repeat 1000000000 { expect Idle }`, "write a smaller `repeat`"},
		"repeats in repeats":          {`repeat 1000000000 { repeat 1000000000 { } }`, "write a smaller `repeat`"},
	} {
		t.Run(name, func(t *testing.T) { plays(t, review, strings.ReplaceAll(c.lines, "; ", "\n"), c.is) })
	}
}

// TestCosts plays what attempts say that they have used, in runs that are held to a budget.
func TestCosts(t *testing.T) {
	const asks = `
machine Below { activity cook() cost usd 0.5
 initial A
 state A { do cook() timeout 1m
  on done -> T
  on failed -> T }
 terminal T }
machine Review(n int) {
    budget { usd 2, tokens 100 }
    failures { busy }
    event Said
    event Sub
    activity ask() -> Said fails busy cost usd 0.5, tokens 10
    activity cost() -> Said
    initial Asking
    on over_budget(usd) -> Poor
    on over_budget -> Dumb
    state Asking {
        do ask() timeout 1m
        on Said -> Asking unbounded
        on Sub -> Calling
        on failed retry 3 backoff 1s else -> Failed
    }
    state Calling {
        do machine Below() as below timeout 1h
        on below.T -> Asking unbounded
        on failed -> Failed
        on Sub -> Naming
    }
    state Naming {
        do cost() timeout 1m
        on Said -> Failed
        on failed -> Failed
    }
    terminal Poor
    terminal Dumb
    terminal Failed failure
}
`
	for name, c := range map[string]struct{ lines, is string }{
		"as much as there is":     {`ask -> Said cost usd 2; expect Poor`, ""},
		"less than there is":      {`ask -> Said cost usd 1.5; expect Asking; ask -> Said cost usd 0.01; expect Poor`, ""},
		"nothing counts as said":  {`repeat 40 { ask -> Said cost usd 0, tokens 0 }; expect Asking`, ""},
		"no word of it":           {`repeat 3 { ask -> Said }; expect Asking; ask -> Said; expect Poor`, ""},
		"the other cost":          {`ask -> Said cost usd 0, tokens 101; expect Dumb`, ""},
		"both":                    {`ask -> Said cost tokens 101, usd 3; expect Dumb`, ""},
		"a failure":               {`ask fails busy "no" cost usd 2.5; expect Poor`, ""},
		"a checkpoint":            {`ask checkpoint cost usd 1; ask checkpoint cost usd 1; expect Asking; ask checkpoint cost usd 0.000001; expect Poor`, ""},
		"a child, as it ends":     {`send Sub; below -> T cost usd 2.1; expect Poor`, ""},
		"a child, before it ends": {`send Sub; below checkpoint cost usd 1; expect Calling; below checkpoint cost usd 1.1; expect Poor`, ""},
		"what is not held":        {`send Sub; send Sub; cost checkpoint cost usd 3`, "what cost uses counts when it ends"},
		"an activity called cost": {`send Sub; send Sub; cost lost; cost checkpoint; cost -> Said; expect Failed`, ""},
		"that costs":              {`send Sub; send Sub; cost fails unknown cost usd 1; expect Failed`, ""},
		"on the line of another":  {`send Sub; send Sub; cost checkpoint; cost lost; cost -> Said cost usd 1; expect ended`, ""},
	} {
		t.Run(name, func(t *testing.T) { plays(t, asks, strings.ReplaceAll(c.lines, "; ", "\n"), c.is) })
	}
}

// TestHalted plays machines that halt: in the step that starts the run, and later.
func TestHalted(t *testing.T) {
	const halts = "machine Review(n int) {\n event Go\n initial A\n state A { on done when n > 3 -> T\n after 1h -> T }\n terminal T success\n}\n"
	plays(t, halts, "expect A", "it has halted: nothing takes done")
	plays(t, halts, "expect halted\nexpect A", "")
	plays(t, halts, "expect refused", "it has halted: nothing takes done")
	later := strings.Replace(halts, "initial A", "initial B\n state B { on Go when n < 2 -> A }", 1)
	plays(t, later, "send Go\nexpect A", "it has halted: nothing takes done")
	plays(t, later, "send Go", "it has halted: nothing takes done")
	plays(t, later, "send Go\nexpect halted\nexpect A\nexpect halted", "")
	plays(t, later, "expect halted", "the run stands in B")
	plays(t, later, "send Go\nexpect halted\nsend Go", "the run is halted")
	plays(t, later, "send Go\nexpect halted\nsend Go refused\nexpect halted", "")
	plays(t, later, "send Go\nexpect halted\ncancel\nexpect ended", "")
	plays(t, later, "send Go\nexpect ended", "it has halted: nothing takes done")
	plays(t, later, "send Go\nexpect halted\nexpect ended", "the run has halted in A")
	plays(t, strings.Replace(later, "n < 2", "n > 2", 1), "send Go\nexpect halted", "is refused in state")
}

// TestSeveralAttempts: which attempts a name may mean is said in words that a scenario has.
func TestSeveralAttempts(t *testing.T) {
	const twice = `
machine Review(n int) {
    event Go
    activity look() -> Seen
    activity ship(item int)
    event Seen
    context { items [0..3]int = [] }
    initial Twice
    state Twice {
        do look() timeout 1m
        do look() timeout 2m
        on Go -> Named { items = items + 4 + 5 }
        on Seen -> T
        on failed -> T
    }
    state Named {
        do look() as left timeout 1m
        do look() as right timeout 1m
        on Go -> Fan
        on left.Seen, right.Seen -> T
        on failed -> T
    }
    state Fan {
        do ship(item) for item in items timeout 1m
        on Go -> Line
        on done -> T
        on failed retry 1 backoff 1s else -> T
    }
    state Line {
        do ship(item) for item in items limit 1 timeout 1m
        on done -> T
        on failed retry 1 backoff 1s else -> T
    }
    terminal T success
}
`
	plays(t, twice, "look -> Seen", "\"look\" is more than one attempt, of executions without labels: give each a label, as in `do look() as first`")
	plays(t, twice, "send Go\nlook -> Seen", "\"look\" is more than one attempt: write it as left")
	plays(t, twice, "send Go\nright -> Seen\nexpect T", "")
	plays(t, twice, "send Go\nsend Go\nship -> done", "\"ship\" is more than one attempt: write it as ship[0]")
	plays(t, twice, "send Go\nsend Go\nship[1] -> done\nship -> done\nexpect T", "")
	plays(t, twice, "send Go\nsend Go\nexpect attempt 1 of ship", "\"ship\" is more than one attempt: write it as ship[0]")
	plays(t, twice, "send Go\nsend Go\nexpect attempt 1 of ship[0]\nexpect attempt 1 of ship[1]", "")
	plays(t, twice, "send Go\nsend Go\nship[1] fails unknown\nexpect waiting ship[1]\nexpect attempt 2 of ship[1]\nexpect attempt 1 of ship[0]", "")
	plays(t, twice, "send Go\nsend Go\nship[1] fails unknown\nexpect waiting ship[0]", "attempt 1 of it is under way")
	const inLine = "send Go\nsend Go\nsend Go\nship[0] fails unknown\n" // the other one has its place
	plays(t, twice, inLine+"expect waiting ship[0]\nexpect attempt 2 of ship[0]\nexpect attempt 1 of ship[1]", "")
	plays(t, twice, inLine+"ship[0] -> done", "it waits for its retry: write `wait 1s` before it")
	plays(t, twice, inLine+"wait 1s\nexpect waiting ship[0]\nship[0] -> done", "it waits until another element has ended")
	plays(t, twice, inLine+"wait 1s\nship -> done\nexpect attempt 2 of ship\nship -> done\nexpect T", "")
	plays(t, twice, "send Go\nsend Go\nsend Go\nexpect waiting ship[1]", "\"ship[1]\" is not under way")
}

// TestMostSteps plays timers that fire again and again.
func TestMostSteps(t *testing.T) {
	const ticks = "machine Review(n int) {\n initial A\n state A { after 1s -> A\n after 400d -> T }\n terminal T success\n}\n"
	plays(t, ticks, "wait 365d", "more than 20000 steps follow")
	plays(t, ticks, "repeat 100 { wait 4h }", "write a shorter `wait`")
	plays(t, ticks, "repeat 6 { wait 4h }", "")
}

// plays plays one scenario: it passes, or fails with is.
func plays(t *testing.T, machine, lines, is string) {
	t.Helper()
	src := machine + "scenario \"s\" of Review(n = 1) {\n" + lines + "\n}\n"
	list, ok := tests(t, src)
	if !ok || len(list) != 1 {
		t.Fatalf("the source has errors: %v", lang.Load([]lang.Source{{Name: "a.fsm", Src: []byte(src)}}).Diags)
	}
	got := list[0].Play().Failure
	switch {
	case is == "" && got != nil:
		t.Errorf("%s: %s\nexpected: %s\nis:       %s", got.Place, got.Line, got.Expected, got.Is)
	case is != "" && got == nil:
		t.Errorf("it passes; want a failure with %q", is)
	case is != "" && !strings.Contains(got.Expected+"\n"+got.Is, is):
		t.Errorf("expected %q, it is %q; want %q", got.Expected, got.Is, is)
	}
}

// FuzzPlay plays what can be read: nothing panics, twice is the same, and a failure says where.
func FuzzPlay(f *testing.F) {
	files, err := filepath.Glob("../../examples/*/*_test.fsm")
	if err != nil || len(files) == 0 {
		f.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(strings.TrimSuffix(file, "_test.fsm") + ".fsm")
		if err != nil {
			continue
		}
		scenarios, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(scenarios), "\n") // the import
		f.Add(string(src) + rest)
	}
	f.Add(review + "scenario \"s\" of Review(n = 1) {\nguard open = true\nsend Go\nlook fails busy\nwait 10s\nlook lost\nrepeat 3 { expect refused }\n}")
	f.Fuzz(func(t *testing.T, src string) {
		list, ok := tests(t, src)
		if !ok {
			return
		}
		for _, test := range list {
			first, second := test.Play(), test.Play()
			if !reflect.DeepEqual(first.Failure, second.Failure) || len(first.Records) != len(second.Records) {
				t.Fatalf("it plays otherwise the second time: %+v, %+v", first.Failure, second.Failure)
			}
			if f := first.Failure; f != nil && (f.Place == "" || f.Line == "" || f.Expected == "" || f.Is == "") {
				t.Fatalf("the failure does not say where or what: %+v", f)
			}
		}
	})
}
