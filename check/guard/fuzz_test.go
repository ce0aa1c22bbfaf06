package guard_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// FuzzRandom compares answers on random guards with those of trying everything.
func FuzzRandom(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(seed, uint8(seed%6))
	}
	f.Fuzz(func(t *testing.T, seed uint64, about uint8) {
		r := rand.New(rand.NewPCG(3, seed))
		th := &themes[int(about)%len(themes)]
		texts := []string{th.random(r, 1+r.IntN(6)), th.random(r, 1+r.IntN(6)), th.random(r, 1+r.IntN(6))}
		list, input, m := guards(t, texts...)
		q := &question{t: t, th: th, m: m, list: list, text: strings.Join(texts, "\n")}
		for _, e := range list {
			q.guards = append(q.guards, guard.Read(e, input))
		}
		q.ask()
	})
}

// FuzzGuard has any text as a guard: whatever the resolver makes of it is
// answered in time, and a model is one of the oracle's, too.
func FuzzGuard(f *testing.F) {
	for _, text := range []string{
		"x < y && !(z is set || b)", `s != t && len(s) == 1 && likes(s)`, "end - start > 1h || f < 0.5",
		"n - m > 9223372036854775807", "given(x < y) && !given(c)", "k != j && j == Kind.blue", "due(now, d)", "has(event.list)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := "machine M(p int, q string) {" + declarations + "initial A\nstate A { on E when " + text + "\n-> B }\nterminal B }"
		unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
		for _, m := range unit.Program.Machines {
			for _, v := range m.Fields {
				v.Assigned = true
			}
			for _, arm := range m.Arms {
				q := &question{t: t, th: &plainest, list: []ir.Expr{arm.When}, text: text}
				g := guard.Read(arm.When, nil)
				q.check(guard.Satisfy(g.Holds), len(unit.Diags) == 0, result{holds: true})
				q.check(guard.Satisfy(g.Fails), len(unit.Diags) == 0, result{})
				q.check(guard.Satisfy(stuck(g)), len(unit.Diags) == 0, result{stuck: true})
				if a := guard.Satisfy(g.Holds, g.Fails); a.Verdict == guard.Sat {
					t.Errorf("%q: both true and false: %s", text, a.Model.Text())
				}
			}
		}
	})
}

// plainest has one value for everything that a guard can read.
var plainest = theme{fields: map[string][]any{
	"p": {int64(0)}, "q": {""}, "x": {int64(0)}, "y": {int64(0)}, "z": {int64(0)}, "n": {int64(0)}, "m": {int64(0)},
	"b": {false}, "c": {false}, "k": {"red"}, "j": {"red"}, "one": {"only"}, "s": {""}, "t": {""}, "f": {0.0}, "g": {0.0},
	"d": {"0s"}, "e": {"0s"}, "start": {epoch}, "end": {epoch}, "now": {epoch},
	"tags": {[]any{}}, "marks": {[]any{}}, "bits": {[]any{}}, "ones": {[]any{}}, "raw": {int64(0)}, "raw2": {int64(1)},
	"event.n": {int64(0)}, "event.text": {""}, "event.kind": {"red"}, "event.flag": {false}, "event.score": {0.0},
	"event.wait": {"0s"}, "event.at": {epoch}, "event.list": {[]any{}},
}}

// check holds that a hangs together, and where the guard is sound, that the
// oracle has the result want for its model.
func (q *question) check(a guard.Answer, sound bool, want result) {
	q.t.Helper()
	if (a.Verdict == guard.Sat) != (a.Model != nil) {
		q.t.Errorf("%q: an answer that does not hang together: %+v", q.text, a)
	}
	if a.Verdict != guard.Sat || !sound {
		return
	}
	var got result
	if got.holds, got.stuck = q.world(a.Model).holds(q.list[0]); got != want {
		q.t.Errorf("%q: %+v, want %+v for %s", q.text, got, want, a.Model.Text())
	}
}
