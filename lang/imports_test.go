package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir/irtest"
)

const user = "machine M(size Size) { initial A state A { after 1s -> B { publish Seen { size = size } } } event Seen { size Size } terminal B }\n"

// TestImports holds what is found in the first source, which imports the others, where
// it alone is loaded.
func TestImports(t *testing.T) {
	for name, tc := range map[string]struct {
		first  string
		others []lang.Source
		want   []string
	}{
		"of a file":      {`import "b.fsm" ` + user, []lang.Source{source("b.fsm", "enum Size { Small }")}, nil},
		"of a folder":    {`import "lib" ` + user, []lang.Source{source("lib/b.fsm", "enum Size { Small }"), source("lib/b_test.fsm", "enum Size { Big }"), source("lib/deep/c.fsm", "enum Size { Deep }")}, nil},
		"of its folder":  {`import "." ` + user, []lang.Source{source("b.fsm", "enum Size { Small }")}, nil},
		"by a detour":    {`import "lib/../b.fsm" ` + user, []lang.Source{source("b.fsm", "enum Size { Small }")}, nil},
		"in a cycle":     {`import "b.fsm" ` + user, []lang.Source{source("b.fsm", `import "a.fsm" enum Size { Small }`)}, nil},
		"of its own":     {`import "a.fsm" enum Size { Small } ` + user, nil, []string{"a.fsm:1:8  unused"}},
		"twice":          {`import "b.fsm" import "b.fsm" ` + user, []lang.Source{source("b.fsm", "enum Size { Small }")}, []string{"a.fsm:1:23  unused"}},
		"not transitive": {`import "b.fsm" ` + user, []lang.Source{source("b.fsm", `import "c.fsm"`), source("c.fsm", "enum Size { Small }")}, []string{"a.fsm:1:31 M unknown-name", "a.fsm:1:126 M unknown-name"}},
		"out":            {`import "../b.fsm" ` + user, nil, []string{"a.fsm:1:8  unknown-name"}},
		"nowhere":        {`import "c.fsm" ` + user, nil, []string{"a.fsm:1:8  unknown-name"}},
		"of another's machines": {`import "b.fsm" enum Size { Small } ` + user, []lang.Source{source("b.fsm", "machine M { }")},
			[]string{"a.fsm:1:8  duplicate-name"}},
		"of two places": {`import "b.fsm" import "c.fsm" ` + user, []lang.Source{source("b.fsm", "enum Size { Small }"), source("c.fsm", "enum Size { Small }")},
			[]string{"a.fsm:1:23  duplicate-name"}},
		"beside its own": {`import "b.fsm" enum Size { Small } ` + user, []lang.Source{source("b.fsm", "enum Size { Small }")},
			[]string{"a.fsm:1:8  duplicate-name"}},
		"beside the machine's": {`import "b.fsm" machine M { enum Size { Small } initial A state A { after 1s -> B { publish Seen { size = Size.Small } } } event Seen { size Size } terminal B }`,
			[]lang.Source{source("b.fsm", "enum Size { Small }")}, []string{"a.fsm:1:33 M duplicate-name"}},
		"of one with faults":   {`import "b.fsm" ` + user, []lang.Source{source("b.fsm", "enum Size { Small, Small }")}, []string{"a.fsm:1:8  duplicate-name"}},
		"of one without sense": {`import "b.fsm" ` + user, []lang.Source{source("b.fsm", "\xff")}, []string{"a.fsm:1:8  syntax"}},
		"that is not a path":   {`import "\x80" ` + user, nil, []string{"a.fsm:1:8  bad-literal"}},
		"of what is misspelt": {`import "b.fsm" ` + user, []lang.Source{source("b.fsm", "enum Sizes { Small }")},
			[]string{"a.fsm:1:31 M unknown-name", "a.fsm:1:126 M unknown-name"}},
	} {
		t.Run(name, func(t *testing.T) {
			first := source("a.fsm", tc.first)
			unit := lang.LoadFrom([]lang.Source{first}, lang.Among(append(tc.others, first)))
			var got []string
			for _, d := range append(unit.Diags, check.Run(unit.Program, all.Rules)...) {
				got = append(got, fmt.Sprintf("%s %s %s", d.Span, d.Machine, d.Rule))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(unit.Program.Machines) != 1 || len(unit.Program.Files) != 1 {
				t.Errorf("%d machines of %d files; imports bring none", len(unit.Program.Machines), len(unit.Program.Files))
			}
		})
	}
}

// TestImportsHelp holds what is said of a name that an imported file imports, and of a file
// that is imported twice.
func TestImportsHelp(t *testing.T) {
	size := "enum Size { Small }"
	for name, tc := range map[string]struct {
		imports, b string
		want       string
	}{
		"not transitive": {`import "b.fsm" `, `import "c.fsm"`, `It is declared in "c.fsm"`},
		"twice":          {`import "b.fsm" import "./b.fsm" `, size, "Remove it."},
	} {
		first := source("a.fsm", tc.imports+user)
		unit := lang.LoadFrom([]lang.Source{first}, lang.Among([]lang.Source{first, source("b.fsm", tc.b), source("c.fsm", size)}))
		list := append(unit.Diags, check.Run(unit.Program, all.Rules)...)
		if len(list) == 0 || !strings.HasPrefix(list[0].Help, tc.want) {
			t.Errorf("%s: found %v", name, list)
		}
	}
}

const leaf = "machine Sub(n int) { initial A state A { after 1h -> Done } terminal Done }\n"

// caller is a machine that calls another one.
func caller(name, callee, arguments string) string {
	return "machine " + name + " { initial A state A { do machine " + callee + "(" + arguments + ") timeout 2h on " + callee + ".Done, failed -> Done } terminal Done }\n"
}

// TestCalls holds what is found in the first source, whose machine calls those of others,
// where it alone is loaded.
func TestCalls(t *testing.T) {
	for name, tc := range map[string]struct {
		first  string
		others []lang.Source
		want   []string
	}{
		"of a file":         {`import "b.fsm" ` + caller("M", "Sub", "1"), []lang.Source{source("b.fsm", leaf)}, nil},
		"of a folder":       {`import "lib" ` + caller("M", "Sub", "1"), []lang.Source{source("lib/b.fsm", leaf), source("lib/c.fsm", "enum Size { Small }")}, nil},
		"not imported":      {caller("M", "Sub", "1"), []lang.Source{source("b.fsm", leaf)}, []string{"a.fsm:1:44 M unknown-name"}},
		"through another":   {`import "b.fsm" ` + caller("M", "Mid", ""), []lang.Source{source("b.fsm", `import "c.fsm" `+caller("Mid", "Sub", "1")), source("c.fsm", leaf)}, nil},
		"not transitive":    {`import "b.fsm" ` + caller("M", "Sub", "1"), []lang.Source{source("b.fsm", `import "c.fsm"`), source("c.fsm", leaf)}, []string{"a.fsm:1:59 M unknown-name"}},
		"not called":        {`import "b.fsm" machine M { initial A terminal A }`, []lang.Source{source("b.fsm", caller("Mid", "Lost", ""))}, []string{"a.fsm:1:8  unused"}},
		"with faults":       {`import "b.fsm" ` + caller("M", "Mid", ""), []lang.Source{source("b.fsm", caller("Mid", "Lost", ""))}, []string{"a.fsm:1:8  unknown-name"}},
		"with faults below": {`import "b.fsm" ` + caller("M", "Mid", ""), []lang.Source{source("b.fsm", `import "c.fsm" `+caller("Mid", "Low", "")), source("c.fsm", caller("Low", "Lost", ""))}, []string{"a.fsm:1:8  unknown-name"}},
		"in a circle":       {`import "b.fsm" ` + caller("M", "Mid", ""), []lang.Source{source("b.fsm", `import "a.fsm" `+caller("Mid", "M", ""))}, []string{"a.fsm:1:48 M unbounded-loop"}},
		"of a circle":       {`import "b.fsm" ` + caller("M", "Mid", ""), []lang.Source{source("b.fsm", caller("Mid", "Low", "")+caller("Low", "Mid", ""))}, []string{"a.fsm:1:8  unbounded-loop"}},
		"with its own enum": {`import "b.fsm" ` + caller("M", "Sub", "1"), []lang.Source{source("b.fsm", "machine Sub(s Size) { enum Size { Small } initial A state A { after 1h -> Done } terminal Done }\n")},
			[]string{"a.fsm:1:59 M type-mismatch"}},
	} {
		t.Run(name, func(t *testing.T) {
			first := source("a.fsm", tc.first)
			unit := lang.LoadFrom([]lang.Source{first}, lang.Among(append(tc.others, first)))
			var got []string
			for _, d := range append(unit.Diags, check.Run(unit.Program, all.Rules)...) {
				got = append(got, fmt.Sprintf("%s %s %s", d.Span, d.Machine, d.Rule))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(unit.Program.Machines) != 1 {
				t.Errorf("%d machines; imports bring none", len(unit.Program.Machines))
			}
		})
	}
}

// TestManyCalls holds that many machines that call each other take linear time, and that
// they call each other no deeper than ids of their runs can be.
func TestManyCalls(t *testing.T) {
	const n, deep = 5000, 64
	for _, deeper := range []int{0, 1} {
		var text strings.Builder
		for i := range n {
			if i%(deep+1+deeper) == 0 {
				fmt.Fprintf(&text, "machine M%d { initial A state A { after 1h -> Done } terminal Done }\n", i)
			} else {
				text.WriteString(caller(fmt.Sprintf("M%d", i), fmt.Sprintf("M%d", i-1), ""))
			}
		}
		unit := lang.Load([]lang.Source{source("m.fsm", text.String())})
		if want := n / (deep + 2) * deeper; len(unit.Diags) != want || want > 0 && unit.Diags[0].Rule != "syntax" {
			t.Errorf("%d findings, want %d", len(unit.Diags), want)
		}
	}
}

// TestOuterEnums holds that the meaning of a machine has the enums of files that it
// uses and no others, in an order that does not depend on that of imports and uses.
func TestOuterEnums(t *testing.T) {
	text := func(imports, fields string) string {
		return imports + "enum Own { Yes }\nmachine M { enum Way { Post } context { " + fields + " } initial A terminal A }\n"
	}
	among := lang.Among([]lang.Source{
		source("b.fsm", "enum Zone { North, South } enum Spare { None }"), source("c.fsm", "enum Kind { New }"),
	})
	dump := func(text string) string {
		unit := lang.LoadFrom([]lang.Source{source("a.fsm", text)}, among)
		for _, d := range unit.Diags {
			t.Errorf("%s: %s", d.Span, d.Message)
		}
		var lines []string
		for line := range strings.Lines(irtest.Dump(unit.Program)) {
			if strings.Contains(line, "enum ") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		return strings.Join(lines, "; ")
	}
	want := "enum Way Post; enum Kind New; enum Own Yes; enum Zone North South"
	for _, src := range []string{
		text("import \"b.fsm\"\nimport \"c.fsm\"\n", "way Way, zone Zone, own Own, kind []Kind"),
		text("import \"c.fsm\"\nimport \"b.fsm\"\n", "kind []Kind, own Own, way Way, zone Zone"),
	} {
		if got := dump(src); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestManyImports holds that files with many enums that import each other take linear
// time: each is parsed once.
func TestManyImports(t *testing.T) {
	var sources []lang.Source
	for i := range 300 {
		var text strings.Builder
		text.WriteString("import \"shared.fsm\"\n")
		for k := range 30 {
			fmt.Fprintf(&text, "machine M%dx%d(kind K%d) { initial A terminal A }\n", i, k, k)
		}
		sources = append(sources, source(fmt.Sprintf("m%d.fsm", i), text.String()))
	}
	var shared strings.Builder
	for k := range 3000 {
		fmt.Fprintf(&shared, "enum K%d { V }\n", k)
	}
	sources = append(sources, source("shared.fsm", shared.String()))
	unit := lang.Load(sources)
	if len(unit.Diags) > 0 || len(unit.Program.Machines) != 9000 {
		t.Errorf("%d findings, %d machines", len(unit.Diags), len(unit.Program.Machines))
	}
}

// FuzzImports holds that whatever is imported, by whatever path, gives a whole program,
// and the same one each time.
func FuzzImports(f *testing.F) {
	for _, path := range []string{"b.fsm", "lib", ".", "..", "a.fsm", "", "/b.fsm", "lib//../b.fsm", "lib/b.fsm/", "\x00", "\r\n", "b.fsm\xff"} {
		f.Add(path, "enum Size { Small }", "import \"a.fsm\"\nmachine M { }")
	}
	f.Add("b.fsm", "\ufeffenum Size {\r\nSmall }\r\n", "import \"b.fsm\" import \"lib\" enum Size { }")
	f.Fuzz(func(t *testing.T, path, one, other string) {
		first := source("a.fsm", fmt.Sprintf("import %q\n%s", path, user))
		sources := []lang.Source{first, source("b.fsm", one), source("lib/b.fsm", other)}
		for n := range sources {
			unit := lang.LoadFrom(sources[:n+1], lang.Among(sources))
			again := lang.LoadFrom(sources[:n+1], lang.Among(sources))
			if diff := cmp.Diff(unit.Diags, again.Diags); diff != "" {
				t.Errorf("findings differ:\n%s", diff)
			}
			if irtest.Dump(unit.Program) != irtest.Dump(again.Program) || len(unit.Program.Files) != n+1 {
				t.Error("programs differ")
			}
			for _, d := range unit.Diags {
				if unit.File(d.Span.Start.Filename) == nil {
					t.Errorf("%s: a finding in a file that is not known", d.Span)
				}
			}
		}
	})
}
