package runtime

import (
	"cmp"
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
		grace:       10 * time.Second,
		stopping:    15 * time.Second,
		lostLimit:   5,
		guardLimit:  10 * time.Second,
		storeLimit:  30 * time.Second,
		patience:    3 * time.Minute,
		maxPayload:  MaxPayload,
		hosts:       hosts{byHash: map[string]*host{}, current: map[string]*host{}},
		runs:        liveRuns{runs: map[string]*liveRun{}},
		active:      activeAttempts{byID: map[attemptID]*running{}},
		changes:     changes{waiting: map[string]map[chan struct{}]struct{}{}},
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
	poll := 500 * time.Millisecond
	if w, ok := s.(store.Watcher); ok {
		e.changes.hints = &hints{watcher: w, changes: &e.changes}
		poll = time.Second
	}
	e.poll = cmp.Or(e.poll, poll)
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

// WithClock gives the engine a clock. Otherwise it uses the clock of the store, or else that of
// the system.
func WithClock(clock Clock) Option { return func(e *Engine) { e.clock = clock } }

// WithLogger lets the engine log what an operator should know: machines that it cannot run,
// workers that were lost, activities that do not stop. Without it, the engine is silent.
func WithLogger(logger *slog.Logger) Option {
	return func(e *Engine) { e.logger = slog.New(safeHandler{logger.Handler()}) }
}

// WithObserver tells o of every step and attempt of this engine. Several observers are told one
// after the other.
func WithObserver(o Observer) Option {
	return func(e *Engine) {
		if e.observer != (silent{}) {
			o = observers{e.observer, o}
		}
		e.observer = o
	}
}

// WithHandlers lets the engine work on versions of machines that it finds in the store. Find
// gives the functions that there are for a version: all, some or none. Other engines do what is
// missing. While Run works, find is asked again each second, because functions can come and go.
// If a guard is missing, the engine runs no activity of the version, because the step after an
// activity may need the guard. Find must not call the engine, and must answer as soon as a guard
// does: see WithGuardLimit. It is not asked about a version that was registered.
func WithHandlers(find func(*Machine) Handlers) Option { return func(e *Engine) { e.find = find } }

// WithWorker sets the name of the worker, for operators to read; the default is the host name,
// the process id and a random number. It decides nothing.
func WithWorker(name string) Option { return func(e *Engine) { e.worker = name } }

// WithConcurrency sets how many activities run at once; the default is 16. The engine never
// claims more than it can run.
func WithConcurrency(n int) Option { return func(e *Engine) { e.concurrency = max(n, 1) } }

// WithLease sets for how long a claim is valid; the default is 30 s. It is renewed after each
// third of that time. After a crash, another worker can claim the task when the lease has run
// out.
func WithLease(d time.Duration) Option {
	return func(e *Engine) { e.lease = max(d, 3*time.Millisecond) }
}

// WithPoll sets how often the engine looks for work that other processes have left; the default
// is 500 ms, and a second with a store that gives hints, as PostgreSQL does. It knows at once
// what happens in its own process.
func WithPoll(d time.Duration) Option { return func(e *Engine) { e.poll = max(d, time.Millisecond) } }

// WithGrace sets for how long activities may go on when the engine is stopped; the default is 10
// s. Then they are cancelled and released.
func WithGrace(d time.Duration) Option { return func(e *Engine) { e.grace = d } }

// WithStopping sets for how long the engine waits for an activity whose context it has cancelled;
// the default is 15 s. Then it waits no longer, and does not renew the lease any more.
func WithStopping(d time.Duration) Option { return func(e *Engine) { e.stopping = d } }

// WithLostLimit sets how often a task whose worker was lost can be claimed again; the default is
// 5. Then it fails as `unknown`. A call of a machine has no such limit.
func WithLostLimit(n int) Option { return func(e *Engine) { e.lostLimit = n } }

// WithGuardLimit sets how long a host guard may take; the default is 10 s. A guard that has not
// answered by then has failed. Its context is done, and if the function goes on, the engine does
// not wait for it.
func WithGuardLimit(d time.Duration) Option { return func(e *Engine) { e.guardLimit = d } }

// WithStoreLimit sets how long one call of the store may last; the default is 30 s. If the
// context of a call has no end, such as context.Background, the limit holds while the call waits
// behind another one; if it is this call that writes, it waits for as long as the disk does.
func WithStoreLimit(d time.Duration) Option { return func(e *Engine) { e.storeLimit = d } }

// WithPatience sets for how long a worker goes on while its store fails again and again; the
// default is three minutes. A failure that passes (ErrUnavailable) is waited for without a limit.
func WithPatience(d time.Duration) Option { return func(e *Engine) { e.patience = d } }

// WithMaxPayload sets how many bytes the JSON of an event, of parameters or of a checkpoint may
// have. MaxPayload is the default and the most.
func WithMaxPayload(bytes int) Option {
	return func(e *Engine) { e.maxPayload = min(bytes, MaxPayload) }
}

// now is the engine's time, as stores keep it.
func (e *Engine) now() time.Time { return e.clock.Now().UTC().Truncate(time.Microsecond) }

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
