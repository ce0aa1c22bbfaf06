package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/table"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
)

// BenchmarkCompile compiles a thousand leaves below a thousand handlers: a
// million entries.
func BenchmarkCompile(b *testing.B) {
	var text strings.Builder
	text.WriteString("machine Wide {\n    initial S0\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "    event E%[1]d\n    on E%[1]d -> Done\n    state S%[1]d { on E0 -> S%[2]d }\n", i, (i+1)%1000)
	}
	text.WriteString("    terminal Done\n}\n")
	m := load("wide.fsm", []byte(text.String()))[0]
	b.ReportAllocs()
	for b.Loop() {
		table.Compile(m)
	}
}
