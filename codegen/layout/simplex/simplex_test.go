package simplex

import (
	"math/rand/v2"
	"testing"
)

// random is a graph without cycles.
func random(r *rand.Rand, n, m int) []Edge {
	var edges []Edge
	for range m {
		a, b := r.IntN(n), r.IntN(n)
		if a == b {
			continue
		}
		edges = append(edges, Edge{From: min(a, b), To: max(a, b), Least: r.IntN(4), Weight: r.IntN(5)})
	}
	return edges
}

func cost(at []int, edges []Edge) int {
	sum := 0
	for _, e := range edges {
		sum += e.Weight * (at[e.To] - at[e.From])
	}
	return sum
}

func feasible(t *testing.T, at []int, edges []Edge) {
	t.Helper()
	for _, e := range edges {
		if at[e.To]-at[e.From] < e.Least {
			t.Fatalf("%v is %d long", e, at[e.To]-at[e.From])
		}
	}
}

// least is the smallest cost, found by trying all numbers up to most.
func least(n int, edges []Edge, most int) int {
	at := make([]int, n)
	best := -1
	var try func(v int)
	try = func(v int) {
		if v == n {
			if c := cost(at, edges); best < 0 || c < best {
				best = c
			}
			return
		}
	numbers:
		for at[v] = 0; at[v] <= most; at[v]++ {
			for _, e := range edges {
				if e.To == v && at[v]-at[e.From] < e.Least {
					continue numbers
				}
			}
			try(v + 1)
		}
	}
	try(0)
	return best
}

func TestLeastCost(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 2 + r.IntN(4)
		edges := random(r, n, 1+r.IntN(7))
		at := Solve(n, edges, 1<<30)
		feasible(t, at, edges)
		if got, want := cost(at, edges), least(n, edges, 8); got != want {
			t.Fatalf("seed %d: %v gives %v, which costs %d; %d is possible", seed, edges, at, got, want)
		}
	}
}

// Whenever it is stopped, the lengths hold.
func TestStopped(t *testing.T) {
	for work := range 60 {
		r := rand.New(rand.NewPCG(uint64(work), 2))
		edges := random(r, 40, 90)
		feasible(t, Solve(40, edges, 20*work), edges)
	}
}

func TestNothing(t *testing.T) {
	if at := Solve(0, nil, 10); len(at) != 0 {
		t.Error(at)
	}
	if at := Solve(2, nil, 10); at[0] != 0 || at[1] != 0 {
		t.Error(at)
	}
}
