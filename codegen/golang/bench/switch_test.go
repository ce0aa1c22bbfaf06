package bench

// Switch is a review as one writes it by hand: a switch over the state, in it
// one over the event.
type Switch struct {
	State State
	Used  Used
	Data  Data
}

// Refused is the error of an event that cannot be taken. It is small, and made
// without allocating: a pointer into a table of all of them.
type Refused struct {
	State State
	Event Kind
}

func (r *Refused) Error() string {
	return "event " + r.Event.String() + " is refused in state " + r.State.String()
}

var refusals = func() (table [Failed + 1][DayOver + 1]Refused) {
	for s := range table {
		for k := range table[s] {
			table[s][k] = Refused{State(s), Kind(k)}
		}
	}
	return table
}()

// Handle takes one event and says what to do next.
func (m *Switch) Handle(e *Event) (Action, error) {
	switch m.State {
	case Idle:
		switch e.Kind {
		case StartReview:
			m.State = FetchingDiff
			return Fetch, nil
		case DayOver:
			m.State = Expired
			return Nothing, nil
		}
	case FetchingDiff:
		switch e.Kind {
		case DiffLoaded:
			m.Used.Fetch = 0
			m.Data.Diff, m.Data.HasDiff = e.Diff, true
			m.State = Analyzing
			return Analyze, nil
		case ActivityFailed:
			if (e.Category == Transient || e.Category == Timeout) && m.Used.Fetch < 3 {
				m.Used.Fetch++
				return FetchAgain, nil
			}
			m.Used.Fetch = 0
			m.State = Failed
			return TellFailed, nil
		case DayOver:
			m.Used.Fetch = 0
			m.State = Expired
			return Nothing, nil
		}
	case Analyzing:
		switch e.Kind {
		case AnalysisReady:
			m.Used.Analyze = 0
			m.Data.Comments = e.Comments
			m.State = PostingComments
			return Post, nil
		case ActivityFailed:
			if (e.Category == Timeout || e.Category == Silent) && m.Used.Analyze < 3 {
				m.Used.Analyze++
				return AnalyzeAgain, nil
			}
			m.Used.Analyze = 0
			m.State = Failed
			return TellFailed, nil
		case DayOver:
			m.Used.Analyze = 0
			m.State = Expired
			return Nothing, nil
		}
	case PostingComments:
		switch e.Kind {
		case CommentsPosted:
			m.State = Summarizing
			return Summarize, nil
		case RateLimited:
			if e.RetryAfter < 0 || e.RetryAfter > maxWait {
				break
			}
			if m.Used.RateLimit < 5 {
				m.Used.RateLimit++
				m.Data.Wait = e.RetryAfter
				m.State = AwaitingRetry
				return Wait, nil
			}
			m.State = Failed
			return TellFailed, nil
		case ActivityFailed:
			m.State = Failed
			return TellFailed, nil
		case DayOver:
			m.State = Expired
			return Nothing, nil
		}
	case AwaitingRetry:
		switch e.Kind {
		case WaitOver:
			m.State = PostingComments
			return Post, nil
		case DayOver:
			m.State = Expired
			return Nothing, nil
		}
	case Summarizing:
		switch e.Kind {
		case SummaryDone:
			m.State = Completed
			return Nothing, nil
		case ActivityFailed:
			m.State = Failed
			return TellFailed, nil
		case DayOver:
			m.State = Expired
			return Nothing, nil
		}
	}
	return Nothing, &refusals[m.State][e.Kind]
}
