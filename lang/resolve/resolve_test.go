package resolve_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir/irtest"
)

var update = flag.Bool("update", false, "write golden files")

func load(t *testing.T, file string) *lang.Unit {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return lang.Load([]lang.Source{{Name: filepath.Base(file), Src: src}})
}

// expectation is `want RULE "regexp"` behind what it is about.
var expectation = regexp.MustCompile(`want ([a-z-]+) ("(?:[^"\\]|\\.)*")`)

type want struct {
	rule    string
	message *regexp.Regexp
}

// TestFindings compares what is reported on each line with the expectations
// there.
func TestFindings(t *testing.T) {
	files, err := filepath.Glob("testdata/findings/*.fsm")
	if err != nil || len(files) == 0 {
		t.Fatalf("no machines: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			unit := load(t, file)
			wants := expectations(t, unit)
			for _, d := range unit.Diags {
				line := d.Span.Start.Line
				i := matching(wants[line], d)
				if i < 0 {
					t.Errorf("%s: unexpected %s: %s", d.Span, d.Rule, d.Message)
					continue
				}
				wants[line] = append(wants[line][:i], wants[line][i+1:]...)
			}
			for line, left := range wants {
				for _, w := range left {
					t.Errorf("%s:%d: missing %s matching %s", file, line, w.rule, w.message)
				}
			}
		})
	}
}

func matching(wants []want, d diag.Diagnostic) int {
	for i, w := range wants {
		if w.rule == d.Rule && (w.message.MatchString(d.Message) || w.message.MatchString(d.Message+" "+d.Help)) {
			return i
		}
	}
	return -1
}

func expectations(t *testing.T, unit *lang.Unit) map[int][]want {
	t.Helper()
	wants := map[int][]want{}
	for _, c := range unit.Files[0].Comments {
		for _, m := range expectation.FindAllStringSubmatch(c.Text, -1) {
			text, err := strconv.Unquote(m[2])
			if err != nil {
				text = strings.ReplaceAll(m[2][1:len(m[2])-1], `\"`, `"`)
			}
			re, err := regexp.Compile(text)
			if err != nil {
				t.Fatal(err)
			}
			wants[c.Pos.Line] = append(wants[c.Pos.Line], want{m[1], re})
		}
	}
	return wants
}

// TestDump compares the resolved form of sound machines with golden files.
func TestDump(t *testing.T) {
	files, err := filepath.Glob("testdata/dump/*.fsm")
	if err != nil || len(files) == 0 {
		t.Fatalf("no machines: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			unit := load(t, file)
			for _, d := range unit.Diags {
				t.Errorf("%s: unexpected %s: %s", d.Span, d.Rule, d.Message)
			}
			got := irtest.Dump(unit.Program)
			golden := strings.TrimSuffix(file, ".fsm") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("resolved form (-want +got):\n%s", diff)
			}
		})
	}
}
