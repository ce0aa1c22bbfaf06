package svg

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

// TestMeasuredAsDrawn: each text is measured in the size in which the sheet draws it.
func TestMeasuredAsDrawn(t *testing.T) {
	sizes := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^(?:text)?\.([a-z]+)\{[^}]*font-size:(\d+)px`).FindAllStringSubmatch(rules, -1) {
		sizes[m[1]], _ = strconv.Atoi(m[2])
	}
	m := codegentest.Broken(`machine M {
    context { n int 0..9 = 0 }
    event Go
    initial A
    state A {
        on Go when n > 3 -> B { n = n + 1 }
                 else -> F { n = 0 }
        after 1m -> F
    }
    state B { on Go -> C { n = 2 } after 1m -> F { n = 3 } }
    state C { on Go -> D after 1m -> F }
    state D { on Go -> A after 1m -> F }
    terminal F failure
}
`)[0]
	p := planned(drawing.Plan(m, nil))
	seen := map[string]bool{}
	check := func(c content) {
		for _, text := range c.texts {
			want := rowFont.size
			if n, ok := sizes[text.class]; ok {
				want = n
			}
			seen[text.class] = true
			if text.font.size != want {
				t.Errorf("%q of class %s is measured in %d px, and drawn in %d", text.s, text.class, text.font.size, want)
			}
		}
	}
	for _, c := range p.labels {
		check(c)
	}
	for _, c := range p.contents {
		check(c)
	}
	if !seen["note"] || !seen["name"] || len(p.stubs) == 0 {
		t.Errorf("classes %v, rows of arrows at %d states: the test sees too little", seen, len(p.stubs))
	}
}
