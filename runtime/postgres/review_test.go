package postgres_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const review = `
machine Review(pr string) {
    context { files [0..10]string = [] }
    event Loaded { files [0..10]string }
    event Posted
    event Begun { pr string }
    activity load(pr string) -> Loaded  cost tokens 10
    activity post(pr string) -> Posted  limit 1 at once limit 100 per 1h
    budget { tokens 1000 }
    initial Loading
    after 24h -> Expired
    on failed -> Failed
    on over_budget -> Failed
    state Loading {
        do load(pr) timeout 1m
        on Loaded -> Reading { files = event.files  publish Begun { pr = pr } }
    }
    state Reading {
        do machine Look(file) for file in files limit 2 as look
        on look.Seen {}
        on look.Failed -> Failed
        on done -> Posting
    }
    state Posting {
        do post(pr) timeout 1m
        on Posted -> Done
    }
    terminal Done
    terminal Expired failure
    terminal Failed failure
}

machine Look(file string) {
    event Go
    event Read
    activity read(file string) -> Read  cost tokens 5
    initial Waiting
    state Waiting {
        on Go -> Reading
        after 1h -> Reading
    }
    state Reading {
        do read(file) timeout 1m
        on Read -> Seen
        on failed -> Failed
    }
    terminal Seen
    terminal Failed failure
}`

// reviewer is the activities of review; checkpoint is the last that an attempt was handed.
func reviewer(checkpoint *string) map[string]runtime.ActivityFunc {
	return map[string]runtime.ActivityFunc{
		"load": func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{Event: "Loaded", Data: json.RawMessage(`{"files":["a","b","c"]}`)}, a.Spend("tokens", "7")
		},
		"read": func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
			if a.Checkpoint != nil {
				*checkpoint = string(a.Checkpoint)
			}
			return runtime.Result{Event: "Read"}, a.Spend("tokens", "5")
		},
		"post": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{Event: "Posted"}, nil
		},
	}
}

// childrenOf are the runs below one that have not ended.
func childrenOf(t *testing.T, db store.Store, run string) (ids []string) {
	t.Helper()
	rows, err := db.Runs(t.Context(), store.RunFilter{Root: run})
	must(t, err)
	for _, row := range rows {
		if row.Parent != "" && row.Status != runtime.Finished {
			ids = append(ids, row.Run)
		}
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		t.Fatalf("%s has no children", run)
	}
	return ids
}

func send(t *testing.T, e *runtime.Engine, run string) {
	t.Helper()
	must(t, errOf(e.Send(t.Context(), run, runtime.NewEvent("Go", nil, runtime.WithEventID("go")))))
}

// leaveCheckpoint has a worker begin to read the first child's file, leave a checkpoint, and release it.
func leaveCheckpoint(t *testing.T, e *runtime.Engine, db store.Store, children []string) {
	t.Helper()
	send(t, e, children[0])
	row, err := db.Load(t.Context(), children[0])
	must(t, err)
	now := time.Now()
	claimed, err := db.Claim(t.Context(), store.ClaimQuery{Worker: "w", Now: now.Add(time.Second) /* the engine's clock may be ahead */, Until: now.Add(time.Minute), Limit: 1,
		Activities: []store.Claimable{{Definition: row.Definition, Activity: "read"}}})
	if err != nil || len(claimed) != 1 {
		t.Fatalf("%v, %v", claimed, err)
	}
	must(t, errOf(db.Renew(t.Context(), claimed[0].Claim(), now, now.Add(time.Minute), json.RawMessage(`{"page":3}`))))
	must(t, db.Release(t.Context(), claimed[0].Claim(), now, time.Time{}))
}
