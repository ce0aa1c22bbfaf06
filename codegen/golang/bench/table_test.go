package bench

// Table is a review as a table of transitions: for each state and event the
// rules that are tried in order, with their guards and effects as functions.
type Table struct {
	State State
	Used  Used
	Data  Data
}

type rule struct {
	when func(*Table, *Event) bool // nil for always
	do   func(*Table, *Event)      // nil for nothing
	to   State
	act  Action
}

var (
	toFailed  = rule{do: (*Table).reset, to: Failed, act: TellFailed}
	toExpired = rule{do: (*Table).reset, to: Expired}
)

// reset sets the counters of the visit to zero.
func (m *Table) reset(*Event) { m.Used.Fetch, m.Used.Analyze = 0, 0 }

var rules = [Failed + 1][DayOver + 1][]rule{
	Idle: {
		StartReview: {{to: FetchingDiff, act: Fetch}},
		DayOver:     {toExpired},
	},
	FetchingDiff: {
		DiffLoaded: {{
			do: func(m *Table, e *Event) { m.Used.Fetch, m.Data.Diff, m.Data.HasDiff = 0, e.Diff, true },
			to: Analyzing, act: Analyze,
		}},
		ActivityFailed: {{
			when: func(m *Table, e *Event) bool {
				return (e.Category == Transient || e.Category == Timeout) && m.Used.Fetch < 3
			},
			do: func(m *Table, _ *Event) { m.Used.Fetch++ },
			to: FetchingDiff, act: FetchAgain,
		}, toFailed},
		DayOver: {toExpired},
	},
	Analyzing: {
		AnalysisReady: {{
			do: func(m *Table, e *Event) { m.Used.Analyze, m.Data.Comments = 0, e.Comments },
			to: PostingComments, act: Post,
		}},
		ActivityFailed: {{
			when: func(m *Table, e *Event) bool {
				return (e.Category == Timeout || e.Category == Silent) && m.Used.Analyze < 3
			},
			do: func(m *Table, _ *Event) { m.Used.Analyze++ },
			to: Analyzing, act: AnalyzeAgain,
		}, toFailed},
		DayOver: {toExpired},
	},
	PostingComments: {
		CommentsPosted: {{to: Summarizing, act: Summarize}},
		RateLimited: {{
			when: func(m *Table, e *Event) bool { return inRange(e) && m.Used.RateLimit < 5 },
			do: func(m *Table, e *Event) {
				m.Used.RateLimit++
				m.Data.Wait = e.RetryAfter
			},
			to: AwaitingRetry, act: Wait,
		}, {
			when: func(_ *Table, e *Event) bool { return inRange(e) },
			to:   Failed, act: TellFailed,
		}},
		ActivityFailed: {toFailed},
		DayOver:        {toExpired},
	},
	AwaitingRetry: {
		WaitOver: {{to: PostingComments, act: Post}},
		DayOver:  {toExpired},
	},
	Summarizing: {
		SummaryDone:    {{to: Completed}},
		ActivityFailed: {toFailed},
		DayOver:        {toExpired},
	},
}

func inRange(e *Event) bool { return e.RetryAfter >= 0 && e.RetryAfter <= maxWait }

// Handle takes one event and says what to do next.
func (m *Table) Handle(e *Event) (Action, error) {
	for i := range rules[m.State][e.Kind] {
		r := &rules[m.State][e.Kind][i]
		if r.when != nil && !r.when(m, e) {
			continue
		}
		if r.do != nil {
			r.do(m, e)
		}
		m.State = r.to
		return r.act, nil
	}
	return Nothing, &refusals[m.State][e.Kind]
}
