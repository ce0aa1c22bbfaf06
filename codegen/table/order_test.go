package table_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/resolve"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestOrderNeverMatters: moving a declaration never changes what a machine
// does. Every scenario comes out the same when the members of its machine and
// of each state stand in another order.
func TestOrderNeverMatters(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := os.ReadFile(path)
			must(t, err)
			want := withoutOrder(string(archive))
			for seed := range uint64(8) {
				random := rand.New(rand.NewPCG(seed, 0))
				got := playAll(t, archive, func(t *testing.T, name, src string) *machine.Machine {
					return compileShuffled(t, name, src, random)
				})
				if diff := cmp.Diff(want, withoutOrder(string(got))); diff != "" {
					t.Fatalf("in another order (seed %d) it does something else (-as written +shuffled):\n%s", seed, diff)
				}
			}
		})
	}
}

// compileShuffled compiles a machine whose members have been shuffled.
func compileShuffled(t *testing.T, name, src string, random *rand.Rand) *machine.Machine {
	t.Helper()
	file, _, _ := lang.Parse(name, []byte(src))
	for m := range ast.Of[*ast.Machine](file.Decls) {
		shuffle(m.Items, random)
	}
	program, list := resolve.Resolve([]*ast.File{file}, nil)
	all := program.Machines
	if len(list) > 0 || len(all) == 0 {
		t.Fatalf("%s: want a machine without faults: %v", name, list)
	}
	m, err := machine.Compile(table.Compile(all[len(all)-1]))
	must(t, err)
	return m
}

func shuffle(items []ast.Item, random *rand.Rand) {
	random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	for _, item := range items {
		if s, ok := item.(*ast.State); ok {
			shuffle(s.Items, random)
		}
	}
}

var (
	numbered = regexp.MustCompile(`(\S)#\d+`)               // the second of two names: "A on E#2"
	passed   = regexp.MustCompile(`, not "[^"]*": [a-z ]*`) // an arm that was passed over
	listed   = regexp.MustCompile(`(counters|executions|allowed there:|allowed:) (.*)`)
)

// withoutOrder leaves out of a script's outcomes what does depend on order and
// is no doing: the numbers of names that occur twice, the order of activities
// that start together, of timers, and of lists, and which arms were passed over.
func withoutOrder(text string) []string {
	text = passed.ReplaceAllString(numbered.ReplaceAllString(text, "$1"), "")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := listed.FindStringSubmatch(line); m != nil {
			items := strings.Split(m[2], ", ")
			slices.Sort(items)
			lines[i] = strings.Replace(line, m[2], strings.Join(items, ", "), 1)
		}
	}
	const command = "        "
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], command) && !strings.HasPrefix(lines[i], command+"publish") {
			end++
		}
		slices.Sort(lines[i:end])
		i = max(i, end-1)
	}
	return lines
}
