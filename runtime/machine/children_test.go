package machine_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

func reviewing(t *testing.T) *machine.Machine {
	return Build(t, Named("Review"), WithParams("file string"), WithFields("n int = 3"), WithEvent("Say", "n int"),
		WithState("Work", On("Say", GoTo("Completed", Set("n", "event.n"))), On("cancel", GoTo("Failed"))),
		WithTerminal("Completed", machine.Success), Returning("Completed", "n", "file"),
		WithTerminal("Failed", machine.Failed))
}

const files = `{"files":["a","b","c"]}`

// calling has a child, a child for each of some files, and a state after them.
func calling(t *testing.T) *machine.Machine {
	return Build(t, WithParams("files [0..9]string"), WithFields("n int = 0, why string = \"\", tried int = 0"), Calling(reviewing(t)), WithEvent("Leave", ""), WithEvent("End", ""), WithEvent("Keep", ""),
		WithState("One", Doing("Review", []string{`"f"`}, "as one", "timeout 1m"),
			On("one.Completed", GoTo("All", Set("n", "event.n"))),
			On("one.failed(cancelled)", GoTo("Stopped", Set("why", "event.message"))),
			On("one.failed(timeout)", Retry(2, Set("tried", "event.attempt")), GoTo("Done")),
			On("one.Failed, one.failed", Retry(1), GoTo("Stopped")),
			On("Leave", GoTo("All")), On("End", GoTo("Done")), On("Keep", Deferring())),
		WithState("All", Doing("Review", []string{"each.item"}, "for files", "limit 2", "as each"),
			On("each.Completed, each.Failed, each.failed", Stay(Set("n", "n + 1"))), On("done", GoTo("Done")), On("End", GoTo("Done"))),
		WithTerminal("Done", machine.Success), Returning("Done", "n"), WithTerminal("Stopped", machine.Failed))
}

// told is how a worker ends the attempt of a do, by the name of its label.
func (r *drive) told(label string, end func(t *machine.Task) machine.Input) {
	r.t.Helper()
	in := r.attempt(label)
	for i := range r.s.Tasks {
		if task := &r.s.Tasks[i]; task.Do == in.Do && task.State == machine.TaskOpen {
			in = end(task)
			in.Worker = "w"
			r.must(in)
			return
		}
	}
}

func (r *drive) childEnds(label, event, data string) {
	r.t.Helper()
	r.told(label, func(t *machine.Task) machine.Input {
		in, err := r.m.ResultInput(t, event, json.RawMessage(data), machine.MaxPayload)
		must(r.t, err)
		return in
	})
}

func (r *drive) childFails(label, category string) {
	r.t.Helper()
	r.told(label, func(t *machine.Task) machine.Input { return r.m.FailureInput(t, category, "so it was") })
}

// TestChildrenAreResults: what ends a child is a result or a failure, and a run whose
// children have ended is finished when it is over.
func TestChildrenAreResults(t *testing.T) {
	r := begin(t, calling(t), files)
	id := func(i int) string { return r.m.ChildID(r.s, &r.s.Tasks[i]) }
	if got := id(0); got != "r/One.one.1.1" {
		t.Error(got)
	}
	r.childEnds("one", "Failed", "")
	r.effects("retried")
	if got := id(0); got != "r/One.one.1.2" || r.s.Tasks[0].Attempt != 2 {
		t.Error("a retry is another child:", got)
	}
	r.childEnds("one", "Review.Completed", `{"n":5,"file":"f"}`)
	r.at("All")
	if got := r.m.Describe(r.last[0].Input); got != "one.Completed" {
		t.Error(got)
	}
	if got := id(1); got != "r/All.each.2.1[1]" {
		t.Error(got)
	}
	r.childEnds("each", "Completed", `{"n":1,"file":"a"}`)
	if got := r.m.Describe(r.last[0].Input); got != "each[0].Completed" {
		t.Error(got)
	}
	r.childFails("each", "cancelled")
	if got := r.m.Describe(r.last[0].Input); got != "each[1].failed(cancelled)" {
		t.Error(got)
	}
	r.childFails("each", "unknown")
	r.at("Done", `{"n":8,"why":"","tried":0}`)
	r.did("end-task:r/All/Review/each[2]/3#1 finish:success")
	if r.s.Status != machine.Finished || r.s.Left {
		t.Errorf("%+v", r.s)
	}
}

