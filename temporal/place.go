package temporal

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// place is what an attempt has of the limit of its activity.
type place struct {
	id      string    // by which the limiter knows it; empty for none
	since   time.Time // when the attempt began to wait
	granted bool
	tell    bool // its worker says when it begins
	used    bool // it may have begun
}

func (p *place) waits() bool { return p.id != "" && !p.granted }

// activity is what is attempted.
func (a *attempt) activity() *machine.Activity {
	d := a.machine.Definition()
	return &d.Activities[d.Dos[a.task.Do].Activity]
}

// limiter is the id of the workflow that keeps the limit of the activity.
func (a *attempt) limiter() string { return LimiterID(a.machine.Definition().Name, a.activity().Name) }

// A place that has not come by then is asked for again, each time after twice as long until the most: who keeps
// the limit may have been terminated.
const (
	askAgain = time.Minute
	askMost  = time.Hour
)

// takePlace gets a place for an attempt whose activity has a limit. It reports false where the attempt may not begin
// any more before there is one.
func (r *run) takePlace(ctx workflow.Context, a *attempt) bool {
	of := a.activity()
	if of.Limit == nil {
		return true
	}
	p := &a.place
	if p.since.IsZero() {
		p.since = workflow.Now(ctx)
	}
	if p.id == "" {
		r.asked++
		p.id = fmt.Sprintf("%s %d", a.task.Key, r.asked)
	}
	r.places[p.id] = a
	over := func() bool { return p.granted || a.ended || !r.mayBegin() }
	for wait := askAgain; !over(); wait = min(2*wait, askMost) {
		r.tellLimiter(ctx, a.limiter(), request{Kind: asksPlace, Place: p.id, Since: p.since, Hash: a.machine.Hash(), Limit: *of.Limit})
		if over() {
			break
		}
		r.changed = true // it may go on in a new execution
		until, stop := workflow.WithCancel(ctx)
		again := workflow.NewTimer(until, wait)
		if workflow.Await(ctx, func() bool { return over() || again.IsReady() }) != nil {
			return false
		}
		stop()
	}
	return p.granted && !a.ended && r.mayBegin()
}

// leavePlace gives the place of an attempt back, or waits for it no more.
func (r *run) leavePlace(ctx workflow.Context, a *attempt) {
	if a.place.id == "" {
		return
	}
	r.tellLimiter(ctx, a.limiter(), request{Kind: leftPlace, Place: a.place.id, Used: a.place.used})
	delete(r.places, a.place.id)
	since := a.place.since
	if a.place.used {
		since = time.Time{}
	}
	a.place = place{since: since}
}

// tellLimiter tells it, however long that takes.
func (r *run) tellLimiter(ctx workflow.Context, limiter string, q request) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	q.Run = r.snapshot.Run
	r.asking++
	local := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: guardLimit}) // until it is told
	_ = workflow.ExecuteLocalActivity(local, tellType, limiter, q).Get(ctx, nil)
	r.asking--
	r.changed = true
}

// listenToLimits takes the places that the run is given.
func (r *run) listenToLimits(ctx workflow.Context) error {
	grants := workflow.GetSignalChannel(ctx, SignalGrant)
	r.given = func() bool { return grants.Len() > 0 || r.asking > 0 }
	take(ctx, grants, func(ctx workflow.Context, g Grant) {
		if a := r.places[g.Place]; a != nil {
			a.place.granted, a.place.tell = true, g.Tell
			return
		}
		r.tellLimiter(ctx, g.Limiter, request{Kind: leftPlace, Place: g.Place})
	})
	return workflow.SetQueryHandler(ctx, QueryPlaces, func() ([]string, error) {
		return slices.Sorted(maps.Keys(r.places)), nil
	})
}

// showLimits says of activities that they wait for a limit: of the definition of the run. Which it is now, who
// keeps it knows.
func (r *run) showLimits(v *machine.View) {
	for _, a := range r.attempts {
		if !a.place.waits() {
			continue
		}
		var texts []string
		l := a.activity().Limit
		if l.AtOnce > 0 {
			texts = append(texts, atOnceText(l))
		}
		if l.Rate > 0 {
			texts = append(texts, rateText(l))
		}
		for i := range v.Activities {
			if v.Activities[i].Key == a.task.Key {
				v.Activities[i].Limit = &machine.LimitView{Text: strings.Join(texts, ", ")}
			}
		}
	}
}

// showLimit says of an activity that waits for a limit how that stands.
func (c *Client) showLimit(ctx context.Context, machineName string, of *machine.ActivityView) {
	var v *machine.LimitView
	if of.Limit != nil && c.query(ctx, LimiterID(machineName, of.Activity), "", &v, QueryHolds) == nil {
		of.Limit = v
	}
}
