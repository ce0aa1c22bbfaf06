package guard_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/guard"
)

// Benchmark measures the questions that rules ask of guards as people write them.
func Benchmark(b *testing.B) {
	list, input, _ := guards(b, "n < 3", "n >= 3", `k == Kind.red && x < 2 && s != "" && likes(s)`, "z is set && z > 1 || d > 30s && !b")
	var g []guard.Guard
	for _, e := range list {
		g = append(g, guard.Read(e, input))
	}
	for _, c := range []struct {
		name string
		ask  func()
	}{
		{"read", func() { guard.Read(list[3], input) }},
		{"overlap/two bounds", func() { overlap(g[0], g[1]) }},
		{"gap/two bounds", func() { gap(g[0], g[1]) }},
		{"overlap/mixed", func() { overlap(g[2], g[3]) }},
		{"gap/four arms", func() { gap(g[0], g[2], g[3]) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.ask()
			}
		})
	}
}
