package svg

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// FuzzPrint draws whatever resolves: no text of a machine ends its element, and nothing
// lies on anything else.
func FuzzPrint(f *testing.F) {
	for _, src := range []string{
		"machine M {", "machine M { state A { on X -> Nowhere } }",
		"machine M { event X initial Gone state A { state B { on X -> A } } terminal T }",
		"machine M { event X state A { initial B on X -> A.B state B { on X -> A } state B { on X -> T } } terminal T terminal T }",
		"// </title><script>alert(1)</script> ]]> &amp; \x00\nmachine M { initial A context { s string = \"\" } state A { exit { s = \"<b>&'\\\"]]>\" } } }",
		"machine M { initial A activity a(x [0..9]string) state A { do a(x) for y in x limit 2 do machine M() as A do machine M() as A on A.failed -> A } }",
	} {
		f.Add(src)
	}
	for _, s := range langtest.Sources(f, "../testdata/*.fsm") {
		f.Add(string(s.Src))
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, m := range codegentest.Broken(src) {
			if problem := faultOf(m); problem != "" {
				t.Fatal(problem)
			}
		}
	})
}

// Texts that end elements, comments or attributes in XML stay texts, and keep what they say.
func TestHostileTexts(t *testing.T) {
	const hostile = `</title></text></g><script>alert(1)</script>"' onload="x" ]]> <!-- &lt; &#0;` + "\x00\u202e\ufffe\xff"
	d := drawing.Plan(codegentest.Load(t, "review"), nil)
	d.Title, d.Doc, d.Name = hostile, hostile, hostile
	d.Root.Walk(func(n *drawing.Node) {
		n.Title, n.Doc, n.Outcome = hostile, hostile, hostile
		for i := range n.Rows {
			n.Rows[i] = drawing.Row{Text: hostile, Detail: hostile, Stack: hostile, Exits: []drawing.Exit{{Name: hostile, Outcome: hostile}}}
		}
	})
	for _, e := range d.Edges {
		e.Doc = hostile
		for i := range e.Labels {
			e.Labels[i] = drawing.Label{Trigger: hostile, Guard: hostile, Effects: []string{hostile}}
		}
	}
	if problem := faultOfDrawing(d); problem != "" {
		t.Error(problem)
	}
	if picture := Print(d, ""); bytes.Contains(picture, []byte("<script")) || !bytes.Contains(picture, []byte("&lt;script")) {
		t.Error("the text is markup, or gone")
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("N", 1000)
	m := codegentest.Parse(t, "m.fsm", "machine "+long+" {\nevent E"+long+"\ninitial S"+long+"\nstate S"+long+" { on E"+long+" -> T }\nterminal T success\n}")
	picture := string(Print(drawing.Plan(m, nil), ""))
	for _, want := range []string{"<title>S" + long + "</title>", "<title>E" + long + "</title>", "NNN…</text>"} {
		if !strings.Contains(picture, want) {
			t.Errorf("no %.20s…", want)
		}
	}
	if strings.Contains(picture, long+"</text>") {
		t.Error("a name is shown whole")
	}
}

// What is too large for a drawing is a list with the same ids, and what is empty says so.
func TestLists(t *testing.T) {
	d := drawing.Plan(codegentest.Chain(t, mostStates+1), nil)
	picture := string(Print(d, ""))
	if ids, err := wellFormed([]byte(picture)); err != nil || !ids["state-G200.S2000"] || !ids["state-Failed"] {
		t.Errorf("%d ids, %v", len(ids), err)
	}
	if strings.Contains(picture, "arrow-") || !strings.Contains(picture, "which are too many for a drawing") {
		t.Error("it is drawn")
	}
	for _, m := range codegentest.Broken("machine M { }") {
		if picture := string(Print(drawing.Plan(m, nil), "")); !strings.Contains(picture, "This machine has no states.") {
			t.Error(picture)
		}
	}
}

// Marks change classes alone: a page lights what was drawn before.
func TestMarksMoveNothing(t *testing.T) {
	m := codegentest.Load(t, "review")
	h := &drawing.Highlight{Start: "Idle", Current: "PostingComments", Moves: []drawing.Move{
		{From: "Idle", To: "FetchingDiff"}, {From: "FetchingDiff", To: "Analyzing"}, {From: "Analyzing", To: "PostingComments"}, {From: "PostingComments", To: "Failed"},
	}}
	marked := string(Print(drawing.Plan(m, h), ""))
	for _, want := range []string{
		`id="state-PostingComments" class="state current"`, `id="state-Idle" class="state taken"`,
		`id="arrow-Idle-FetchingDiff" class="arrow normal taken"`, `id="arrow-PostingComments-Failed" class="stub failed taken"`,
	} {
		if !strings.Contains(marked, want) {
			t.Errorf("no %s", want)
		}
	}
	if plain := string(Print(drawing.Plan(m, nil), "")); strings.NewReplacer(" taken", "", " current", "").Replace(marked) != plain {
		t.Error("a mark has moved something")
	}
}

// One more state leaves the ids of the others alone.
func TestIDsStay(t *testing.T) {
	const before = "machine M { event E initial A state A { on E -> C } state C { on E -> Done } terminal Done success }"
	after := strings.Replace(before, "state C", "state B { on E -> C } state C", 1)
	ids := func(src string) map[string]bool {
		ids, err := wellFormed(Print(drawing.Plan(codegentest.Broken(src)[0], nil), ""))
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	all := ids(after)
	for id := range ids(before) {
		if !all[id] {
			t.Errorf("%s is gone", id)
		}
	}
}
