// Package graph holds the graph algorithms of the checker. Vertices are the
// integers from 0, so that a graph of millions of configurations is three flat
// slices; nothing here recurses, so that its depth is no limit either.
package graph

import (
	"iter"
	"sort"

	"github.com/fsmc-dev/fsmc/check/stop"
)

// Graph is a directed graph in compressed form: the successors of vertex v are
// To[First[v]:First[v+1]], in the order in which the edges were added. The
// index of an edge in To is its number.
type Graph struct {
	First []int32
	To    []int32

	// Vertices from Within on, if that is not 0, stand within a step: the edge into one
	// and the edge out of it are one step. None leads to another.
	Within int32

	Stop *stop.Stop // what works on the graph polls it
}

// None stands where a number is wanted (of a vertex, an edge, an input, an arm) and
// there is none.
const None = int32(-1)

// Len is the number of vertices.
func (g *Graph) Len() int { return len(g.First) - 1 }

// Successors are the vertices to which the edges of v lead.
func (g *Graph) Successors(v int32) []int32 { return g.To[g.First[v]:g.First[v+1]] }

// From is the vertex from which edge e leads.
func (g *Graph) From(e int32) int32 {
	return int32(sort.Search(g.Len(), func(v int) bool { return g.First[v+1] > e }))
}

// Edges goes through all edges: the vertex from which each leads, and its number.
func (g *Graph) Edges() iter.Seq2[int32, int32] {
	return func(yield func(from, e int32) bool) {
		for v := range int32(g.Len()) {
			for e := g.First[v]; e < g.First[v+1]; e++ {
				if !yield(v, e) {
					return
				}
			}
		}
	}
}

// New makes a graph of n vertices. Each calls its argument once for every edge;
// it is called twice, and must give the same edges both times.
func New(n int, each func(edge func(from, to int32))) *Graph {
	g := &Graph{First: make([]int32, n+1)}
	each(func(from, _ int32) { g.First[from+1]++ })
	for v := range n {
		g.First[v+1] += g.First[v]
	}
	g.To = make([]int32, g.First[n])
	next := append([]int32(nil), g.First[:n]...)
	each(func(from, to int32) {
		g.To[next[from]] = to
		next[from]++
	})
	return g
}

// remade is New with the vertices of g.
func (g *Graph) remade(each func(edge func(from, to int32))) *Graph {
	out := New(g.Len(), each)
	out.Stop = g.Stop
	return out
}

// Filter is the graph of those edges for which keep, called with the edge's
// source and number, returns true.
func (g *Graph) Filter(keep func(from, edge int32) bool) *Graph {
	return g.remade(func(add func(from, to int32)) {
		for v := range int32(g.Len()) {
			g.Stop.Poll()
			for e := g.First[v]; e < g.First[v+1]; e++ {
				if keep(v, e) {
					add(v, g.To[e])
				}
			}
		}
	})
}

// Reverse is the graph with every edge turned round.
func (g *Graph) Reverse() *Graph {
	return g.remade(func(add func(from, to int32)) {
		for v := range int32(g.Len()) {
			g.Stop.Poll()
			for _, w := range g.Successors(v) {
				add(w, v)
			}
		}
	})
}
