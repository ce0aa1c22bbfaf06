package machine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// TestMaxData: a run that would hold more JSON in all than its machine allows refuses the event, whether its field, a
// deferred event or one that waits while it is paused makes it so large. What JSON escapes counts as it is written.
func TestMaxData(t *testing.T) {
	m, err := machine.Compile(Define(WithParams("given string"), WithFields("first string, second string"),
		WithEvent("First", "text string"), WithEvent("Second", "text string"), WithEvent("Later", "text string"),
		WithState("A", On("First", Stay(Set("first", "event.text"))), On("Second", Stay(Set("second", "event.text"))), On("Later", Deferring())),
		WithTerminal("End", machine.Success)), machine.WithMaxData(1000))
	if err != nil {
		t.Fatal(err)
	}
	text := func(n int) string { return `{"text":"` + strings.Repeat("x", n) + `"}` }
	for name, test := range map[string]struct {
		given  int
		pause  bool
		events []string // name and data
		want   string   // of the last event; empty where it is taken
	}{
		"fields":        {0, false, []string{"First " + text(400), "Second " + text(400)}, ""},
		"large fields":  {0, false, []string{"First " + text(500), "Second " + text(500)}, "run-too-large"},
		"in its place":  {0, false, []string{"First " + text(800), "First " + text(800)}, ""},
		"escapes":       {0, false, []string{"First " + `{"text":"` + strings.Repeat(`\u0001`, 200) + `"}`}, "run-too-large"},
		"parameters":    {500, false, []string{"First " + text(500)}, "run-too-large"},
		"deferred":      {0, false, []string{"First " + text(400), "Later " + text(400)}, ""},
		"much deferred": {0, false, []string{"First " + text(500), "Later " + text(500)}, "run-too-large"},
		"deferred both": {0, false, []string{"Later " + text(500), "Later " + text(500)}, "run-too-large"},
		"paused":        {0, true, []string{"First " + text(500), "First " + text(500)}, "run-too-large"},
	} {
		in, err := m.StartInput([]byte(`{"given":"`+strings.Repeat("x", test.given)+`"}`), epoch, machine.MaxPayload)
		if err != nil {
			t.Fatal(err)
		}
		s, _, _, err := m.Step(m.NewSnapshot("r", 1), in, epoch, nil)
		if err == nil && test.pause {
			s, _, _, err = m.Step(s, machine.Input{Kind: machine.PauseInput}, epoch, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, event := range test.events {
			kind, data, _ := strings.Cut(event, " ")
			in, err := m.EventInput(s, machine.ExternalEvent{Name: kind, Data: []byte(data)}, machine.MaxPayload)
			if err != nil {
				t.Fatal(err)
			}
			after, _, _, err := m.Step(s, in, epoch.Add(time.Duration(i)*time.Second), nil)
			var refused *machine.Rejected
			switch last := i == len(test.events)-1; {
			case err == nil && (!last || test.want == ""):
				s = after
			case !last || !errors.As(err, &refused) || refused.Cause == nil || string(refused.Cause.Code) != test.want:
				t.Errorf("%s: event %d gives %v", name, i, err)
			}
		}
	}
}
