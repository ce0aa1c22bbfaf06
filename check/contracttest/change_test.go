package contracttest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/contracttest"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// TestChanges changes random machines in ways that change nothing: what the
// checker says must stay as it was.
func TestChanges(t *testing.T) {
	for _, change := range contracttest.Changes {
		t.Run(strings.ReplaceAll(change.Name, " ", "_"), func(t *testing.T) {
			changed, count := 0, machines(t, 20)
			for seed := *contractSeed; seed < *contractSeed+count; seed++ {
				r := rand.New(rand.NewPCG(seed, 11))
				m := contracttest.Random(r, options(seed))
				c, ok := change.Make(m, r)
				if !ok {
					continue
				}
				changed++
				before, after := saysOf(t, m, change.Except), whole(m, saysOf(t, c, change.Except))
				if slices.Equal(before, after) {
					continue
				}
				t.Errorf("machine %d, %s:\n%s\n--- changed:\n%s\n--- said of it:\n%s", seed, change.Name, m.Text(), c.Text(), compareLines(before, after))
			}
			if changed == 0 {
				t.Error("nothing was changed")
			}
			t.Logf("%d machines changed", changed)
		})
	}
}

// saysOf is what the checker says of m, in words that no change touches.
func saysOf(t *testing.T, m *contracttest.Machine, except []string) []string {
	t.Helper()
	text := m.Text()
	places := m.Places()
	diags, worsts := check.Analyze(langtest.Unit(t, text).Program, all.Rules, 4_000_000, false)
	lines := map[string]bool{}
	for _, d := range diags {
		switch d.Rule {
		case "unused", "never-read":
			continue
		}
		if slices.Contains(except, d.Rule) {
			continue
		}
		where := " at " + places[d.Span.Start.Line]
		if slices.Contains([]string{"unbounded-loop", "spinning-loop", "no-success", "deferred-lost", "read-before-set", "undecided"}, d.Rule) {
			where = ""
		}
		lines[d.Rule+where] = true
		for _, st := range m.States() {
			if d.Rule == "unreachable-state" && strings.Contains(d.Message, strconv.Quote(st.Path())) { // which is first depends on the order
				lines[d.Rule+" at "+places[st.Line()]] = true
			}
		}
	}
	figure := func(f check.Figure) {
		amount := "no bound"
		if f.Amount != nil {
			amount = f.Amount.RatString()
		}
		lines[fmt.Sprintf("%s %s exact %v", strings.TrimPrefix(f.Name, "perform_"), amount, f.Exact)] = true
	}
	w := worsts[0]
	figure(w.Steps)
	figure(w.Time)
	for _, f := range append(w.Costs, w.Activities...) {
		figure(f)
	}
	return slices.Sorted(maps.Keys(lines))
}

func compareLines(before, after []string) string {
	var b strings.Builder
	for _, l := range before {
		if !slices.Contains(after, l) {
			fmt.Fprintln(&b, "only before:", l)
		}
	}
	for _, l := range after {
		if !slices.Contains(before, l) {
			fmt.Fprintln(&b, "only after: ", l)
		}
	}
	return b.String()
}

// whole names the states of m where the composite around them is unreachable as
// a whole, which is one finding.
func whole(m *contracttest.Machine, lines []string) []string {
	const wrapper = "unreachable-state at state 0"
	if !slices.Contains(lines, wrapper) {
		return lines
	}
	set := map[string]bool{}
	for _, l := range lines {
		set[l] = l != wrapper
	}
	delete(set, wrapper)
	for _, s := range m.Root.Children {
		if s.Terminal == "" {
			set[fmt.Sprint("unreachable-state at state ", s.ID)] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
