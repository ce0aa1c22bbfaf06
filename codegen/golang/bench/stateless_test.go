package bench

import (
	"context"

	"github.com/qmuntal/stateless"
)

// Stateless is a review on github.com/qmuntal/stateless.
type Stateless struct {
	State State
	Used  Used
	Data  Data

	machine *stateless.StateMachine
	act     Action
}

// NewStateless configures the machine once; it is used for many runs.
func NewStateless() *Stateless {
	m := &Stateless{}
	m.machine = stateless.NewStateMachineWithExternalStorage(
		func(context.Context) (stateless.State, error) { return m.State, nil },
		func(_ context.Context, s stateless.State) error {
			m.State = s.(State)
			return nil
		}, stateless.FiringImmediate)
	for s := Idle; s <= Summarizing; s++ {
		m.machine.Configure(s).Permit(DayOver, Expired).OnExit(func(context.Context, ...any) error {
			m.Used.Fetch, m.Used.Analyze = 0, 0
			return nil
		})
	}
	m.entering(FetchingDiff, Fetch)
	m.entering(PostingComments, Post)
	m.entering(Summarizing, Summarize)
	m.entering(Completed, Nothing)
	m.entering(Expired, Nothing)
	m.entering(Failed, TellFailed)

	m.machine.Configure(Idle).Permit(StartReview, FetchingDiff)
	m.machine.Configure(FetchingDiff).
		Permit(DiffLoaded, Analyzing).
		InternalTransition(ActivityFailed, m.again(&m.Used.Fetch, FetchAgain), m.mayFetch).
		Permit(ActivityFailed, Failed, not(m.mayFetch))
	m.machine.Configure(Analyzing).
		OnEntry(func(_ context.Context, args ...any) error {
			m.act, m.Data.Diff, m.Data.HasDiff = Analyze, args[0].(*Event).Diff, true
			return nil
		}).
		Permit(AnalysisReady, PostingComments).
		InternalTransition(ActivityFailed, m.again(&m.Used.Analyze, AnalyzeAgain), m.mayAnalyze).
		Permit(ActivityFailed, Failed, not(m.mayAnalyze))
	m.machine.Configure(PostingComments).
		OnEntryFrom(AnalysisReady, func(_ context.Context, args ...any) error {
			m.Data.Comments = args[0].(*Event).Comments
			return nil
		}).
		Permit(CommentsPosted, Summarizing).
		Permit(RateLimited, AwaitingRetry, ranged, m.mayWait).
		Permit(RateLimited, Failed, ranged, not(m.mayWait)).
		Permit(ActivityFailed, Failed)
	m.machine.Configure(AwaitingRetry).
		OnEntry(func(_ context.Context, args ...any) error {
			m.Used.RateLimit++
			m.act, m.Data.Wait = Wait, args[0].(*Event).RetryAfter
			return nil
		}).
		Permit(WaitOver, PostingComments)
	m.machine.Configure(Summarizing).
		Permit(SummaryDone, Completed).
		Permit(ActivityFailed, Failed)
	return m
}

func (m *Stateless) entering(s State, act Action) {
	m.machine.Configure(s).OnEntry(func(context.Context, ...any) error {
		m.act = act
		return nil
	})
}

func (m *Stateless) again(used *uint8, act Action) stateless.ActionFunc {
	return func(context.Context, ...any) error {
		*used++
		m.act = act
		return nil
	}
}

func (m *Stateless) mayFetch(_ context.Context, args ...any) bool {
	c := args[0].(*Event).Category
	return (c == Transient || c == Timeout) && m.Used.Fetch < 3
}

func (m *Stateless) mayAnalyze(_ context.Context, args ...any) bool {
	c := args[0].(*Event).Category
	return (c == Timeout || c == Silent) && m.Used.Analyze < 3
}

func (m *Stateless) mayWait(context.Context, ...any) bool { return m.Used.RateLimit < 5 }

func ranged(_ context.Context, args ...any) bool { return inRange(args[0].(*Event)) }

func not(g stateless.GuardFunc) stateless.GuardFunc {
	return func(ctx context.Context, args ...any) bool { return !g(ctx, args...) }
}

// Handle takes one event and says what to do next.
func (m *Stateless) Handle(e *Event) (Action, error) {
	if err := m.machine.Fire(e.Kind, e); err != nil {
		return Nothing, err
	}
	return m.act, nil
}
