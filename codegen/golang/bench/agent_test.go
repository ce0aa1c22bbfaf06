package bench

import "time"

// State is where a review stands.
type State uint8

const (
	Idle State = iota
	FetchingDiff
	Analyzing
	PostingComments
	AwaitingRetry
	Summarizing
	Completed
	Expired
	Failed
)

var stateNames = [...]string{
	"Idle", "FetchingDiff", "Analyzing", "PostingComments", "AwaitingRetry", "Summarizing", "Completed", "Expired", "Failed",
}

func (s State) String() string { return stateNames[s] }

// Kind says what an event is.
type Kind uint8

const (
	StartReview Kind = iota
	DiffLoaded
	AnalysisReady
	CommentsPosted
	RateLimited
	SummaryDone
	ActivityFailed
	WaitOver
	DayOver
)

var kindNames = [...]string{
	"StartReview", "DiffLoaded", "AnalysisReady", "CommentsPosted", "RateLimited", "SummaryDone", "ActivityFailed", "WaitOver", "DayOver",
}

func (k Kind) String() string { return kindNames[k] }

// Category is why an activity failed.
type Category uint8

const (
	Unknown Category = iota
	Transient
	Timeout
	Silent
)

// Event is something that happens to a review, with what it carries.
type Event struct {
	Kind       Kind
	Category   Category      // of ActivityFailed
	Diff       string        // of DiffLoaded
	Comments   int64         // of AnalysisReady
	RetryAfter time.Duration // of RateLimited
}

// Action is what the program has to do next.
type Action uint8

const (
	Nothing Action = iota
	Fetch
	FetchAgain
	Analyze
	AnalyzeAgain
	Post
	Wait
	Summarize
	TellFailed
)

// Data is what a review has found out so far.
type Data struct {
	PR       string
	Diff     string
	HasDiff  bool
	Comments int64
	Wait     time.Duration
}

// Used is how often each bound has been used.
type Used struct {
	Fetch, Analyze, RateLimit uint8
}

const maxWait = 15 * time.Minute

// script is one run of 12 events: every guarded retry is taken, and the run
// reaches Completed.
var script = []Event{
	{Kind: StartReview},
	{Kind: ActivityFailed, Category: Transient},
	{Kind: ActivityFailed, Category: Timeout},
	{Kind: DiffLoaded, Diff: "+a line"},
	{Kind: ActivityFailed, Category: Timeout},
	{Kind: AnalysisReady, Comments: 3},
	{Kind: RateLimited, RetryAfter: 30 * time.Second},
	{Kind: WaitOver},
	{Kind: RateLimited, RetryAfter: time.Minute},
	{Kind: WaitOver},
	{Kind: CommentsPosted},
	{Kind: SummaryDone},
}

// refused is an event that no state but Summarizing takes.
var refused = Event{Kind: SummaryDone}
