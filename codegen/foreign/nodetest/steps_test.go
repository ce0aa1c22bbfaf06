package nodetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// outcome is how a Task of Step Functions may end: with a result, or with an error.
type outcome struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// steps is a machine of Step Functions with what its Tasks may end with.
type steps struct {
	Text     string               `json:"text"`
	Outcomes map[string][]outcome `json:"outcomes"`
	Runs     int                  `json:"runs"`
	Input    json.RawMessage      `json:"input"`
}

// passed is a run: the states in which it was, and how it has ended.
type passed struct {
	States []string `json:"states"`
	Failed string   `json:"failed,omitempty"` // its error
}

// TestImportedStepsMoveAsTheirOriginals plays an imported machine beside an interpreter of the
// Amazon States Language: each Task ends the same way in both.
func TestImportedStepsMoveAsTheirOriginals(t *testing.T) {
	needNode(t)
	text, err := os.ReadFile("testdata/poll.asl.json")
	must(t, err)
	ok := func(text string) outcome { return outcome{Result: json.RawMessage(text)} }
	s := &steps{Text: string(text), Runs: sequences, Input: json.RawMessage(`{"who": "eve"}`), Outcomes: map[string][]outcome{
		"Start Job": {ok(`{"id": 7}`), ok(`{"id": "x"}`), {Error: "Throttled"}, {Error: "NoQuota"}, {Error: "Other"}},
		"Ask": {
			ok(`{"state": "DONE", "count": 2, "more": [1]}`), ok(`{"state": "RUNNING", "count": 1}`), ok(`{"state": "FAILED", "count": 3}`),
			ok(`{"state": "FAILED", "count": 2}`), ok(`{"state": "LOST", "count": 0}`), ok(`{"state": "RUNNING", "count": 9}`), {Error: "Throttled"},
		},
		"Tell":      {ok(`{"told": true}`), ok(`null`), {Error: "Other"}},
		"Apologize": {ok(`{"sorry": true}`), {Error: "NoQuota"}},
	}}
	m := imported(t, "asl", text)
	answers := s.ask(t)
	seen := map[string]bool{}
	for i, want := range answers {
		got := s.play(t, m, i)
		for _, state := range want.States {
			seen[state] = true
		}
		seen["failed with "+want.Failed] = true
		if plain(want.Failed) == plain(got.Failed) || want.Failed == "Other" && got.Failed == "unknown" {
			got.Failed = want.Failed // a category is spelled otherwise, and what no rule names is unknown
		}
		if d := diff.Diff(want, got); d != "" {
			t.Fatalf("run %d (-original +imported):\n%s", i, d)
		}
	}
	if len(seen) < 12 {
		t.Errorf("the runs meet %v: too little to say anything", seen)
	}
}

// play takes an imported machine along the outcomes of a run.
func (s *steps) play(t *testing.T, m *machine.Machine, run int) passed {
	t.Helper()
	d := m.Definition()
	name := func(path string) string {
		i := slices.IndexFunc(d.States, func(s machine.State) bool { return s.Path == path })
		if doc := strings.SplitN(d.States[i].Doc, "\n", 2)[0]; strings.HasPrefix(doc, `"`) {
			return strings.Trim(doc, `"`)
		}
		return path
	}
	params, _ := json.Marshal(map[string]json.RawMessage{"input": s.Input})
	sim, err := simulate.Start(m, "r", params, time.Unix(1_800_000_000, 0), nil)
	must(t, err)
	calls := map[string]int{}
	for n := 0; sim.View().Status == machine.Running; n++ {
		if n > 1000 {
			t.Fatal("the run does not end")
		}
		move := simulate.Move{Kind: machine.TimerInput}
		for _, c := range sim.Choices() {
			if c.Move.Kind != machine.ResultInput || c.In > 0 {
				continue
			}
			state := name(sim.View().State)
			o := s.Outcomes[state][pick(state, calls[state], run)%len(s.Outcomes[state])]
			calls[state]++
			move = c.Move
			if o.Error != "" {
				move = simulate.Move{Kind: machine.FailureInput, Do: c.Move.Do, Name: categoryOf(m, o.Error), Text: o.Error}
			} else {
				move.Data, _ = json.Marshal(map[string]json.RawMessage{"result": o.Result})
			}
		}
		if _, err := sim.Take(move); err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
	}
	v := sim.View()
	if v.Status != machine.Finished {
		t.Fatalf("run %d: it is %s: %+v", run, v.Status, v.Halt)
	}
	return s.told(sim, name)
}

// has reports whether the original has a state; the importer adds some.
func (s *steps) has(state string) bool { return strings.Contains(s.Text, `"`+state+`": {`) }

// told is what a run says of itself that has ended.
func (s *steps) told(sim *simulate.Simulation, name func(string) string) passed {
	v := sim.View()
	var out passed
	for _, step := range sim.Steps() {
		if state := name(step.To); step.Effect == machine.Moved && s.has(state) {
			out.States = append(out.States, state)
		}
	}
	var returns map[string]any
	json.Unmarshal(v.Returns, &returns)
	if v.Outcome == machine.Success {
		return out
	}
	if failed, ok := returns["error_name"].(string); ok {
		out.Failed = failed
	} else {
		out.Failed = v.State
	}
	return out
}

// categoryOf is what an error is called by the importer.
func categoryOf(m *machine.Machine, name string) string {
	for _, c := range m.Definition().Categories {
		if plain(c) == plain(name) {
			return c
		}
	}
	return "unknown"
}

// pick says which outcome comes; steps.mjs computes the same.
func pick(state string, call, run int) int {
	hash := run*31 + call*17
	for _, c := range state {
		hash = (hash*31 + int(c)) % 65521
	}
	return hash / 7
}

func (s *steps) ask(t *testing.T) []passed {
	t.Helper()
	text, err := json.Marshal(s)
	must(t, err)
	c := exec.Command("node", "steps.mjs")
	var problems strings.Builder
	c.Stdin, c.Stderr = strings.NewReader(string(text)), &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	var answers []passed
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatalf("%v\n%.300s", err, out)
	}
	return answers
}
