//go:build cgo

package loadtest

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// elements is the most that a fan-out has.
const elements = 1000

// BenchmarkFanOut: a run whose one activity runs for each element of a list of 1,000, from
// its start to its end, with SQLite at FULL.
func BenchmarkFanOut(b *testing.B) { benchmarkFan(b, "batch.fsm", "Batch") }

// BenchmarkChildren: the same where each element is a run of its own that has the activity.
func BenchmarkChildren(b *testing.B) { benchmarkFan(b, "parts.fsm", "Parts") }

func benchmarkFan(b *testing.B, file, machine string) {
	parts := make([]string, elements)
	for i := range parts {
		parts[i] = fmt.Sprintf("part-%04d", i)
	}
	params, err := json.Marshal(map[string]any{"parts": parts})
	must(b, err)
	for _, concurrency := range []int{16, 64, 256} {
		b.Run(fmt.Sprintf("concurrency=%d", concurrency), func(b *testing.B) {
			e := engineOf(b, file, filepath.Join(b.TempDir(), "runs.db"), runtime.WithConcurrency(concurrency))
			stop := work(b, e)
			began := time.Now()
			n := 0
			for b.Loop() {
				run := fmt.Sprint("r", n)
				n++
				if _, err := e.Start(context.Background(), machine, run, params); err != nil {
					b.Fatal(err)
				}
				v, err := e.Wait(b.Context(), run)
				if err != nil || v.State != "Done" {
					b.Fatal(v.State, err)
				}
				if want := fmt.Sprintf(`{"good":%d,"bad":0}`, elements); string(v.Data) != want {
					b.Fatalf("%s, not %s", v.Data, want)
				}
			}
			b.ReportMetric(float64(n*elements)/time.Since(began).Seconds(), "elements/s")
			stop()
		})
	}
}
