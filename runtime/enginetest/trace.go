package enginetest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
)

// Worker is what a Trace calls every worker.
const Worker = "worker"

// Trace is what has become of a tape.
type Trace struct {
	Answers  []string // to the start, and to each act: the view in JSON, or the error
	Runs     map[string]RunTrace
	Attempts []string            // what each was given, by key, number and how often it was called
	Messages map[string][]string // by the run: what was delivered, in that order
}

// RunTrace is one run.
type RunTrace struct {
	Row      string   // what the store lists of it
	Snapshot string   // as Machine.EncodeSnapshot writes it
	History  []string // as Machine.EncodeRecord writes it
	View     string   // in JSON, without what is known of workers
}

// MaxSteps is how many steps of all its runs a tape is played for.
const MaxSteps = 3000

// Player plays a tape on a new engine, and says what has become of it: nil where that goes on
// for more than MaxSteps.
type Player func(t *testing.T, tape *Tape) *Trace

// Differences are where two engines have made different things of a tape: of each part the first
// place, with what led to it.
func Differences(want, got *Trace) (all []string) {
	differ := func(what string, want, got []string) {
		if text := difference(want, got); text != "" {
			all = append(all, what+" "+text)
		}
	}
	differ("answer", said(want.Answers), said(got.Answers))
	differ("run", slices.Sorted(maps.Keys(want.Runs)), slices.Sorted(maps.Keys(got.Runs)))
	differ("attempt", want.Attempts, got.Attempts)
	for _, run := range slices.Sorted(maps.Keys(want.Runs)) {
		w, g := want.Runs[run], got.Runs[run]
		differ(run+": record", w.History, g.History)
		differ(run+": message", want.Messages[run], got.Messages[run])
		differ(run+": row, snapshot, view", []string{w.Row, w.Snapshot, w.View}, []string{g.Row, g.Snapshot, g.View})
	}
	return all
}

// over and returns are what the view of a run that is over says of its end. Whether its children have
// ended by then, so that it is finished and no longer ending, depends on who is first within one
// instant; that they do, and what it returns then, the records say.
var (
	over    = regexp.MustCompile(`"status":"(?:ending|finished)"(?:,"outcome":"[a-z]+")?,"seq":\d+`)
	returns = regexp.MustCompile(`,"returns":\{.*\},"events":`)
)

// said is what answers say, whichever instant they are of.
func said(answers []string) []string {
	out := make([]string, len(answers))
	for i, answer := range answers {
		if out[i] = answer; over.MatchString(answer) {
			out[i] = returns.ReplaceAllString(over.ReplaceAllString(answer, `"status":"over"`), `,"events":`)
		}
	}
	return out
}

// difference is the first line that differs, with those before it; empty for none.
func difference(want, got []string) string {
	at := func(lines []string, i int) string {
		if i < len(lines) {
			return lines[i]
		}
		return "nothing"
	}
	for i := range max(len(want), len(got)) {
		if at(want, i) == at(got, i) {
			continue
		}
		text := fmt.Sprintf("%d of %d and %d differs:\n", i, len(want), len(got))
		for _, line := range want[max(0, min(i, len(want))-5):min(i, len(want))] {
			text += "      " + line + "\n"
		}
		return text + "want  " + at(want, i) + "\ngot   " + at(got, i)
	}
	return ""
}
