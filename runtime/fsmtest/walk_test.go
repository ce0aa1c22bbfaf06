package fsmtest_test

import (
	"os"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// deferring has a deferred event, two activities that have nothing to say, and a guard.
const deferring = `
machine Walked {
    event Go
    event Later
    event Bother
    activity wash()
    activity dry()
    guard open(n int)
    initial Home
    on failed(unknown) -> Broken
    after 1d -> Broken
    state Home {
        defer Later
        ignore Bother
        on Go when open(1) -> Away else reject
    }
    state Away {
        do wash() timeout 1m
        do dry() timeout 1m
        on failed(timeout) retry 1 backoff 10m else -> Broken
        defer Later
        on done -> Back
    }
    state Back { on Later -> Over }
    terminal Over
    terminal Broken failure
}`

// home is what happens before the machine is away.
var home = []fsmtest.Step{
	{Input: "event Later", Arm: "Home defer Later", To: "Home"},
	{Input: "event Bother", Arm: "Home ignore Bother", To: "Home"},
	{Input: "event Go", Yes: []string{"open"}, Arm: "Home on Go", To: "Away"},
}

func TestWalk(t *testing.T) {
	m := tabletest.Machine(t, deferring)
	fsmtest.Walk(t, m,
		fsmtest.Path{Steps: append(home[:3:3],
			fsmtest.Step{Input: "kept Later", Arm: "Away defer Later", To: "Away"},
			fsmtest.Step{After: time.Minute, Input: "failure timeout", Do: "Away.wash", Arm: "Away on failed(timeout)", To: "Away"},
			fsmtest.Step{Input: "done", Arm: "Away on done", To: "Back"}, // not before the second attempt
			fsmtest.Step{Input: "kept Later", Arm: "Back on Later", To: "Over"},
		)},
		fsmtest.Path{Steps: []fsmtest.Step{{Input: "timer after 24h", Arm: "after 24h", To: "Broken"}}},
	)
}

// TestWalkDoneFirst: `done` of a state without activities comes before events that are kept.
func TestWalkDoneFirst(t *testing.T) {
	m := tabletest.Machine(t, `
machine Hasty {
    event Later
    activity wash()
    initial Home
    state Home {
        do wash()
        defer Later
        on done, failed -> Choosing
    }
    state Choosing { on done -> Back }
    state Back { on Later -> Over }
    terminal Over
}`)
	fsmtest.Walk(t, m, fsmtest.Path{Steps: []fsmtest.Step{
		{Input: "event Later", Arm: "Home defer Later", To: "Home"},
		{Input: "done", Arm: "Home on done, failed", To: "Choosing"},
		{Input: "done", Arm: "Choosing on done", To: "Back"},
		{Input: "kept Later", Arm: "Back on Later", To: "Over"},
	}})
}

// TestWalkElements: an element of a list is named where it matters, and another one where any will do.
func TestWalkElements(t *testing.T) {
	m := tabletest.Machine(t, `
machine Reading(files [0..5]string) {
    context { last string = "" }
    activity read(file string)
    initial Open
    state Open {
        do read(f) for f in files limit 1 timeout 1m
        on failed(timeout) retry 1 else { last = event.item }
        on failed when event.index == 2 -> Lost else {}
        on done when last == "b" -> Over
                else -> Lost
    }
    terminal Over
    terminal Lost failure
}`)
	over := func(i string) fsmtest.Step {
		return fsmtest.Step{Input: "failure timeout", Do: "Open.read" + i, Arm: "Open on failed(timeout) else 1", To: "Open"}
	}
	retry := func(i string) fsmtest.Step {
		return fsmtest.Step{Input: "failure timeout", Do: "Open.read" + i, Arm: "Open on failed(timeout)", To: "Open"}
	}
	params := fields{"files": []string{"a", "b", "c"}}
	fsmtest.Walk(t, m,
		fsmtest.Path{Params: params, Steps: []fsmtest.Step{
			{Input: "result", Do: "Open.read[0]", To: "Open"},
			retry("[1]"), {Input: "result", Do: "Open.read[2]", To: "Open"}, over(""), // [2] while [1] waits
			{Input: "done", Arm: "Open on done", To: "Over"},
		}},
		fsmtest.Path{Params: params, Steps: []fsmtest.Step{
			{Input: "result", Do: "Open.read", To: "Open"}, {Input: "result", Do: "Open.read", To: "Open"},
			{Input: "failure unknown", Do: "Open.read[2]", Arm: "Open on failed", To: "Lost"},
		}},
		fsmtest.Path{Params: params, Steps: []fsmtest.Step{{Input: "done", Arm: "Open on done else 1", To: "Lost"}}},
	)
}

// TestWalkSees holds that a walk fails where the machine does something else.
func TestWalkSees(t *testing.T) {
	says := map[string]string{
		"another arm":    `path 0, step 3: failure unknown in "Away": "on failed(unknown)" led to "Broken", want "on failed" to "Broken"`,
		"another state":  `led to "Home", want "Home ignore Bother" to "Away"`,
		"a no":           `event Go in "Home": event "Go" is refused`,
		"not under way":  `"Away.wash" is not under way`,
		"no event":       `there is no event ""`,
		"no such timer":  `timer "Home after 1s" does not run`,
		"not deferred":   `kept Later in "Home": it is not deferred`,
		"no such event":  `there is no event "Gone"`,
		"no such input":  `there is no input of kind "nudge"`,
		"wrong data":     `field "x": there is no such field`,
		"wrong start":    `path 0: the start: `,
		"done too early": `done is not due`,
	}
	for name, path := range map[string]fsmtest.Path{
		"another arm":    {Steps: append(home[:3:3], fsmtest.Step{Input: "failure unknown", Do: "Away.dry", Arm: "on failed", To: "Broken"})},
		"another state":  {Steps: []fsmtest.Step{{Input: "event Bother", Arm: "Home ignore Bother", To: "Away"}}},
		"a no":           {Steps: []fsmtest.Step{{Input: "event Go", Arm: "Home on Go", To: "Away"}}},
		"not under way":  {Steps: []fsmtest.Step{{Input: "failure timeout", Do: "Away.wash"}}},
		"no event":       {Steps: []fsmtest.Step{{Input: "event"}}},
		"no such timer":  {Steps: []fsmtest.Step{{Input: "timer Home after 1s"}}},
		"not deferred":   {Steps: []fsmtest.Step{{Input: "kept Later"}}},
		"no such event":  {Steps: []fsmtest.Step{{Input: "event Gone"}}},
		"no such input":  {Steps: []fsmtest.Step{{Input: "nudge it"}}},
		"wrong data":     {Steps: []fsmtest.Step{{Input: "event Later", Data: fields{"x": 1}}}},
		"wrong start":    {Params: fields{"x": 1}},
		"done too early": {Steps: []fsmtest.Step{{Input: "done"}}},
	} {
		if os.Getenv("FSMTEST_WALK") == name {
			fsmtest.Walk(t, tabletest.Machine(t, deferring), path)
			return
		}
		if os.Getenv("FSMTEST_WALK") == "" {
			t.Run(name, func(t *testing.T) { wantFailure(t, "TestWalkSees", "FSMTEST_WALK", name, says[name]) })
		}
	}
}
