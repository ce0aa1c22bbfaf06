package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkScenarios is `fsmc test` on 1,000 scenarios of ten files: those of the example that reviews code, again
// and again. What it reads and resolves is in it; the start of the process is not.
func BenchmarkScenarios(b *testing.B) {
	const files, all = 10, 1000
	dir := b.TempDir()
	example := filepath.Join("..", "..", "..", "..", "examples", "codereview")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(example, name))
		if err != nil {
			b.Fatal(err)
		}
		return string(text)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	machines, err := filepath.Glob(filepath.Join(example, "*.fsm"))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range machines {
		if name := filepath.Base(path); !strings.HasSuffix(name, "_test.fsm") {
			write(name, read(name))
		}
	}
	imports, rest, _ := strings.Cut(read("codereview_test.fsm"), "\n\n")
	scenarios := strings.SplitAfter(rest, "\n}\n")
	scenarios = scenarios[:len(scenarios)-1] // behind the last is nothing
	for f := range files {
		text := imports + "\n"
		for i := range all / files {
			text += strings.Replace(scenarios[i%len(scenarios)], `scenario "`, fmt.Sprintf(`scenario "%d: `, i), 1)
		}
		write(fmt.Sprintf("all%d_test.fsm", f), text)
	}
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if exit := Main([]string{"test", dir}, strings.NewReader(""), &out, io.Discard); exit != 0 {
			b.Fatal(out.String())
		}
	}
	if want := fmt.Sprintf("%d scenarios passed\n", all); out.String() != want {
		b.Fatalf("%q, want %q", out.String(), want)
	}
	b.ReportMetric(all*float64(b.N)/b.Elapsed().Seconds(), "scenarios/s")
}
