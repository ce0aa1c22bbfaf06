package oracletest_test

import (
	"fmt"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// guardRules are the rules about guards, and those that a guard can bring about.
var guardRules = []string{"overlapping-guards", "guard-gap", "unhandled-case", "dead-arm", "require-violated", "never-fires", "undecided"}

// TestGuardCases asks the rules about guards one nasty case at a time: what
// stands in the state S, and what is said, with the line in S.
func TestGuardCases(t *testing.T) {
	for _, c := range []struct{ name, state, want string }{
		{"one nanosecond between two durations", `
			on Go when event.wait < 1m -> Done
			on Go when event.wait > 1m -> Done`, "1 guard-gap"},
		{"compound durations meet", `
			on Go when event.wait < 1m30s -> Done
			on Go when event.wait >= 90s -> Done`, ""},
		{"a duration and a literal on the other side", `
			on Go when event.wait - 10m < 5m -> Done
			on Go when 15m <= event.wait -> Done`, ""},
		{"beyond the range of a duration", `
			on Go when event.wait <= 1h -> Done
			on Go when event.wait > 1h -> Done`, "2 dead-arm"},
		{"two fields compared with each other", `
			on Go when event.n < event.m -> Done
			on Go when event.n > event.m -> Done`, "1 guard-gap"},
		{"three differences make a circle", `
			on Go when event.n < event.m && event.m < a && a < event.n -> Done
				else -> Done`, "1 dead-arm"},
		{"differences with slack", `
			on Go when event.n - event.m > 2 -> Done
			on Go when event.n - event.m < 4 -> Done`, "2 overlapping-guards"},
		{"whole numbers leave nothing between", `
			on Go when event.n > 2 -> Done
			on Go when event.n < 3 -> Done`, ""},
		{"floats leave everything between", `
			on Rate when event.x > 2.0 -> Done
			on Rate when event.x < 3.0 -> Done`, "2 overlapping-guards"},
		{"one float is left out", `
			on Rate when event.x > 0.1 -> Done
			on Rate when event.x < 0.1 -> Done`, "1 guard-gap"},
		{"an int literal where a float is wanted", `
			on Rate when event.x >= 1 -> Done
			on Rate when event.x < 1.0 -> Done`, ""},
		{"all values of an enum, one by one", `
			on Go when event.tier == Tier.gold -> Done
			on Go when event.tier == Tier.silver -> Done
			on Go when event.tier == Tier.plain -> Done`, ""},
		{"an enum less one value", `
			on Go when event.tier == Tier.gold -> Done
			on Go when event.tier != Tier.gold && event.tier != Tier.plain -> Done`, "1 guard-gap"},
		{"an enum compared with itself elsewhere", `
			on Go when event.tier == tier -> Done
			on Go when event.tier != tier -> Done`, ""},
		{"strings have no end", `
			on Go when event.text == "a" -> Done
			on Go when event.text == "b" -> Done`, "1 guard-gap"},
		{"two strings and a constant", `
			on Go when event.text == name && name == "a" -> Done
			on Go when event.text != "a" || name != "a" -> Done`, ""},
		{"the empty string and its length", `
			on Go when event.text == "" -> Done
			on Go when len(event.text) > 0 -> Done`, ""},
		{"a string is as long as it is", `
			on Go when event.text == "abc" && len(event.text) != 3 -> Done
				else -> Done`, "1 dead-arm"},
		{"the length of a list", `
			on Listed when len(event.items) == 0 -> Done
			on Listed when len(event.items) >= 2 -> Done`, "1 guard-gap"},
		{"a length of what is not held", `
			on Listed when len(name) > 3 -> Done
			on Listed when len(name) > 5 -> Done
				else -> Done`, "2 overlapping-guards"},
		{"a length is never negative", `
			on Listed when len(event.items) < 0 -> Done
				else -> Done`, "1 dead-arm"},
		{"times a second apart", `
			on Stamp when event.by - event.at >= 1s -> Done
			on Stamp when event.by - event.at < 1s -> Done`, ""},
		{"times and a shift", `
			on Stamp when event.at + 1h < event.by -> Done
			on Stamp when event.at + 30m > event.by -> Done`, "1 guard-gap"},
		{"unset is neither", `
			on SetMaybe { maybe = event.n }
			on Go when maybe is set && maybe > 2 -> Done
			on Go when maybe is set && maybe <= 2 -> Done`, "2 guard-gap"},
		{"what nothing sets is never-set", `
			on Go when maybe is set && maybe > 2 -> Done
			on Go when maybe is set && maybe <= 2 -> Done`, ""},
		{"set, unset and by value", `
			on SetMaybe { maybe = event.n }
			on Go when maybe is not set -> Done
			on Go when maybe is set && maybe > 1 -> Done
			on Go when maybe is set && maybe < 2 -> Done`, ""},
		{"never set by any run", `
			on Go when maybe is not set -> Done
			on Go when maybe is set && maybe > 1 -> Done`, ""},
		{"a host guard and its denial", `
			on Go when h(event.n) -> Done
			on Go when !h(event.n) -> Done`, ""},
		{"a host guard of equal arguments", `
			on Go when h(event.n) -> Done
			on Go when event.n == event.m && !h(event.m) -> Done
			on Go when event.n != event.m && !h(event.n) -> Done`, ""},
		{"a host guard of other arguments", `
			on Go when h(event.n) -> Done
			on Go when !h(event.m) -> Done`, "1 guard-gap, 2 overlapping-guards"},
		{"a deep chain with one hole", `
			on Go when event.n == 0 -> Done
				else when event.n == 1 -> Done
				else when event.n == 2 && event.m > 0 -> Done
				else when event.n == 3 -> Done
				else when event.n > 3 -> Done`, "1 guard-gap"},
		{"a deep chain whose last arm is dead", `
			on Go when event.n < 2 -> Done
				else when event.n < 4 -> Done
				else when event.n < 8 -> Done
				else when event.n >= 8 -> Done
				else when event.n == 9 -> Done`, "5 dead-arm"},
		{"a bound that is used up is another rule", `
			on Go when event.n < 5 -> S max 2
			on Go when event.n >= 5 -> Done`, ""},
		{"both bounded, both open", `
			on Go when event.n < 5 -> S max 1 else reject
			on Go when event.n < 3 -> Done`, "2 overlapping-guards"},
		{"an ignore behind takes the rest", `
			on Go when event.n < 5 -> Done
			ignore Go`, ""},
		{"several triggers of one handler", `
			on Go, SetMaybe when event.n < 5 -> Done
			on SetMaybe when event.n > 3 -> Done`, "1 guard-gap, 2 overlapping-guards"},
		{"no run has the values", `
			on Go when a < 2 -> Done
			on Go when a > 5 -> Done`, "2 dead-arm"},
		{"a counter reaches its end", `
			on SetMaybe when a < 9 { a = a + 1 } else reject
			on Go when a < 9 -> Done
			on Go when a >= 9 && event.f -> Done`, "2 guard-gap"},
		{"a negative range", `
			on Go when event.low < 0 -> Done
			on Go when event.low > -1 -> Done`, ""},
		{"boolean equality", `
			on Go when event.f == flag -> Done
			on Go when event.f != flag -> Done`, ""},
		{"a timer fires once", `
			after 1h when flag -> Done
				else when a < 5 { flag = true }
			on Go -> Done`, "1 dead-arm"},
		{"a timer with guards", `
			on SetMaybe { flag = event.n > 3 }
			after 1h when flag -> Done
				else when a > 5 { flag = true }
			on Go -> Done`, "-1 never-fires, 2 unhandled-case, 3 dead-arm"},
		{"a timer that a longer one cannot", `
			after 1h -> Done
			after 90m -> Done
			on Go -> Done`, "-1 never-fires, 2 never-fires"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := `machine Case(limit int 0..9, name string) {
    enum Tier { gold, silver, plain }
    context { a int 0..9 = 1, maybe int 0..4, tier Tier = Tier.gold, flag bool = false }
    event Go { n int 0..9, m int 0..9, low int -5..5, f bool, wait duration 0s..1h, text string, tier Tier }
    event Rate { x float }
    event Listed { items []string }
    event Stamp { at time, by time }
    event SetMaybe { n int 0..4 }
    event End
    guard h(n int)
    initial S
    on End -> Done
    after 30d -> Done
    state S {` + c.state + "\n}\nterminal Done\n}\n"
			first := strings.Count(src[:strings.Index(src, "state S {")], "\n") + 1
			var got []string
			prog := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}}).Program
			for _, d := range check.Run(prog, all.Rules) {
				if slices.Contains(guardRules, d.Rule) {
					got = append(got, fmt.Sprintf("%d %s", d.Span.Start.Line-first, d.Rule))
				}
				replayable(t, prog.Machines[0], d)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// replayable replays the witness of d.
func replayable(t *testing.T, m *ir.Machine, d diag.Diagnostic) {
	t.Helper()
	if d.Witness == nil || len(d.Witness.Path) == 0 {
		return
	}
	r, err := newReplay(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.play(d.Witness); err != nil {
		t.Errorf("%s: %v\n%+v", d.Message, err, d.Witness)
	}
}
