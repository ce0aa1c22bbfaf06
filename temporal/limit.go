package temporal

import (
	"context"
	"slices"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// LimitType is the name of the workflow type that keeps a limit of an activity.
const LimitType = "fsmc.Limit"

// Names of what runs and limiters tell each other.
const (
	SignalPlace  = "place"  // to a limiter, of runs and workers
	SignalGrant  = "grant"  // takes a Grant, from a limiter
	QueryPlaces  = "places" // gives the places that a run has or waits for
	QueryHolds   = "holds"  // gives what of a limit holds back those that wait: a machine.LimitView, or null
	tellType     = "fsmc.Tell"
	checkType    = "fsmc.Check"
	limiterAlone = time.Hour        // so long a limiter stays that nobody needs
	checkEvery   = time.Minute      // while somebody waits, whether who has a place is there
	checkAfter   = 30 * time.Second // not sooner after it was given
	checkMost    = 10               // of them at a time
	grantMost    = 200              // on their way at a time: Temporal allows 2,000
	checkLimit   = 5 * time.Second  // how long one run may take to answer
)

// Grant is a place that a run has now.
type Grant struct {
	Limiter string `json:"limiter"`
	Place   string `json:"place"`
	Tell    bool   `json:"tell,omitempty"` // the worker is to say when the attempt begins
}

// LimiterID is the id of the workflow that keeps the limit of an activity. No run has it: what stands behind the "/" in
// that of a child has dots.
func LimiterID(machine, activity string) string { return LimitType + "/" + machine + "/" + activity }

// limiting is the limiter of one workflow.
type limiting struct {
	Limiter
	telling int                     // grants on their way
	checked time.Time               // when it last asked for who has a place
	alone   time.Time               // since when nobody needs it; zero where somebody does
	timer   pendingTimer            // for what is due next
	inbox   workflow.ReceiveChannel // of requests
}

// LimitWorkflow hands out the places of a limited activity, until nobody has needed it for a while. It ends with what
// the next one starts with.
func LimitWorkflow(root workflow.Context, in Limiter) (Limiter, error) {
	ctx, _ := workflow.NewDisconnectedContext(root) // who waits for it would wait for ever
	workflow.GetVersion(ctx, "interpreter", 1, interpreter)
	l := &limiting{Limiter: in, inbox: workflow.GetSignalChannel(ctx, SignalPlace), checked: workflow.Now(ctx)}
	err := workflow.SetQueryHandler(ctx, QueryHolds, func() (*machine.LimitView, error) { return l.holds(), nil })
	for err == nil {
		for q := (request{}); l.inbox.ReceiveAsync(&q); q = (request{}) {
			l.take(&q, workflow.Now(ctx))
			l.alone = time.Time{}
		}
		switch leaves := isLong(ctx); {
		case leaves && l.telling == 0:
			return Limiter{}, next(ctx, LimitType, l.Limiter)
		case !leaves:
			l.hand(ctx)
			err = l.check(ctx)
		}
		if l.ends(workflow.Now(ctx)) {
			return Limiter{Definitions: l.Definitions, Limit: l.Limit}, nil
		}
		if err == nil {
			err = l.rest(ctx)
		}
	}
	return Limiter{}, err
}

// hand gives out places, and takes back those of runs that are not there.
func (l *limiting) hand(ctx workflow.Context) {
	id := workflow.GetInfo(ctx).WorkflowExecution.ID
	for _, p := range l.grant(workflow.Now(ctx), grantMost-l.telling) {
		told := workflow.SignalExternalWorkflow(ctx, p.Run, "", SignalGrant, Grant{Limiter: id, Place: p.ID, Tell: l.Limit.Rate > 0})
		l.telling++
		workflow.Go(ctx, func(ctx workflow.Context) {
			if told.Get(ctx, nil) != nil {
				l.drop(p)
			}
			l.telling--
		})
	}
}

// due is when something is to be done that nobody tells it; zero for never.
func (l *limiting) due(now time.Time) (due time.Time) {
	if l.waiting() {
		held, pending, begun := l.standing()
		closed, opens := l.closed(pending, begun)
		if held > 0 && (l.full(held) || closed && opens.IsZero()) {
			due = l.checked.Add(checkEvery)
		}
		if closed && !l.full(held) && !opens.IsZero() {
			due = opens
		}
		return due
	}
	if len(l.Places) > 0 {
		return due
	}
	if l.alone.IsZero() {
		l.alone = now
	}
	return slices.MaxFunc([]time.Time{l.alone.Add(limiterAlone), l.lastOpens()}, time.Time.Compare)
}

// lastOpens is when the last of what has begun counts no more.
func (l *Limiter) lastOpens() (at time.Time) {
	if n := len(l.Begun); n > 0 {
		at = l.Begun[n-1].Last.Add(l.window())
	}
	return at
}

// ends reports whether nobody has needed it for so long.
func (l *limiting) ends(now time.Time) bool {
	return len(l.Places) == 0 && l.telling == 0 && l.inbox.Len() == 0 && !now.Before(l.due(now))
}

// rest waits until something is told, or due. A timer that fires before that is kept: what is due changes often.
func (l *limiting) rest(ctx workflow.Context) error {
	if l.timer.fires != nil && l.timer.fires.IsReady() {
		l.timer = pendingTimer{}
	}
	due, telling := l.due(workflow.Now(ctx)), l.telling
	if pending := l.timer.due; !pending.IsZero() && (due.IsZero() || pending.Before(due)) {
		due = pending
	}
	awake := func() bool { return l.inbox.Len() > 0 || l.telling < telling }
	if due.IsZero() {
		return workflow.Await(ctx, awake)
	}
	fires := l.timer.set(ctx, due)
	return workflow.Await(ctx, func() bool { return awake() || fires.IsReady() })
}

// check takes back the places of runs that have ended without a word, or do not know of them.
func (l *limiting) check(ctx workflow.Context) error {
	now := workflow.Now(ctx)
	if !l.waiting() || now.Before(l.checked.Add(checkEvery)) {
		return nil
	}
	l.checked = now
	places := l.unchecked(now.Add(-checkAfter), checkMost)
	if len(places) == 0 {
		return nil
	}
	local := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 2 * checkLimit})
	asked, gone := make([]Place, len(places)), []bool(nil) // an activity of this process reads them
	for i, p := range places {
		asked[i] = *p
	}
	if err := workflow.ExecuteLocalActivity(local, checkType, asked).Get(ctx, &gone); err != nil {
		return err
	}
	for i, p := range places {
		if p.Checked = now; gone[i] {
			l.take(&request{Kind: leftPlace, Run: p.Run, Place: p.ID, Used: true}, workflow.Now(ctx))
		}
	}
	l.hand(ctx)
	return nil
}