// TestEnding: a run that leaves children behind finishes when they have ended, and not before.
func TestEnding(t *testing.T) {
	for name, leave := range map[string]func(r *drive){
		"a transition":    func(r *drive) { r.send("End") },
		"two transitions": func(r *drive) { r.send("Leave"); r.send("End") },
		"cancel":          func(r *drive) { r.must(machine.Input{Kind: machine.CancelInput}) },
		"force":           func(r *drive) { r.must(machine.Input{Kind: machine.CancelInput, Force: true}) },
		"the timeout": func(r *drive) {
			r.childFails("one", "timeout")
			r.childFails("one", "timeout")
			r.childFails("one", "timeout")
		},
		"an operator": func(r *drive) { r.result("one", `Review.Completed {"n":1,"file":"f"}`); r.send("End") },
		"an operator, paused": func(r *drive) {
			r.must(machine.Input{Kind: machine.PauseInput})
			r.result("one", `Review.Completed {"n":1,"file":"f"}`)
			r.must(machine.Input{Kind: machine.CancelInput})
		},
		"kept events": func(r *drive) { r.send("Keep"); r.send("Leave"); r.send("End") },
	} {
		t.Run(name, func(t *testing.T) {
			r := begin(t, calling(t), files)
			leave(r)
			forced := name == "force"
			if r.s.Status != machine.Ending || r.s.Outcome != "" || r.s.Forced != forced || len(r.s.Kept)+len(r.s.Queue) > 0 {
				t.Fatalf("%+v", r.s)
			}
			if v := r.m.View(r.s); v.Status != machine.Ending || len(v.Events)+len(v.Activities) > 0 {
				t.Errorf("%+v", v)
			}
			for _, command := range r.commands {
				if command.Kind == machine.Finish {
					t.Error("it has finished")
				}
			}
			if refused := r.refused("End"); !errors.Is(refused, machine.ErrFinished) || !strings.Contains(refused.Error(), "waits for its children") {
				t.Error(refused)
			}
			for _, kind := range []machine.InputKind{machine.PauseInput, machine.RetryInput} {
				if err := r.take(machine.Input{Kind: kind}); !errors.Is(err, machine.ErrFinished) {
					t.Errorf("%s: %v", kind, err)
				}
			}
			if name == "cancel" || name == "kept events" {
				r.must(machine.Input{Kind: machine.CancelInput, Force: true})
				r.effects("cancelled")
				if !r.s.Forced {
					t.Error("force is not handed down")
				}
				r.must(machine.Input{Kind: machine.CancelInput, Force: true})
				r.effects("")
			}
			r.must(machine.Input{Kind: machine.StoppedInput})
			r.effects("finished")
			want := machine.Cancelled
			if r.m.Definition().States[r.s.State].Path == "Done" {
				want = machine.Success
			}
			if r.s.Status != machine.Finished || r.s.Outcome != want || r.s.Left || r.s.Forced {
				t.Errorf("%+v, want %s", r.s, want)
			}
			r.did("finish:" + string(want))
			if err := r.take(machine.Input{Kind: machine.StoppedInput}); !errors.Is(err, machine.ErrFinished) {
				t.Error(err)
			}
		})
	}
	r := begin(t, calling(t), files)
	if err := r.take(machine.Input{Kind: machine.StoppedInput}); err == nil {
		t.Error("a run that goes on has stopped")
	}
	r.childFails("one", "unknown")
	r.childFails("one", "unknown") // its arguments did not fit: there was no child
	r.at("Stopped")
	if r.s.Status != machine.Finished {
		t.Error(r.s.Status)
	}
}

