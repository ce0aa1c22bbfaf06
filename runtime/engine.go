package runtime

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Engine runs machines over a Store. Any number of engines, in one process or
// several, may share the runs of one store: each step is judged against the
// run as it is, and each activity is leased to one worker at a time.
//
// Start, Send, Cancel and the methods that look at runs may be called at any
// time and concurrently. Activities and timers are worked on only while Run,
// RunUntilIdle or RunUntilDone is under way.
//
// Every step goes through one function, commit, which writes snapshot, history, tasks,
// timers and messages together. What leads to it is apply, which loads the run and takes
// an input and all that follows from it at once, or a repair, or a migration.
type Engine struct {
	store    Store
	clock    Clock // that of the store, where it has one: what is written has its times
	own      Clock // by which this process waits and measures
	logger   *slog.Logger
	observer Observer
	outbox   OutboxFunc                        // nil where messages are left for another engine
	find     func(*Machine) Handlers           // nil where only registered versions have functions
	standIns func(machine string) ActivityFunc // nil for none
	worker   string

	concurrency int
	lease       time.Duration
	poll        time.Duration
	grace       time.Duration
	stopping    time.Duration
	lostLimit   int
	guardLimit  time.Duration
	patience    time.Duration
	storeLimit  time.Duration
	maxPayload  int
	shared      bool // other hosts reach the store, and this one may not

	hosts   hosts
	runs    liveRuns
	active  activeAttempts
	changes changes
	lately  lately

	trees atomic.Int64 // counts what may leave a child, or end one

	unfirable sync.Map // IDs of runs whose timers it has just failed to fire
}

// NewEngine gives an engine over store. The store stays the caller's, to be
// closed after the engine's last call has returned.
func NewEngine(store Store, opts ...Option) *Engine {
	e := &Engine{
		logger:      slog.New(slog.DiscardHandler),
		observer:    silent{},
		worker:      workerName(),
		concurrency: 16,
		lease:       30 * time.Second,
		poll:        500 * time.Millisecond,
		grace:       10 * time.Second,
		stopping:    15 * time.Second,
		lostLimit:   5,
		guardLimit:  10 * time.Second,
		storeLimit:  30 * time.Second,
		patience:    3 * time.Minute,
		maxPayload:  MaxPayload,
	}
	for _, opt := range opts {
		opt(e)
	}
	e.live(store)
	if e.observer != (silent{}) {
		e.observer = safeObserver{e.observer, e.logger}
	}
	return e
}

// live has the engine live by its clock: the one that it was given, or that of the store, or
// the system's. What it waits for and measures itself does not follow that of the store, which
// may jump.
func (e *Engine) live(s Store) {
	if w, ok := s.(store.Watcher); ok {
		e.changes.hints = &hints{watcher: w, changes: &e.changes}
	}
	c, shared := s.(store.Clocked)
	e.shared, e.own = shared, e.clock
	if e.own == nil {
		e.own = SystemClock()
	}
	switch {
	case e.clock != nil:
	case shared:
		e.clock, s = c.Clock()
	default:
		e.clock = e.own
	}
	e.store = &limited{Store: s, limit: e.storeLimit, logger: e.logger}
}

// Option sets something of an Engine; see the With functions.
type Option func(*Engine)

// WithClock lets the engine live by clock, instead of that of the store, if it has one, or
// the system's.
func WithClock(clock Clock) Option { return func(e *Engine) { e.clock = clock } }

// WithLogger lets the engine say what an operator should know: machines it
// cannot run, workers that were lost, activities that do not stop. Without it
// the engine is silent.
func WithLogger(logger *slog.Logger) Option {
	return func(e *Engine) { e.logger = slog.New(safeHandler{logger.Handler()}) }
}

// WithObserver tells o of every step and attempt of this engine. Several are told one
// after the other.
func WithObserver(o Observer) Option {
	return func(e *Engine) {
		if e.observer != (silent{}) {
			o = observers{e.observer, o}
		}
		e.observer = o
	}
}

