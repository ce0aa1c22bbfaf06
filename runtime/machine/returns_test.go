package machine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// giving is a machine of which one terminal returns values, and one does not.
func giving(t *testing.T) *machine.Machine {
	return Build(t, WithParams("pr string"), WithFields("n int = 0, text string"), WithEvent("Good", "text string"), WithEvent("Bad", ""), WithEvent("Kept", ""),
		WithState("A", On("Good", GoTo("Done", Set("text", "event.text"))), On("Bad", GoTo("Failed")), On("Kept", Deferring())),
		WithTerminal("Done", machine.Success, Set("n", "n + 1")), Returning("Done", "n", "pr", "text"),
		WithTerminal("Failed", machine.Failed))
}

// TestReturnsAreSeen looks at what a run has returned, from where it is running to what
// comes late.
func TestReturnsAreSeen(t *testing.T) {
	m := giving(t)
	seen := func(r *drive) string { return string(m.View(r.s).Returns) }
	told := func(records []*machine.Record) string {
		var out []string
		for _, record := range records {
			out = append(out, string(m.StepView(record).Returns))
		}
		return strings.Join(out, ",")
	}
	r := begin(t, m, `{"pr":"x"}`)
	r.send("Kept")
	if got := seen(r); got != "" {
		t.Fatalf("a run that has not ended has returned %s", got)
	}
	must(t, r.take(r.event("Good", `{"text":"a"}`)))
	want := `{"n":1,"pr":"x","text":"a"}`
	if got := seen(r); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if got := told(r.last); got != want+"," { // the deferred event is dropped behind the end
		t.Fatalf("got %s, want %s", got, want)
	}
	r = begin(t, m, `{"pr":"x"}`)
	r.send("Bad")
	if got := seen(r) + told(r.last); got != "" {
		t.Fatalf("a terminal that returns nothing has returned %s", got)
	}
	r = begin(t, m, `{"pr":"x"}`)
	r.must(machine.Input{Kind: machine.CancelInput, Force: true})
	if got := seen(r) + told(r.last); got != "" {
		t.Fatalf("a run that was stopped where it stood has returned %s", got)
	}
}

// TestDamagedReturns reads records in which what was returned does not fit.
func TestDamagedReturns(t *testing.T) {
	m := giving(t)
	r := begin(t, m, `{"pr":"x"}`)
	r.must(r.event("Good", `{"text":"a"}`))
	sound := string(m.EncodeRecord(r.last[0]))
	const member = `"returns":{"n":1,"pr":"x","text":"a"}`
	if !strings.HasSuffix(sound, ","+member+"}") {
		t.Fatal(sound)
	}
	for _, c := range []struct{ member, want string }{
		{`"returns":{"n":1,"pr":"x"}`, "text"},
		{`"returns":{"n":1,"pr":"x","text":"a","more":1}`, "more"},
		{`"returns":{"n":"1","pr":"x","text":"a"}`, "n"},
		{`"returns":[]`, "a list"},
	} {
		if _, err := m.DecodeRecord(json.RawMessage(strings.Replace(sound, member, c.member, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.member, err)
		}
	}
	for _, text := range []string{
		strings.Replace(sound, `"to":"Done"`, `"to":"Failed"`, 1),
		`{` + member + `,` + sound[1:],
	} {
		if _, err := m.DecodeRecord(json.RawMessage(text)); err == nil {
			t.Errorf("it is read: %s", text)
		}
	}
	forged, err := m.DecodeRecord(json.RawMessage(strings.Replace(sound, `"data":{"text":"a"}`, `"data":{"text":"b"}`, 1)))
	must(t, err)
	_, err = m.Replay("r", 7, []*machine.Record{r.records[0], forged})
	if err == nil {
		t.Error("a record replays of which the event was changed")
	}
	forged, err = m.DecodeRecord(json.RawMessage(strings.Replace(sound, `"returns":{"n":1`, `"returns":{"n":2`, 1)))
	must(t, err)
	if _, err = m.Replay("r", 7, []*machine.Record{r.records[0], forged}); err == nil || !strings.Contains(err.Error(), "returns.n") {
		t.Errorf("a record replays that returns something else: %v", err)
	}
}
