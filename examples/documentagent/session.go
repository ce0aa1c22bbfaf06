package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// session is one session, played by itself: its engine lives by a clock that
// moves only when the agent works or when the next thing is due.
type session struct {
	id     string
	agent  *agent
	runs   DocumentAgentRuns
	person *character

	stopAt *DocumentAgentState // the session is left as it is when it comes there

	startedOver, left int // how often, and how often something of the old document was left

	seen  int64     // the visit that the person has looked at
	turn  time.Time // when the person does something in it; zero for never
	wants func(context.Context) error
}

// newSession opens a session at some time. The lease is long: no one else works on it.
func newSession(store runtime.Store, mail *mailbox, id string, random *rand.Rand, opened, until time.Time) (*session, error) {
	clock := runtime.NewManualClock(opened)
	a := &agent{
		clock: clock, until: until, random: random, person: newCharacter(random), trouble: newTrouble(random),
		outlines: map[string]string{}, library: map[string]string{},
	}
	s := &session{id: id, agent: a, person: &a.person}
	s.runs.Engine = runtime.NewEngine(store, runtime.WithClock(clock), runtime.WithConcurrency(1), runtime.WithWorker("agent"),
		runtime.WithLease(30*24*time.Hour), runtime.WithPoll(24*time.Hour), runtime.WithOutbox(mail.deliver))
	return s, RegisterDocumentAgent(s.runs.Engine, a)
}

// play lets the session live until it has ended or the shift is over.
func (s *session) play(ctx context.Context) error {
	if _, err := s.runs.Start(ctx, s.id, DocumentAgentParams{Session: s.id}); err != nil {
		return err
	}
	return s.goOn(ctx)
}

// goOn does what is next, again and again: the agent works, the person acts, a
// timer fires; or else the clock moves to the first of these.
func (s *session) goOn(ctx context.Context) error {
	clock := s.agent.clock
	for {
		run, err := s.runs.Get(ctx, s.id)
		if err != nil || run.Status != runtime.Running {
			return err
		}
		if s.stopAt != nil && run.State == *s.stopAt {
			return nil
		}
		s.look(run)
		next := s.next(run)
		if next.IsZero() || next.After(s.agent.until) {
			clock.Advance(max(0, s.agent.until.Sub(clock.Now())))
			return nil
		}
		clock.Advance(max(0, next.Sub(clock.Now())))
		if s.turn.Equal(next) {
			s.turn = time.Time{}
			err = s.wants(ctx)
		} else {
			err = s.work(ctx)
		}
		switch {
		case errors.Is(err, context.Canceled) && ctx.Err() == nil: // the shift is over
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", s.id, err)
		}
	}
}

// work lets the engine take one step.
func (s *session) work(ctx context.Context) error {
	shift, stop := context.WithCancel(ctx)
	defer stop()
	s.agent.stop = stop
	_, err := s.runs.Engine.RunOnce(shift, s.id)
	return err
}

// next is when the first thing happens: what is in the past is due at once.
func (s *session) next(run DocumentAgentRun) time.Time {
	var next time.Time
	first := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	first(s.turn)
	for _, timer := range run.Timers {
		first(timer.Due)
	}
	for _, activity := range run.Activities {
		if activity.Until == nil {
			first(s.agent.clock.Now())
		} else {
			first(*activity.Until)
		}
	}
	return next
}

// look is the person seeing that the session is in another state, and
// deciding what to do there, and when.
func (s *session) look(run DocumentAgentRun) {
	if run.Visit == s.seen {
		return
	}
	s.seen, s.turn = run.Visit, time.Time{}
	after := s.person.answers/2 + time.Duration(s.agent.random.Int64N(int64(s.person.answers)))
	switch {
	case run.State == DocumentAgentStateIdle && !s.person.absent:
		s.turn, s.wants = run.Entered.Add(s.person.begins), s.request
	case run.State == DocumentAgentStateAwaitingFeedback && !s.person.silent:
		s.turn, s.wants = run.Entered.Add(after), s.answer
	case run.State == DocumentAgentStateError && s.person.retries:
		s.turn, s.wants = run.Entered.Add(after), s.startOver
	}
}

func (s *session) request(ctx context.Context) error {
	_, err := s.runs.Send(ctx, s.id, DocumentAgentDocumentRequested{Request: "a report on " + s.id})
	return err
}

// answer gives feedback, on one section, or on the outline where there is none.
// Every other person says at the last wish that it is good as it is.
func (s *session) answer(ctx context.Context) error {
	if s.agent.reviews > 0 && s.agent.reviews == s.person.wishes && s.person.curt {
		_, err := s.runs.Send(ctx, s.id, DocumentAgentApproved{})
		return err
	}
	text := fmt.Sprintf("section-%d could be shorter", 1+s.agent.random.IntN(3))
	_, err := s.runs.Send(ctx, s.id, DocumentAgentFeedbackGiven{Text: text})
	return err
}

// startOver begins again, and sees whether anything of the old document is left.
func (s *session) startOver(ctx context.Context) error {
	run, err := s.runs.Send(ctx, s.id, DocumentAgentStartOver{})
	var refused *runtime.Rejected
	switch {
	case errors.As(err, &refused):
		return nil // for the fourth time: the person gives up
	case err != nil:
		return err
	}
	s.startedOver++
	if d := run.Data; d.Request.Set || d.Requirements.Set || d.Outline.Set || d.Sections.Set ||
		d.ErrorMessage.Set || len(d.FeedbackHistory) > 0 || d.Rounds > 0 || d.Question != "" {
		s.left++
	}
	s.agent.library, s.agent.reviews = map[string]string{}, 0
	return nil
}
