package formats

import (
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

var update = flag.Bool("update", false, "write the golden files")

// machineOf is the first machine of a text; nil where names or types are wrong.
func machineOf(src []byte) *ir.Machine {
	unit := lang.Load([]lang.Source{{Name: "x.fsm", Src: src}})
	if unit.Diags.HasErrors() || len(unit.Program.Machines) == 0 {
		return nil
	}
	return unit.Program.Machines[0]
}

// TestExports holds what is written of one machine that has something of everything.
func TestExports(t *testing.T) {
	src, err := os.ReadFile("testdata/shop.fsm")
	if err != nil {
		t.Fatal(err)
	}
	m := machineOf(src)
	if m == nil {
		t.Fatal("the machine has errors")
	}
	for _, target := range Targets {
		t.Run(target.Name, func(t *testing.T) {
			result := target.Write(m)
			golden := filepath.Join("testdata", "shop."+target.Name)
			text := string(result.Text) + "\n" + tell(result.Report)
			if *update {
				if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, _ := os.ReadFile(golden)
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Errorf("the text is another (-want +got; -update writes it):\n%s", diff)
			}
			if again := target.Write(machineOf(src)); string(again.Text) != string(result.Text) {
				t.Error("the text is another one each time")
			}
		})
	}
}

// tell is a report, a line for each difference.
func tell(r *foreign.Report) string {
	var b strings.Builder
	b.WriteString(strings.Join(r.Machines, ", ") + "\n")
	for _, i := range r.Items {
		for _, why := range i.Why {
			b.WriteString(i.Place + " (" + string(i.Grade) + "): " + why + "\n")
		}
	}
	return b.String()
}

// FuzzWrite writes every machine without errors of names and types in every format; what is XML
// has to be well-formed.
func FuzzWrite(f *testing.F) {
	for _, s := range langtest.Sources(f, "testdata/*.fsm", "../../../examples/*/*.fsm", "../../../check/rule/*/testdata/*.fsm") {
		f.Add(s.Src)
	}
	f.Add([]byte("// ---- a\x01 --\nmachine A { initial S state S {} }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		m := machineOf(src)
		if len(src) > 1<<14 || m == nil || foreign.Writable(m) != nil {
			return
		}
		for _, target := range Targets {
			result := target.Write(m)
			if target.Name == "scxml" {
				wellFormed(t, result.Text)
			}
		}
	})
}

func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}