// WithHandlers lets the engine work on versions of machines that it meets in the
// store: find gives the functions that there are for one, which may be some of them or
// none. What is missing is left to other engines, and asked for again each second while
// Run is under way, as is what is there: it may be gone. Where a guard is missing the
// engine leaves all activities of the version alone, since the step after one may need
// it. Find must not call the engine, and answers as soon as a guard does: see
// WithGuardLimit. A version that was registered is not asked about.
func WithHandlers(find func(*Machine) Handlers) Option { return func(e *Engine) { e.find = find } }

// WithWorker sets the name under which tasks are held, for operators to read;
// host name, process id and a random number unless said. It decides nothing.
func WithWorker(name string) Option { return func(e *Engine) { e.worker = name } }

// WithConcurrency sets how many activities run at once; 16 unless said. The
// engine never claims more than it can run.
func WithConcurrency(n int) Option { return func(e *Engine) { e.concurrency = max(n, 1) } }

// WithLease sets for how long a task is leased; 30 s unless said. It is renewed
// every third of that. After a crash a task is handed out again when its lease
// has run out.
func WithLease(d time.Duration) Option {
	return func(e *Engine) { e.lease = max(d, 3*time.Millisecond) }
}

// WithPoll sets how often the engine looks for what other processes have left
// to do; 500 ms unless said. What happens in its own process it knows at once.
func WithPoll(d time.Duration) Option { return func(e *Engine) { e.poll = max(d, time.Millisecond) } }

// WithGrace sets for how long, when the engine is stopped, activities may go on
// before they are cancelled and released; 10 s unless said.
func WithGrace(d time.Duration) Option { return func(e *Engine) { e.grace = d } }

// WithStopping sets for how long the engine waits for an activity whose context
// it has cancelled; 15 s unless said. One that has not returned by then is left
// to itself: its lease is not renewed any more.
func WithStopping(d time.Duration) Option { return func(e *Engine) { e.stopping = d } }

// WithLostLimit sets how often a task is handed out again because its worker
// was lost, before it fails as `unknown`; 5 unless said. A call of a machine has no such limit.
func WithLostLimit(n int) Option { return func(e *Engine) { e.lostLimit = n } }

// WithGuardLimit sets for how long a host guard may think; 10 s unless said. One that
// has not answered by then has failed. Its context is done, and a function that goes
// on all the same is left to itself.
func WithGuardLimit(d time.Duration) Option { return func(e *Engine) { e.guardLimit = d } }

// WithStoreLimit sets for how long one call of the store may last; 30 s unless said. A
// call whose own context has no end, such as context.Background, also ends by then where
// it waits behind another one; where it is the one that writes it waits as long as the
// disk does.
func WithStoreLimit(d time.Duration) Option { return func(e *Engine) { e.storeLimit = d } }

// WithPatience sets for how long a worker whose store fails, again and again, goes on before
// it gives up; three minutes unless said. A store that says of its failure that it passes
// (ErrUnavailable) is waited for without an end.
func WithPatience(d time.Duration) Option { return func(e *Engine) { e.patience = d } }

// WithMaxPayload sets how many bytes the JSON of an event, of parameters or of
// a checkpoint may have, up to MaxPayload, which it is unless said.
func WithMaxPayload(bytes int) Option {
	return func(e *Engine) { e.maxPayload = min(bytes, MaxPayload) }
}

// now is the engine's time, as stores keep it.
func (e *Engine) now() time.Time { return e.clock.Now().UTC().Truncate(time.Microsecond) }

// sleep waits for d, or until ctx is done.
func (e *Engine) sleep(ctx context.Context, d time.Duration) error {
	return wait(ctx, e.own, d, nil)
}

func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return host + "/" + strconv.Itoa(os.Getpid()) + "/" + randomHex(3)
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
