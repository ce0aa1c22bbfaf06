//go:build unix

package process

import (
	"encoding/json"
	"errors"
	"strings"
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

// TestAnswerBehindARefusedCheckpoint: an answer whose checkpoint was not stored has its cost alone,
// also where its process has exited before the store refuses.
func TestAnswerBehindARefusedCheckpoint(t *testing.T) {
	const answer = `"event":"Found","cost":{"tokens":5}}'`
	for kind, do := range map[string]runtime.ActivityFunc{
		"executable": activity(folder(t, map[string]string{"work": `echo '{"progress":1}'; echo '{` + answer}) + "/work"),
		"worker":     pool(t, 1, each(`echo "{\"id\":$id,\"progress\":1}"; echo "{\"id\":$id,"'`+answer)).attempt,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			a := runtime.NewAttempt(runtime.Attempt{}, runtime.AttemptHooks{Checkpoint: func(json.RawMessage) error {
				time.Sleep(drainTime / 2)
				return errors.New("it is full")
			}})
			for range 4 { // a worker may be told of the refusal and of the answer in one moment
				r, err := do(t.Context(), a)
				if err == nil || !strings.Contains(err.Error(), "its checkpoint was not stored: it is full") || r.Event != "" || r.Cost["tokens"] != "5" {
					t.Fatalf("%+v, %v", r, err)
				}
			}
		})
	}
}