// tell is the local activity by which a run speaks to a limiter, which it starts where there is none. One that
// has ended has left what the next one starts with, as long as Temporal keeps it.
func (w *Worker) tell(ctx context.Context, limiter string, q request) error {
	err := w.Client.SignalWorkflow(ctx, limiter, "", SignalPlace, q)
	if !isMissing(err) {
		return err
	}
	if q.Kind != asksPlace {
		return nil
	}
	var in Limiter
	if about, err := w.Client.DescribeWorkflowExecution(ctx, limiter, ""); err == nil {
		if info := about.WorkflowExecutionInfo; info.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED {
			err = w.Client.GetWorkflow(ctx, limiter, info.GetExecution().GetRunId()).Get(ctx, &in)
		}
		if err != nil {
			return err
		}
	} else if !isMissing(err) {
		return err
	}
	_, err = w.Client.SignalWithStartWorkflow(ctx, limiter, SignalPlace, q,
		client.StartWorkflowOptions{ID: limiter, TaskQueue: activity.GetInfo(ctx).TaskQueue}, LimitType, in)
	return err
}

// began tells a limiter that an attempt has begun, until it is told, or the attempt is over.
func (w *Worker) began(ctx context.Context, c *Call) {
	for {
		err := w.Client.SignalWorkflow(ctx, c.Limiter, "", SignalPlace, request{Kind: beganPlace, Run: c.Run, Place: c.Place})
		if err == nil || isMissing(err) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// check is the local activity that says which places belong to no run any more. Of one that does not answer
// nothing is known.
func (w *Worker) check(ctx context.Context, places []Place) (gone []bool, err error) {
	gone = make([]bool, len(places))
	answers := make(chan struct{})
	for i, p := range places {
		go func() {
			gone[i] = w.gone(ctx, &p)
			answers <- struct{}{}
		}()
	}
	for range places {
		<-answers
	}
	return gone, nil
}

func (w *Worker) gone(ctx context.Context, p *Place) bool {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	about, err := w.Client.DescribeWorkflowExecution(ctx, p.Run, "")
	if err != nil {
		return isMissing(err)
	}
	if about.WorkflowExecutionInfo.GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return true
	}
	var known []string
	answer, err := w.Client.QueryWorkflow(ctx, p.Run, "", QueryPlaces)
	if err == nil {
		err = answer.Get(&known)
	}
	return err == nil && !slices.Contains(known, p.ID)
}
