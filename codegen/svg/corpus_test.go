package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/layout"
	"github.com/fsmc-dev/fsmc/codegen/layout/layouttest"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// Every machine of the repository, those in documents and archives too, is drawn so that
// nothing lies on anything else.
func TestRepository(t *testing.T) {
	sources := langtest.Repository(t, "../..", ".txtar", ".md")
	among := lang.Among(sources)
	machines := 0
	for i, src := range sources {
		if testing.Short() && i%8 != 0 {
			continue
		}
		for _, m := range lang.LoadFrom([]lang.Source{src}, among).Program.Machines {
			machines++
			if problem := faultOf(m); problem != "" {
				t.Fatalf("%s, machine %s: %s", src.Name, m.Name, problem)
			}
		}
	}
	if machines < 30 {
		t.Fatalf("%d machines: the test sees nothing", machines)
	}
}

func TestRandomMachines(t *testing.T) {
	n := uint64(500)
	if testing.Short() {
		n = 60
	}
	for seed := range n {
		src := oracletest.Generate(rand.New(rand.NewPCG(seed, 7)))
		for _, m := range codegentest.Broken(src) {
			if problem := faultOf(m); problem != "" {
				t.Fatalf("seed %d: %s\n%s", seed, problem, src)
			}
		}
	}
}

// tangle is a machine of n states, flat or in frames, each with some arrows to others
// anywhere.
func tangle(n int, seed uint64) *ir.Machine {
	r := rand.New(rand.NewPCG(seed, 8))
	parent := make([]int, n) // the state in which each stands, or -1
	inner := make([][]int, n)
	var tops []int
	for i := range n {
		parent[i] = -1
		if i > 0 && r.IntN(3) == 0 && seed%2 == 1 {
			parent[i] = r.IntN(i)
			inner[parent[i]] = append(inner[parent[i]], i)
		} else {
			tops = append(tops, i)
		}
	}
	path := func(i int) string {
		name := fmt.Sprintf("S%d", i)
		for p := parent[i]; p >= 0; p = parent[p] {
			name = fmt.Sprintf("S%d.%s", p, name)
		}
		return name
	}
	var b strings.Builder
	var state func(i int)
	state = func(i int) {
		fmt.Fprintf(&b, "state S%d {\n", i)
		if len(inner[i]) > 0 {
			fmt.Fprintf(&b, "initial S%d\n", inner[i][0])
		}
		for e := range 1 + r.IntN(3) {
			fmt.Fprintf(&b, "on E%d -> %s\n", e, path(r.IntN(n)))
		}
		for _, c := range inner[i] {
			state(c)
		}
		b.WriteString("}\n")
	}
	b.WriteString("machine Tangle {\nevent E0\nevent E1\nevent E2\ninitial S0\n")
	for _, i := range tops {
		state(i)
	}
	b.WriteString("on E2 -> Done\nterminal Done success\n}\n")
	return codegentest.Broken(b.String())[0]
}

func TestTangles(t *testing.T) {
	n := uint64(40)
	if testing.Short() {
		n = 12
	}
	for seed := range n {
		if problem := faultOf(tangle(3+int(seed), seed)); problem != "" {
			t.Fatalf("seed %d: %s", seed, problem)
		}
	}
}

// faultOf is what is wrong with the pictures of m: as it is, compact, and with the machines
// that it calls.
func faultOf(m *ir.Machine) string {
	d := drawing.Plan(m, nil)
	for name, d := range map[string]*drawing.Drawing{"plain": d, "compact": drawing.Compact(d), "expanded": drawing.Expand(m, nil)} {
		if problem := faultOfDrawing(d); problem != "" {
			return name + ": " + problem
		}
	}
	return ""
}

func faultOfDrawing(d *drawing.Drawing) string {
	picture := Print(d, Sheet("auto"))
	if !bytes.Equal(picture, Print(d, Sheet("auto"))) {
		return "the same drawing gives other bytes"
	}
	ids, err := wellFormed(picture)
	if err != nil {
		return err.Error()
	}
	if d.States > mostStates || len(d.Root.Children) == 0 {
		return ""
	}
	p := planned(d)
	var arrows []*layout.Arrow
	for _, e := range d.Edges {
		if a := p.arrows[e]; a != nil {
			arrows = append(arrows, a)
		}
		if !ids["arrow-"+e.ID()] && e.From.Kind != drawing.Start {
			return "no arrow " + e.ID()
		}
	}
	missing := ""
	d.Root.Walk(func(n *drawing.Node) {
		if n != d.Root && !ids["state-"+n.ID] {
			missing = "no state " + n.ID
		}
	})
	if missing == "" {
		missing = strings.Join(layouttest.Faults(p.root, arrows), "\n")
	}
	return missing
}

// wellFormed reads a picture as XML, and gives its ids.
func wellFormed(picture []byte) (map[string]bool, error) {
	ids := map[string]bool{}
	elements := []string{"svg", "style", "title", "rect", "g", "text", "path", "circle"}
	for dec := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return ids, nil
		} else if err != nil {
			return nil, err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			if _, text := token.(xml.CharData); !text && fmt.Sprintf("%T", token) != "xml.EndElement" {
				return nil, fmt.Errorf("a %T", token)
			}
			continue
		}
		if !slices.Contains(elements, start.Name.Local) {
			return nil, fmt.Errorf("an element %s", start.Name.Local)
		}
		for _, a := range start.Attr {
			switch {
			case a.Name.Local == "id" && ids[a.Value]:
				return nil, fmt.Errorf("two elements with the id %q", a.Value)
			case a.Name.Local == "id":
				ids[a.Value] = true
			case a.Name.Local == "style", strings.HasPrefix(a.Name.Local, "on"), a.Name.Local == "href":
				return nil, fmt.Errorf("an attribute %s", a.Name.Local)
			}
		}
	}
}

func BenchmarkTangle1000(b *testing.B) {
	m := tangle(1000, 2)
	for b.Loop() {
		Print(drawing.Plan(m, nil), "")
	}
}

func BenchmarkTangleFrames1000(b *testing.B) {
	m := tangle(1000, 3)
	for b.Loop() {
		Print(drawing.Plan(m, nil), "")
	}
}
