//go:build unix

package process

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// TestAnswerBehindACheckpoint: what a process prints and then exits is read, however long the
// store takes for a checkpoint before it; also many lines, and while what it has left
// outside of its group holds its output.
func TestAnswerBehindACheckpoint(t *testing.T) {
	const (
		many = `i=0; while [ $i -lt 500 ]; do echo "line $i"; i=$((i+1)); done; `
		left = `setsid sleep 5 & `
	)
	for name, before := range map[string]string{"": "", "many lines": many, "a daemon": left} {
		for kind, do := range map[string]runtime.ActivityFunc{
			"executable": activity(folder(t, map[string]string{"work": before + `echo '{"progress":1}'; sleep 0.2; ` + before + `echo '{"event":"Found"}'`}) + "/work"),
			"worker":     pool(t, 1, each(before+`echo "{\"id\":$id,\"progress\":1}"; sleep 0.2; `+before+`echo "{\"id\":$id,\"event\":\"Found\"}"; exit`)).attempt,
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				a := runtime.NewAttempt(runtime.Attempt{}, runtime.AttemptHooks{Checkpoint: func(json.RawMessage) error {
					time.Sleep(drainTime + time.Second)
					return nil
				}})
				began := time.Now()
				if r, err := do(t.Context(), a); err != nil || r.Event != "Found" {
					t.Errorf("%+v, %v", r, err)
				}
				if took := time.Since(began); took > 2*drainTime+2*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		}
	}
}
