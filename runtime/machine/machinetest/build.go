// Package machinetest makes machines and values for tests, without the compiler: build.go first, then
// states.go and arms.go for what a machine does, declare.go for what it declares, exprs.go for the
// expressions in both. box.go is a machine with values of every type, random.go makes values.
package machinetest

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Part adds something to the state parent of a machine. Parts make a Definition from a
// compact description, so that tests need no compiler. Expressions are written as Go expressions ("n + 1",
// `event.x == Color.Red`, `d("30s")`, "set(x)", "maybe(x)"); types as in the language.
type Part func(b *builder, parent int)

type builder struct {
	d     *machine.Definition
	ons   map[int][]on
	types map[string]machine.Type
	each  map[string]machine.Type // of an element, as the last do that has some reads it
	fix   []func()

	records map[string]machine.Type
}

type on struct {
	triggers []string // "E", "a.E", "done", "cancel", "failed", "failed(x)", "a.failed(x)"
	arms     []int
}

// Define builds a definition; the initial state of a composite is its first.
func Define(parts ...Part) *machine.Definition {
	b := &builder{d: &machine.Definition{Format: machine.Format, Name: "M"}, ons: make(map[int][]on), records: map[string]machine.Type{}}
	b.d.States = []machine.State{{Kind: machine.CompositeState, Parent: -1, Initial: 1}}
	for _, p := range parts {
		p(b, 0)
	}
	b.d.Categories = append(b.d.Categories, "unknown", "timeout", "silent", "stalled")
	for len(b.fix) > 0 {
		f := b.fix[0]
		b.fix = b.fix[1:]
		f()
	}
	b.flatten()
	return b.d
}

// Build compiles the machine of these parts.
func Build(t testing.TB, parts ...Part) *machine.Machine {
	t.Helper()
	m, err := machine.Compile(Define(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
