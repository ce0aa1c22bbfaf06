package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fsmc-dev/fsmc/check/graph"
)

func build(n int, edges [][2]int32) *graph.Graph {
	return graph.New(n, func(add func(from, to int32)) {
		for _, e := range edges {
			add(e[0], e[1])
		}
	})
}

func TestComponents(t *testing.T) {
	// 0 -> (1 <-> 2) -> 3 -> 3, and 4 alone.
	g := build(5, [][2]int32{{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 3}})
	of, n := g.Components()
	if n != 4 {
		t.Fatalf("%d components, want 4", n)
	}
	if of[1] != of[2] || of[0] == of[1] || of[3] == of[1] {
		t.Errorf("components are %v", of)
	}
	if !(of[0] > of[1] && of[1] > of[3]) {
		t.Errorf("edges do not lead to lower numbers: %v", of)
	}
}

// TestComponentsMean compares with the definition: two vertices are in one
// component where each reaches the other.
func TestComponentsMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + rng.IntN(12)
		var edges [][2]int32
		for range rng.IntN(3 * n) {
			edges = append(edges, [2]int32{rng.Int32N(int32(n)), rng.Int32N(int32(n))})
		}
		g := build(n, edges)
		of, _ := g.Components()
		for v := range int32(n) {
			from := g.Reach(v)
			for w := range int32(n) {
				if same := from[w] && g.Reach(w)[v]; same != (of[v] == of[w]) {
					t.Fatalf("edges %v: %d and %d in one component is %t, want %t", edges, v, w, of[v] == of[w], same)
				}
			}
		}
	}
}

func TestComponentsOfLongChain(t *testing.T) {
	const n = 1_000_000
	g := graph.New(n, func(add func(from, to int32)) {
		for v := range int32(n) {
			add(v, (v+1)%n)
		}
	})
	if _, count := g.Components(); count != 1 {
		t.Errorf("%d components, want 1", count)
	}
}

func TestReachBackward(t *testing.T) {
	g := build(4, [][2]int32{{0, 1}, {1, 2}, {3, 3}})
	if got, want := g.Reverse().Reach(2), []bool{true, true, true, false}; !slices.Equal(got, want) {
		t.Errorf("reached %v, want %v", got, want)
	}
}

func TestShortestPath(t *testing.T) {
	g := build(5, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 0}})
	goal := func(want int32) func(int32) bool { return func(v int32) bool { return v == want } }
	if got, want := g.ShortestPath(0, nil, goal(3)), []int32{1}; !slices.Equal(got, want) {
		t.Errorf("path is %v, want the edge 0->3, number %v", got, want)
	}
	if got := g.ShortestPath(0, nil, goal(0)); len(got) != 2 {
		t.Errorf("path once round is %v, want two edges", got)
	}
	around := func(edge int32) bool { return g.To[edge] != 3 }
	if got := g.ShortestPath(0, around, goal(0)); got != nil {
		t.Errorf("path that avoids 3 is %v, want none", got)
	}
}

func TestFilter(t *testing.T) {
	g := build(3, [][2]int32{{0, 1}, {0, 2}, {1, 2}})
	cut := g.Filter(func(from, edge int32) bool { return from != 0 || g.To[edge] == 2 })
	if got, want := cut.To, []int32{2, 2}; !slices.Equal(got, want) {
		t.Errorf("edges lead to %v, want %v", got, want)
	}
}

func TestLongest(t *testing.T) {
	// 0 -> (1 <-> 2) -> 3, with a way round the cycle that is longer and one that is absent.
	edges := [][2]int32{{0, 1}, {0, 3}, {1, 2}, {2, 1}, {2, 3}, {0, 3}}
	weights := []int64{1, 2, 0, 0, 4, graph.Absent}
	g := build(4, edges)
	numbered := make([]int64, len(edges)) // by number in g
	next := slices.Clone(g.First)
	for i, e := range edges {
		numbered[next[e[0]]] = weights[i]
		next[e[0]]++
	}
	weight := func(_, e int32) int64 { return numbered[e] }
	of, n := g.ComponentsAlong(func(from, e int32) bool { return weight(from, e) != graph.Absent })
	l := graph.NewLongest(g, of, n, weight)
	for v, want := range []int64{5, 4, 4, 0} {
		if got := l.Length(int32(v)); got != want {
			t.Errorf("the longest path from %d is %d long, want %d", v, got, want)
		}
	}
	var sum int64
	at := int32(0)
	for _, e := range l.Path(0) {
		if g.From(e) != at {
			t.Errorf("edge %d leaves %d, and the path is at %d", e, g.From(e), at)
		}
		sum, at = sum+weight(at, e), g.To[e]
	}
	if sum != 5 || at != 3 {
		t.Errorf("the path adds up to %d and ends in %d, want 5 and 3", sum, at)
	}
	numbered[g.First[1]] = 1 // round the cycle now
	if got := graph.NewLongest(g, of, n, weight).Length(0); got != graph.Infinite {
		t.Errorf("with a weight on the cycle it is %d long, want no end", got)
	}
	numbered[g.First[1]] = graph.Absent // and no cycle
	of, n = g.ComponentsAlong(func(from, e int32) bool { return weight(from, e) != graph.Absent })
	if got := graph.NewLongest(g, of, n, weight).Length(0); got != 2 {
		t.Errorf("without the edge to 2 it is %d long, want 2", got)
	}
}
