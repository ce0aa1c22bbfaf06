package nodetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/formats"
	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
)

// TestRandomXState: what comes over without a loss is in the states of its original, and does what that does.
func TestRandomXState(t *testing.T) {
	random(t, "xstate", 60, func(d *drawn) string {
		text, err := json.Marshal(d.state(d.tree(nil, 0)))
		must(t, err)
		return string(text)
	}, func(state string) string { return state })
}

// TestRandomSCXML: what comes over without a loss is in the states of its original.
func TestRandomSCXML(t *testing.T) {
	random(t, "scxml", 30, func(d *drawn) string { return d.element(d.tree(nil, 0)) }, func(state string) string {
		state, _, _ = strings.Cut(state, "|")
		return state[strings.LastIndex(state, ".")+1:]
	})
}

// random compares charts, in the words that the answers of ask have.
func random(t *testing.T, format string, charts uint64, text func(*drawn) string, words func(state string) string) {
	needNode(t)
	i := slices.IndexFunc(formats.Sources, func(s foreign.Source) bool { return s.Name == format })
	compared := uint64(0)
	for seed := range charts {
		text := text(&drawn{Rand: rand.New(rand.NewPCG(seed, 7))})
		result, err := formats.Sources[i].Read("x", []byte(text))
		must(t, err)
		m := tabletest.Machines(t, string(result.Text))[0]
		if result.Report.Grade() == foreign.Lost || len(events(m)) == 0 {
			continue
		}
		j := job{Format: format, Text: text, Guards: []string{}, Sequences: draw(m)[:25]}
		if format == "xstate" {
			j.Guards = guardsOf([]byte(text))
		}
		got, want := play(t, m, j.Sequences), ask(t, j)
		compared++
		for i := range j.Sequences {
			for n := range want[i] {
				if plain(words(got[i][n])) != plain(want[i][n]) {
					t.Fatalf("chart %d, sequence %d, after %v: the machine is in %q, the original in %q\n%s\n%s", seed, i, j.Sequences[i][:n], got[i][n], want[i][n], text, result.Text)
				}
			}
		}
	}
	if compared < charts/3 {
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

// element is n in SCXML.
func (d *drawn) element(n *node) string {
	var b strings.Builder
	root := d.all[0]
	end := root.inside[len(root.inside)-1]
	switch {
	case n == root:
		fmt.Fprintf(&b, `<scxml name="m" datamodel="ecmascript" initial="%s"><datamodel><data id="n" expr="0"/><data id="b" expr="false"/><data id="s" expr="'q'"/></datamodel>`, n.inside[d.IntN(len(n.inside)-1)].key)
	case n.final:
		return fmt.Sprintf(`<final id="%s"/>`, n.key)
	default:
		fmt.Fprintf(&b, `<state id="%s"><onentry>%s</onentry><onexit>%s</onexit>`, n.key, d.content(), d.content())
		for range d.IntN(6) {
			b.WriteString(d.transition())
		}
		if len(n.inside) > 0 && n.inside[len(n.inside)-1].final {
			fmt.Fprintf(&b, `<transition event="done.state.%s" target="%s"/>`, n.key, end.key)
		}
	}
	for _, k := range n.inside {
		b.WriteString(d.element(k))
	}
	if n == root {
		return b.String() + "</scxml>"
	}
	return b.String() + "</state>"
}

func (d *drawn) transition() string {
	text := "<transition event=" + d.pick(`"A"`, `"B"`, `"C"`, `"x"`, `"x.y"`, `"x.z"`, `"A B"`, `"x.*"`, `"C x.y"`)
	text += d.pick("", "", ` cond="n &lt; 3"`, ` cond="n === 2 || b"`, ` cond="!b"`, ` cond="n &gt; 5 &amp;&amp; b"`, ` cond="s == 'x'"`)
	if d.IntN(6) > 0 {
		text += fmt.Sprintf(` target="%s"`, d.all[1+d.IntN(len(d.all)-1)].key)
	}
	return text + d.pick("", ` type="internal"`) + ">" + d.content() + "</transition>"
}

// content is what is done, most often nothing.
func (d *drawn) content() string {
	return d.pick("", "", "", `<assign location="n" expr="n + 1"/>`, `<assign location="b" expr="true"/>`, `<assign location="b" expr="false"/><assign location="n" expr="0"/>`, `<assign location="s" expr="'x'"/>`)
}

func (d *drawn) pick(of ...string) string { return of[d.IntN(len(of))] }
