package parse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// wide is a machine of n states, each with what states of real machines hold.
func wide(n int) []byte {
	var b bytes.Buffer
	b.WriteString("// A machine of many states.\nmachine Wide(id string) {\n    failures { transient }\n    context { tries int 0..3 = 0, note string }\n\n")
	b.WriteString("    event Go\n    event Found { note string }\n    activity look(id string) -> Found fails transient cost usd 0.01\n\n    initial S0\n\n")
	for i := range n {
		next := fmt.Sprintf("S%d", (i+1)%n)
		fmt.Fprintf(&b, "    // S%d is one of many.\n    state S%d {\n        do look(id) timeout 30s heartbeat 5s\n", i, i)
		fmt.Fprintf(&b, "        on Found when tries < 3 && note != \"\" -> %s { tries = tries + 1, note = event.note }\n", next)
		fmt.Fprintf(&b, "        on Found -> Done\n        on failed(transient) retry 3 backoff 1s..30s else -> Lost // give up\n        on Go -> %s max 5 else -> Lost\n        after 15m -> Lost\n    }\n\n", next)
	}
	b.WriteString("    terminal Done success\n    terminal Lost failure\n}\n")
	return b.Bytes()
}

func BenchmarkStates1000(b *testing.B) { benchmark(b, wide(1000)) }

func Benchmark5MB(b *testing.B) {
	const size = 5 << 20
	benchmark(b, wide(1000*size/len(wide(1000))))
}

func BenchmarkExpressions(b *testing.B) {
	line := "        on E when a - b < 3 && (c == Kind.big || len(d) > 0) && x is set -> T { a = (a + b) * 2, d = event.d }\n"
	benchmark(b, []byte("machine M {\n    state S {\n"+strings.Repeat(line, 5000)+"    }\n}\n"))
}

func benchmark(b *testing.B, src []byte) {
	f := token.NewFile("bench.fsm", src)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, list := File(f); len(list) > 0 {
			b.Fatal(list[0])
		}
	}
}