// TestAttemptsAreChildren: attempts are counted through the visit, also where an execution
// of an activity would begin again.
func TestAttemptsAreChildren(t *testing.T) {
	r := begin(t, calling(t), files)
	r.childFails("one", "timeout") // whose arm has a block
	if r.s.Tasks[0].Attempt != 2 {
		t.Error(r.s.Tasks[0])
	}
	r.childFails("one", "timeout")
	r.at("One", `{"n":0,"why":"","tried":2}`)
}

// TestEndedInput: what a child that has ended tells its parent.
func TestEndedInput(t *testing.T) {
	r := begin(t, calling(t), files)
	child := begin(t, reviewing(t), `{"file":"f"}`)
	child.send(`Say {"n":9}`)
	in := r.m.EndedInput(&r.s.Tasks[0], child.m, child.s, machine.MaxPayload)
	if r.m.Describe(in) != "one.Completed" || r.m.Callee(in.Do) != child.m.Hash() {
		t.Fatal(in)
	}
	in.Worker = "w"
	r.must(in)
	r.at("All", `{"n":9,"why":"","tried":0}`)

	child = begin(t, reviewing(t), `{"file":"f"}`)
	child.must(machine.Input{Kind: machine.CancelInput, Force: true})
	r = begin(t, calling(t), files)
	in = r.m.EndedInput(&r.s.Tasks[0], child.m, child.s, machine.MaxPayload)
	in.Worker = "w"
	r.must(in)
	r.at("Stopped", `{"n":0,"why":"the run \"r\" was cancelled","tried":0}`)
}

func TestDamagedEnding(t *testing.T) {
	r := begin(t, calling(t), files)
	r.send("End")
	good := string(r.m.EncodeSnapshot(r.s))
	for _, c := range [][2]string{
		{`"left":true,`, ``},
		{`"status":"ending"`, `"status":"running"`},
		{`"status":"ending"`, `"status":"ending","outcome":"success"`},
		{`"status":"ending"`, `"status":"finished","outcome":"success"`},
		{`"left":true`, `"done_due":true,"left":true`},
	} {
		bad := strings.Replace(good, c[0], c[1], 1)
		if _, err := r.m.DecodeSnapshot([]byte(bad)); err == nil || bad == good {
			t.Errorf("%s is taken", bad)
		}
	}
	plain := Build(t, WithState("A", On("done", GoTo("D"))), WithTerminal("D", machine.Success))
	s := string(plain.EncodeSnapshot(begin(t, plain, "").s))
	if _, err := plain.DecodeSnapshot([]byte(strings.Replace(s, `"seed"`, `"left":true,"seed"`, 1))); err == nil {
		t.Error("a machine that calls none has children")
	}
}

// asCalls lets the one activity of a random machine be a machine that is called.
func asCalls(d *machine.Definition) {
	a := &d.Activities[0]
	a.Callee, a.Costs, a.Limit = strings.Repeat("c0", 32), nil, nil
	for _, e := range a.Results {
		d.Events[e].Name = a.Name + "." + d.Events[e].Name
	}
	for i := range d.Dos {
		d.Dos[i].Scope = machine.Scope{Kind: machine.PerVisit, State: -1}
	}
}

// TestRandomCalls: random machines of which some activities are children.
func TestRandomCalls(t *testing.T) {
	seen := map[machine.Effect]int{}
	for seed := range uint64(800) {
		d := randomMachine(rand.New(rand.NewPCG(seed, 0)))
		asCalls(d)
		m, err := machine.Compile(d)
		must(t, err)
		for _, record := range wander(t, m, seed, 60) {
			seen[record.Effect]++
		}
		if t.Failed() {
			t.Fatalf("machine %d", seed)
		}
	}
	if seen[machine.Over] < 100 {
		t.Errorf("only %d runs that were ending have finished", seen[machine.Over])
	}
}
