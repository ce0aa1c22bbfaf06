package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Conduct is what an attempt does.
type Conduct struct {
	Checkpoints []time.Duration // before each of them it waits that long
	Takes       time.Duration   // from the last of them until it returns
	Stops       time.Duration   // it needs that long once it is told to stop
	Spends      json.Number     // of the first cost of the activity, said with each checkpoint; empty for none

	Result runtime.Result
	Err    error
}

// random is what decides of something with a name.
func (t *Tape) random(name string, n ...int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, name, n)
	return rand.New(rand.NewPCG(t.Seed, h.Sum64()))
}

// Handlers are the activities and guards of a machine. called notes an attempt, and is how often it
// was called before.
func (t *Tape) Handlers(m *machine.Machine, called func(*runtime.Attempt) int) runtime.Handlers {
	attempt := func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		c := t.Conduct(m, a, called(a))
		return c.Do(ctx, m, a)
	}
	return runtime.HandlersOf(m.Definition(), func(string) runtime.ActivityFunc { return attempt }, func(name string) runtime.GuardFunc {
		return func(_ context.Context, args json.RawMessage) (bool, error) { return t.Answer(name, args) }
	})
}

// Encode is v as JSON, or why it has none.
func Encode(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

// Conduct is what an attempt does, by its key, its number and how often that was called before.
func (t *Tape) Conduct(m *machine.Machine, a *runtime.Attempt, before int) Conduct {
	d := m.Definition()
	i := slices.IndexFunc(d.Activities, func(x machine.Activity) bool { return x.Name == a.Activity })
	activity, r := &d.Activities[i], t.random(a.Key, a.Number, before)
	c := Conduct{Stops: moment(r, 5*time.Second), Takes: moment(r, time.Hour)}
	if r.IntN(3) > 0 { // most are in time
		c.Takes = moment(r, 2*time.Second)
	}
	for range max(0, r.IntN(6)-3) {
		c.Checkpoints = append(c.Checkpoints, moment(r, 5*time.Minute))
	}
	if t.Instant {
		c.Takes, c.Stops, c.Checkpoints = 0, 0, nil
	}
	if len(activity.Costs) > 0 && r.IntN(2) == 0 {
		c.Spends = json.Number(fmt.Sprintf("0.%02d", r.IntN(5)))
	}
	switch n := r.IntN(24); {
	case n < 3 && before < 2:
		c.Err = []error{runtime.ErrWorkerLost, runtime.Decline("not now"), runtime.Decline("nor now")}[n]
	case n == 3:
		c.Err = errors.New("it broke")
	case n == 4:
		c.Err = runtime.Fail("nonsense", "it happens")
	case n == 5:
		c.Result.Event = "Nonsense"
	case n < 9 && len(activity.Fails) > 0:
		c.Err = &runtime.Failure{Category: d.Categories[activity.Fails[r.IntN(len(activity.Fails))]], Message: "it happens"}
	case len(activity.Results) > 0:
		event := activity.Results[r.IntN(len(activity.Results))]
		c.Result = runtime.Result{Event: d.Events[event].Name, Data: object(r, m, d.Events[event].Fields, func(values []machine.Value) (json.RawMessage, error) {
			return m.EncodePayload(event, values)
		})}
	}
	if c.Err == nil && len(activity.Costs) > 0 && r.IntN(2) == 0 {
		c.Result.Cost = map[string]json.Number{activity.Costs[0].Name: json.Number(fmt.Sprintf("0.%02d", r.IntN(5)))}
	}
	return c
}

// Do does what the attempt does, in the time of the bubble in which it is called.
func (c *Conduct) Do(ctx context.Context, m *machine.Machine, a *runtime.Attempt) (runtime.Result, error) {
	for i, after := range c.Checkpoints {
		if !rest(ctx, after) {
			break
		}
		a.Heartbeat()
		if c.Spends != "" {
			d := m.Definition()
			k := slices.IndexFunc(d.Activities, func(x machine.Activity) bool { return x.Name == a.Activity })
			_ = a.Spend(d.Activities[k].Costs[0].Name, c.Spends) // the name and the amount are good
		}
		if a.Progress(i+1) != nil {
			break // what becomes of the attempt says so
		}
	}
	if !rest(ctx, c.Takes) {
		time.Sleep(c.Stops)
	}
	return c.Result, c.Err
}

// rest waits, and reports whether ctx lasts.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Answer is what a host guard says to arguments, whenever it is asked.
func (t *Tape) Answer(guard string, args json.RawMessage) (bool, error) {
	r := t.random(guard + string(args))
	if r.IntN(25) == 0 {
		return false, errors.New("no answer")
	}
	return r.IntN(2) == 0, nil
}

// Accepts reports whether the receiver of a message takes it at that attempt.
func (t *Tape) Accepts(message string, attempt int) bool {
	return t.random(message, attempt).IntN(4) > 0
}
