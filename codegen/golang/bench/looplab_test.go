package bench

import (
	"context"
	"errors"

	"github.com/looplab/fsm"
)

// Looplab is a review on github.com/looplab/fsm. An event has one destination
// there, so that what a guard decides is decided before, by the event's name.
type Looplab struct {
	Used Used
	Data Data

	machine *fsm.FSM
	act     Action
}

const (
	tryAgain = "try_again"
	giveUp   = "give_up"
)

var eventNames = func() (names [DayOver + 1]string) {
	for k := range names {
		names[k] = Kind(k).String()
	}
	return names
}()

// NewLooplab configures the machine once; it is used for many runs.
func NewLooplab() *Looplab {
	m := &Looplab{}
	open := []string{"Idle", "FetchingDiff", "Analyzing", "PostingComments", "AwaitingRetry", "Summarizing"}
	m.machine = fsm.NewFSM("Idle", fsm.Events{
		{Name: "StartReview", Src: []string{"Idle"}, Dst: "FetchingDiff"},
		{Name: "DiffLoaded", Src: []string{"FetchingDiff"}, Dst: "Analyzing"},
		{Name: "AnalysisReady", Src: []string{"Analyzing"}, Dst: "PostingComments"},
		{Name: "CommentsPosted", Src: []string{"PostingComments"}, Dst: "Summarizing"},
		{Name: "RateLimited", Src: []string{"PostingComments"}, Dst: "AwaitingRetry"},
		{Name: "WaitOver", Src: []string{"AwaitingRetry"}, Dst: "PostingComments"},
		{Name: "SummaryDone", Src: []string{"Summarizing"}, Dst: "Completed"},
		{Name: tryAgain, Src: []string{"FetchingDiff"}, Dst: "FetchingDiff"},
		{Name: tryAgain, Src: []string{"Analyzing"}, Dst: "Analyzing"},
		{Name: giveUp, Src: []string{"FetchingDiff", "Analyzing", "PostingComments", "Summarizing"}, Dst: "Failed"},
		{Name: "DayOver", Src: open, Dst: "Expired"},
	}, fsm.Callbacks{
		"after_DiffLoaded":    func(_ context.Context, e *fsm.Event) { m.Data.Diff, m.Data.HasDiff = payload(e).Diff, true },
		"after_AnalysisReady": func(_ context.Context, e *fsm.Event) { m.Data.Comments = payload(e).Comments },
		"after_RateLimited": func(_ context.Context, e *fsm.Event) {
			m.Used.RateLimit++
			m.Data.Wait = payload(e).RetryAfter
		},
		"after_" + tryAgain: func(_ context.Context, e *fsm.Event) {
			if e.Src == "Analyzing" {
				m.Used.Analyze++
				m.act = AnalyzeAgain
			} else {
				m.Used.Fetch++
				m.act = FetchAgain
			}
		},
		"leave_state":           func(context.Context, *fsm.Event) { m.Used.Fetch, m.Used.Analyze, m.act = 0, 0, Nothing },
		"enter_FetchingDiff":    func(context.Context, *fsm.Event) { m.act = Fetch },
		"enter_Analyzing":       func(context.Context, *fsm.Event) { m.act = Analyze },
		"enter_PostingComments": func(context.Context, *fsm.Event) { m.act = Post },
		"enter_AwaitingRetry":   func(context.Context, *fsm.Event) { m.act = Wait },
		"enter_Summarizing":     func(context.Context, *fsm.Event) { m.act = Summarize },
		"enter_Failed":          func(context.Context, *fsm.Event) { m.act = TellFailed },
	})
	return m
}

func payload(e *fsm.Event) *Event { return e.Args[0].(*Event) }

// named is the name under which the machine knows e where it stands; empty for
// none.
func (m *Looplab) named(e *Event) string {
	switch e.Kind {
	case ActivityFailed:
		state := m.machine.Current()
		if state == "FetchingDiff" && (e.Category == Transient || e.Category == Timeout) && m.Used.Fetch < 3 ||
			state == "Analyzing" && (e.Category == Timeout || e.Category == Silent) && m.Used.Analyze < 3 {
			return tryAgain
		}
		return giveUp
	case RateLimited:
		switch {
		case !inRange(e):
			return ""
		case m.Used.RateLimit >= 5 && m.machine.Is("PostingComments"):
			return giveUp
		}
	}
	return eventNames[e.Kind]
}

// Handle takes one event and says what to do next.
func (m *Looplab) Handle(e *Event) (Action, error) {
	var same fsm.NoTransitionError
	if err := m.machine.Event(context.Background(), m.named(e), e); err != nil && !errors.As(err, &same) {
		return Nothing, err
	}
	return m.act, nil
}
