// Package nodetest holds imported machines against the interpreters that their originals
// have: both take the same random inputs, and are to be in the same states. It needs Node
// and what package.json names (npm install).
package nodetest

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/formats"
	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

const (
	sequences = 1000
	inputs    = 25
)

// job is what ask.cjs is asked.
type job struct {
	Format    string     `json:"format"`
	Text      string     `json:"text"`
	Guards    []string   `json:"guards"`
	Sequences [][]string `json:"sequences"`
}

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestImportedMachinesMoveAsTheirOriginals(t *testing.T) {
	needNode(t)
	paths, _ := filepath.Glob("testdata/*")
	for _, path := range paths {
		if strings.HasSuffix(path, ".asl.json") {
			continue // see steps_test.go
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			must(t, err)
			format := "xstate"
			if strings.HasSuffix(path, ".scxml") {
				format = "scxml"
			}
			m := imported(t, format, text)
			j := job{Format: format, Text: string(text), Guards: guardsOf(text), Sequences: draw(m)}
			compare(t, j, play(t, m, j.Sequences), ask(t, j))
		})
	}
}

func needNode(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("node")
	if _, missing := os.Stat("node_modules/xstate"); err != nil || missing != nil {
		t.Skip("THE INTERPRETERS OF XSTATE AND SCXML WERE NOT ASKED: node is missing, or npm install was not run in this folder: NOT TESTED")
	}
}

func imported(t *testing.T, format string, text []byte) *machine.Machine {
	t.Helper()
	i := slices.IndexFunc(formats.Sources, func(s foreign.Source) bool { return s.Name == format })
	result, err := formats.Sources[i].Read("x", text)
	must(t, err)
	machines := tabletest.Machines(t, string(result.Text))
	return machines[len(machines)-1]
}

// guardsOf is every string of a JSON text that may name a guard.
func guardsOf(text []byte) []string {
	v, err := foreign.Read(text)
	if err != nil {
		return []string{}
	}
	names := []string{}
	var walk func(*foreign.Value)
	walk = func(v *foreign.Value) {
		if v.Kind == foreign.String && !slices.Contains(names, v.Text) {
			names = append(names, v.Text)
		}
		for _, i := range v.Items {
			walk(i)
		}
		for _, m := range v.Members {
			walk(m.Value)
		}
	}
	walk(v)
	return names
}

// events are the machine's names of the events, by those of the original.
func events(m *machine.Machine) map[string]string {
	names := map[string]string{}
	for _, e := range m.Definition().Events {
		original := e.Name
		if strings.HasPrefix(e.Doc, "\"") {
			original = strings.Trim(strings.SplitN(e.Doc, "\n", 2)[0], "\"")
		}
		if !strings.Contains(e.Doc, "An action of the original") {
			names[original] = e.Name
		}
	}
	return names
}

// draw makes sequences of events and, where there are timers, of waits.
func draw(m *machine.Machine) [][]string {
	words := slices.Sorted(maps.Keys(events(m)))
	if len(m.Definition().Timers) > 0 {
		words = append(words, "wait 400", "wait 1700")
	}
	random := rand.New(rand.NewPCG(19, 2))
	all := make([][]string, sequences)
	for i := range all {
		for range inputs {
			all[i] = append(all[i], words[random.IntN(len(words))])
		}
	}
	return all
}

// tick is how far the clocks of both go at once.
const tick = 10 * time.Millisecond

// play takes a run along each sequence, and is the states that it was in, each with what was published
// on the way. An event that is refused changes nothing.
func play(t *testing.T, m *machine.Machine, all [][]string) [][]string {
	t.Helper()
	names := events(m)
	states := make([][]string, len(all))
	for i, sequence := range all {
		ask := func(guard int, _ []machine.Value) (bool, error) {
			return verdict(m.Definition().Guards[guard].Name, i), nil
		}
		now := time.Unix(0, 0)
		var sent string
		note := func(cs []machine.Command) {
			for _, c := range cs {
				if c.Kind == machine.SendOut {
					sent += "," + m.Definition().Events[c.Event].Name
				}
			}
		}
		s, cs, _, err := m.Advance(m.NewSnapshot("r", 7), machine.Input{Kind: machine.StartInput}, now, ask)
		must(t, err)
		note(cs)
		at := func() { states[i] = append(states[i], m.Definition().States[s.State].Path+"|"+sent); sent = "" }
		at()
		for n, input := range sequence {
			if wait, ok := strings.CutPrefix(input, "wait "); ok {
				ms, _ := time.ParseDuration(wait + "ms")
				for range int(ms / tick) {
					now = now.Add(tick)
					if s, cs, _, err = m.Settle(s, now, ask); err != nil {
						t.Fatal(err)
					}
					note(cs)
				}
				at()
				continue
			}
			in, err := m.EventInput(s, machine.ExternalEvent{Name: names[input], ID: strconv.Itoa(n)}, machine.MaxPayload)
			if err == nil {
				if next, cs, _, err := m.Advance(s, in, now, ask); err == nil {
					note(cs)
					s = next
				}
			}
			at()
		}
	}
	return states
}

// verdict is what a guard says in a sequence; ask.cjs computes the same.
func verdict(name string, salt int) bool {
	hash := salt
	for _, c := range plain(name) {
		hash = (hash*31 + int(c)) % 65521
	}
	return hash%3 != 0
}

// plain is a name without what the importer changes of it.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

func ask(t *testing.T, j job) [][]string {
	t.Helper()
	text, err := json.Marshal(j)
	must(t, err)
	c := exec.Command("node", "ask.cjs")
	var problems bytes.Buffer
	c.Stdin, c.Stderr = bytes.NewReader(text), &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	var states [][]string
	if err := json.Unmarshal(out, &states); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return states
}

func compare(t *testing.T, j job, got, want [][]string) {
	t.Helper()
	seen := map[string]bool{}
	for i := range j.Sequences {
		for n := range want[i] {
			a, _, _ := strings.Cut(got[i][n], "|") // what the fixtures do at a wildcard is guessed
			b, _, _ := strings.Cut(want[i][n], "|")
			if j.Format == "scxml" {
				a = a[strings.LastIndex(a, ".")+1:]
			}
			seen[b] = true
			if plain(a) != plain(b) {
				t.Fatalf("sequence %d, after %v: the machine is in %q, the original in %q", i, j.Sequences[i][:n], got[i][n], b)
			}
		}
	}
	if len(seen) < 4 {
		t.Errorf("the sequences reach %d states: too few to say anything", len(seen))
	}
}
