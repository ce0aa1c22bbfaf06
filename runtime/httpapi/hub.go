package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// hub follows the steps of all runs for as long as someone listens: one goroutine looks ten
// times a second whether there are more, whoever listens and however many. The last steps stand
// in one list that all subscriptions read, so that a slow one holds nothing up. Where nobody wants each
// step, and there are too many for a look, they are not read: all have missed them.
type hub struct {
	engine *runtime.Engine

	mu       sync.Mutex
	closed   bool
	readers  int
	whole    int                // how many of these want each step
	stop     context.CancelFunc // of the goroutine; nil where none runs
	ended    chan struct{}      // closed when it has returned
	position int64              // of the last step that is known
	steps    []feedStep         // the last ones, in order; never changed but by appending
	first    int64              // the position in front of steps
	news     chan struct{}      // closed when there is more
}

// feedStep is one line of the feed.
type feedStep struct {
	runtime.FeedRow
	Text func() []byte // its JSON, made when it is first asked for
}

// errMissed is given to who has missed more steps than are kept: it should look again at what it
// shows, and goes on with what comes then.
var errMissed = errors.New("too many steps were missed")

// errBye is given to who listens when the hub is closed.
var errBye = errors.New("the server is about to stop")

const (
	lookEvery     = 100 * time.Millisecond
	mostKeptSteps = 5000 // that a reader may be behind
	feedPage      = 1000
	mostPaced     = 100 // that one look reads where nobody wants each step
)

func newHub(engine *runtime.Engine) *hub {
	return &hub{engine: engine, news: make(chan struct{})}
}

// subscription is one who listens. It must be closed, once.
type subscription struct {
	hub      *hub
	paced    bool // it is told of the last steps, and that it has missed others
	position int64
	backlog  []feedStep
	behind   int64 // where it was to begin
	missed   bool
}

// fromNow subscribes to what happens from now on.
const fromNow int64 = -1

// Subscribe begins to listen behind a position, or fromNow. Who is paced does without the steps of a look
// in which there are many.
func (h *hub) Subscribe(ctx context.Context, after int64, paced bool) (*subscription, error) {
	if err := h.enter(ctx, paced); err != nil {
		return nil, err
	}
	h.mu.Lock()
	s := &subscription{hub: h, paced: paced, position: h.position, behind: after}
	kept := after >= h.first
	h.mu.Unlock()
	switch {
	case after == fromNow:
	case after > s.position: // of another database, or of a copy
		s.missed = true
	case kept:
		s.position = after
	case paced && s.position-after > mostPaced:
		s.missed = true
	default:
		if err := s.catchUp(ctx, after); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// catchUp reads the steps behind a position that the hub has not read itself.
func (s *subscription) catchUp(ctx context.Context, after int64) error {
	rows, err := s.hub.engine.Feed(ctx, after, mostKeptSteps+1)
	if err != nil {
		return err
	}
	for i := range rows {
		if rows[i].ID <= s.position {
			s.backlog = append(s.backlog, stepOf(rows[i]))
		}
	}
	if len(s.backlog) > mostKeptSteps {
		s.backlog, s.missed = nil, true
	}
	return nil
}

func stepOf(row runtime.FeedRow) feedStep {
	row.Record = nil // which may be large, and is not shown
	return feedStep{row, sync.OnceValue(func() []byte {
		text, _ := json.Marshal(row)
		return text
	})}
}

// enter counts a reader, and starts the goroutine for the first.
func (h *hub) enter(ctx context.Context, paced bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errBye
	}
	if h.readers == 0 {
		end, err := h.engine.FeedEnd(ctx)
		if err != nil {
			return err
		}
		looking, stop := context.WithCancel(context.Background())
		h.position, h.first, h.steps, h.stop, h.ended = end, end, nil, stop, make(chan struct{})
		go h.follow(looking, h.ended)
	}
	h.readers++
	if !paced {
		h.whole++
	}
	return nil
}

// Close ends a subscription.
func (s *subscription) Close() {
	h := s.hub
	h.mu.Lock()
	var ended chan struct{}
	if !s.paced {
		h.whole--
	}
	if h.readers--; h.readers == 0 && h.stop != nil {
		h.stop()
		h.stop, ended = nil, h.ended
	}
	h.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// Next waits for steps behind those that it gave before, and gives them, oldest first. The error is
// errMissed, errBye, or that of ctx.
func (s *subscription) Next(ctx context.Context) ([]feedStep, error) {
	if s.missed {
		s.missed = false
		return nil, errMissed
	}
	if backlog := s.backlog; len(backlog) > 0 {
		s.backlog = nil
		return backlog, nil
	}
	for {
		steps, news, err := s.look()
		if len(steps) > 0 || err != nil {
			return steps, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-news:
		}
	}
}

// Position is that of the last step that Next has given, or begins behind.
func (s *subscription) Position() int64 {
	if len(s.backlog) > 0 || s.missed {
		return s.behind
	}
	return s.position
}

func (s *subscription) look() ([]feedStep, <-chan struct{}, error) {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	at := len(h.steps)
	for at > 0 && h.steps[at-1].ID > s.position {
		at--
	}
	if s.position < h.first || len(h.steps)-at > mostKeptSteps {
		s.position = h.position
		return nil, nil, errMissed
	}
	if at < len(h.steps) {
		s.position = h.position
		return h.steps[at:len(h.steps):len(h.steps)], nil, nil
	}
	if h.closed {
		return nil, nil, errBye
	}
	return nil, h.news, nil
}

// follow reads what is new until ctx is done. A store that does not answer is asked again.
func (h *hub) follow(ctx context.Context, ended chan struct{}) {
	defer close(ended)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last, asked := int64(0), false
	for {
		if now, err := h.engine.Changed(ctx); err == nil && (!asked || now != last) {
			if h.read(ctx) {
				last, asked = now, true
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// read takes in all that is new, and reports whether it has.
func (h *hub) read(ctx context.Context) bool {
	for {
		h.mu.Lock()
		after, page := h.position, feedPage
		if h.whole == 0 {
			page = mostPaced
		}
		h.mu.Unlock()
		rows, err := h.engine.Feed(ctx, after, page)
		if err != nil || ctx.Err() != nil {
			return false
		}
		switch {
		case len(rows) == 0:
			return true
		case len(rows) < page:
			h.add(rows)
			return true
		case page == mostPaced:
			if end, err := h.engine.FeedEnd(ctx); err != nil || h.skip(end) {
				return err == nil
			}
		default:
			h.add(rows)
		}
	}
}

// skip goes to the end of the feed, unless someone wants each step by now, and reports whether it has.
func (h *hub) skip(end int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.whole > 0 {
		return false
	}
	h.first, h.steps = end, nil
	h.moved(end)
	return true
}

// add tells all of steps.
func (h *hub) add(rows []runtime.FeedRow) {
	steps := make([]feedStep, len(rows))
	for i := range rows {
		steps[i] = stepOf(rows[i])
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps = append(h.steps, steps...)
	if over := len(h.steps) - mostKeptSteps; over > feedPage {
		h.first = h.steps[over-1].ID
		h.steps = append([]feedStep(nil), h.steps[over:]...) // others read the old list
	}
	h.moved(h.steps[len(h.steps)-1].ID)
}

// moved wakes all who listen. The caller holds mu.
func (h *hub) moved(position int64) {
	h.position = position
	close(h.news)
	h.news = make(chan struct{})
}

// Close says goodbye to all who listen. Who subscribes then is told so at once.
func (h *hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.closed = true
		h.moved(h.position)
	}
}
