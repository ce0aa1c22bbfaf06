package oracletest_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// during has *at hold v while t runs.
func during[T any](t *testing.T, at *T, v T) {
	before := *at
	*at = v
	t.Cleanup(func() { *at = before })
}

// wideFrom puts the ends of every input with as many of them behind a junction while t
// runs.
func wideFrom(t *testing.T, n int) { during(t, &explore.WideFrom, n) }

// said is all that the checker says of a machine, witnesses and all; but of the runs
// that reach a figure there may be several, and of the cycles for which there is none.
func said(t *testing.T, unit *lang.Unit) string {
	t.Helper()
	diags, worsts := check.Analyze(unit.Program, all.Rules, 200_000, false)
	for _, w := range worsts {
		if w == nil {
			continue
		}
		for i := range w.Unbounded {
			w.Unbounded[i].Why = ""
		}
		for _, f := range append([]*check.Figure{&w.Steps, &w.Time}, slices.Concat(pointers(w.Costs), pointers(w.Activities))...) {
			f.Factors, f.Shares = "", nil
		}
	}
	text, err := json.MarshalIndent([]any{diags, worsts}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func pointers[T any](list []T) (out []*T) {
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// TestJunctionsChangeNothing compares all that is said of machines with every step
// behind a junction, and with none.
func TestJunctionsChangeNothing(t *testing.T) {
	var sources []string
	for _, s := range langtest.Sources(t, "../rule/*/testdata/*.fsm", "../../examples/*/*.fsm") {
		sources = append(sources, string(s.Src))
	}
	for seed := range uint64(300) {
		for _, generate := range []func(*rand.Rand) string{oracletest.Generate, oracletest.GenerateFlat, oracletest.GenerateWide} {
			sources = append(sources, generate(rand.New(rand.NewPCG(seed, 74))))
		}
	}
	compared := 0
	for _, src := range sources {
		unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
		if unit.Diags.HasErrors() {
			continue
		}
		wideFrom(t, 1<<30)
		none := said(t, unit)
		wideFrom(t, 1)
		every := said(t, unit)
		compared++
		if none != every {
			a, b := strings.Split(none, "\n"), strings.Split(every, "\n")
			for i := range a {
				if i >= len(b) || a[i] != b[i] {
					t.Errorf("%s\n%s\n--- %d\n%s", src, strings.Join(a[max(0, i-3):min(i+4, len(a))], "\n"), i, strings.Join(b[max(0, i-3):min(i+4, len(b))], "\n"))
					break
				}
			}
		}
	}
	if compared < 900 {
		t.Errorf("%d machines compared, want at least 900", compared)
	}
}

// TestBruteForceWide holds machines whose events set several fields at once against
// brute force, with every step behind a junction, and with few values that stand for others.
func TestBruteForceWide(t *testing.T) {
	wideFrom(t, 1)
	for name, generate := range map[string]func(*rand.Rand) string{"wide": plainWide, "all": oracletest.Generate, "flat": oracletest.GenerateFlat} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			(&machines{generate: generate, count: *oracleCount / 4, larger: *oracleCount / 40}).compare(t)
		})
	}
}

// plainWide is GenerateWide without deferred events and timers: brute force tells those
// of a queue apart by all that they bring, and moments by all that came before.
func plainWide(r *rand.Rand) string {
	for {
		if src := oracletest.GenerateWide(r); !strings.Contains(src, "defer") && !strings.Contains(src, "after") {
			return src
		}
	}
}
