package breaking_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/breaking"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
)

// BenchmarkThousand compares a thousand machines with a thousand, read from their texts:
// those of the pages of the rules, each with the change that its page is about.
//
//	go test ./check/breaking -run xxx -bench Thousand
func BenchmarkThousand(b *testing.B) {
	var pages [][2]string
	for _, r := range breaking.Rules {
		texts := map[string]string{}
		for _, m := range example.FindAllStringSubmatch(r.Page(), -1) {
			texts[m[1]] = m[2]
		}
		if r.Name != "machine-removed" && r.Name != "child-changed" && r.Name != "behaviour-undecided" { // several machines; one for the limit
			pages = append(pages, [2]string{texts["Before"], texts["Breaks"]})
		}
	}
	var old, new []lang.Source
	for i := range 1000 {
		page := pages[i%len(pages)]
		name, _, _ := strings.Cut(strings.TrimPrefix(page[0][strings.Index(page[0], "machine "):], "machine "), "(")
		for side, list := range []*[]lang.Source{&old, &new} {
			text := strings.Replace(page[side], "machine "+name, fmt.Sprintf("machine %s%d", name, i), 1)
			*list = append(*list, lang.Source{Name: fmt.Sprintf("%d/%d.fsm", side, i), Src: []byte(text)})
		}
	}
	for b.Loop() {
		a, c := lang.Load(old), lang.Load(new)
		if a.Diags.HasErrors() || c.Diags.HasErrors() {
			b.Fatal("the texts have errors")
		}
		found := breaking.Compare(a.Program, c.Program, breaking.Options{Limit: breaking.DefaultLimit})
		if found.Paired != 1000 || len(found.Points) < 900 {
			b.Fatalf("%d pairs, %d points", found.Paired, len(found.Points))
		}
	}
}
