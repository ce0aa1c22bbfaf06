package nodetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/formats"
	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
)

// TestRandomCharts: what comes over without a loss is in the states of its original, and does what that does.
func TestRandomCharts(t *testing.T) {
	needNode(t)
	i := slices.IndexFunc(formats.Sources, func(s foreign.Source) bool { return s.Name == "xstate" })
	compared := 0
	for seed := range uint64(60) {
		d := &drawn{Rand: rand.New(rand.NewPCG(seed, 7))}
		text, err := json.Marshal(d.state(d.tree(nil, 0)))
		must(t, err)
		result, err := formats.Sources[i].Read("x", text)
		must(t, err)
		if result.Report.Grade() == foreign.Lost {
			continue
		}
		m := tabletest.Machines(t, string(result.Text))[0]
		j := job{Format: "xstate", Text: string(text), Guards: guardsOf(text), Sequences: draw(m)[:25]}
		got, want := play(t, m, j.Sequences), ask(t, j)
		compared++
		for i := range j.Sequences {
			for n := range want[i] {
				if plain(got[i][n]) != plain(want[i][n]) {
					t.Fatalf("chart %d, sequence %d, after %v: the machine is in %q, the original in %q\n%s\n%s", seed, i, j.Sequences[i][:n], got[i][n], want[i][n], text, result.Text)
				}
			}
		}
	}
	if compared < 20 {
		t.Errorf("only %d charts come over without a loss", compared)
	}
}

// drawn is a random chart.
type drawn struct {
	*rand.Rand
	all []*node
}

type node struct {
	key    string
	inside []*node
	parent *node
	final  bool
}

func (d *drawn) add(key string, parent *node) *node {
	n := &node{key: fmt.Sprint(key, len(d.all)), parent: parent, final: key == "f"}
	d.all = append(d.all, n)
	if parent != nil {
		parent.inside = append(parent.inside, n)
	}
	return n
}

func (d *drawn) tree(parent *node, depth int) *node {
	n := d.add("s", parent)
	if depth < 3 && (depth == 0 || d.IntN(3) == 0) {
		for range 2 + d.IntN(2) {
			d.tree(n, depth+1)
		}
		if depth == 0 || d.IntN(2) == 0 {
			d.add("f", n)
		}
	}
	return n
}

func (d *drawn) state(n *node) map[string]any {
	m := map[string]any{"id": n.key}
	if n.final {
		m["type"] = "final"
		return m
	}
	states := map[string]any{}
	for _, k := range n.inside {
		states[k.key] = d.state(k)
	}
	end := d.all[0].inside[len(d.all[0].inside)-1]
	if len(states) > 0 {
		m["states"], m["initial"] = states, n.inside[d.IntN(len(n.inside)-1)].key
		if n.parent != nil && d.IntN(2) == 0 {
			m["onDone"] = map[string]any{"target": "#" + end.key, "actions": "won"}
		}
	}
	on := map[string]any{}
	for _, e := range []string{"A", "B", "C", "x.y", "x.z"} {
		switch d.IntN(5) {
		case 0:
			on[e] = d.arm(n)
		case 1:
			on[e] = []any{d.arm(n), d.arm(n)}
		}
	}
	if d.IntN(8) == 0 {
		on["x.*"] = d.arm(n)
	}
	m["on"] = on
	if d.IntN(5) == 0 { // no two at once
		m["after"] = map[string]any{strconv.Itoa(300 + 70*slices.Index(d.all, n)): d.arm(n)}
	}
	if n.parent == d.all[0] && len(states) == 0 && d.IntN(4) == 0 {
		m["always"] = map[string]any{"guard": "isOk1", "target": "#" + end.key}
	}
	if d.IntN(4) == 0 {
		m["entry"] = "in" + n.key
	}
	if d.IntN(4) == 0 {
		m["exit"] = "out" + n.key
	}
	return m
}

func (d *drawn) arm(n *node) map[string]any {
	m := map[string]any{}
	if d.IntN(5) > 1 {
		m["guard"] = "isOk" + strconv.Itoa(d.IntN(3))
	}
	if d.IntN(6) > 0 {
		switch {
		case len(n.inside) > 0 && d.IntN(4) == 0:
			m["target"] = "." + n.inside[d.IntN(len(n.inside))].key
		case n.parent != nil && d.IntN(3) == 0:
			m["target"] = n.parent.inside[d.IntN(len(n.parent.inside))].key
		default:
			m["target"] = "#" + d.all[1+d.IntN(len(d.all)-1)].key
		}
		if n.parent != nil && d.IntN(3) == 0 {
			m["reenter"] = true
		}
	}
	if d.IntN(3) == 0 {
		m["actions"] = "act" + strconv.Itoa(d.IntN(3))
	}
	return m
}
