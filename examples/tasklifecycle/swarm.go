package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// config says how large the swarm is.
type config struct {
	agents, tasks int
	seed          uint64
	dir           string
	cold          bool
	calm          bool // nothing befalls agents, and hosts alone are in trouble
}

// swarm is everyone together, or those who live in this process.
type swarm struct {
	config
	ctx     context.Context // of everyone's lives
	stop    context.CancelCauseFunc
	clock   runtime.Clock
	noticed time.Duration // by when a dead agent must have been noticed
	store   runtime.Store
	hosts   [hosts]*host // nil for those of other processes
	lead    *lead

	agents   []*agent
	byName   map[string]*agent
	fates    []fate
	hopeless map[string]bool // tasks
	world    outside
	whole    *world         // nil where the world is another process
	work     sync.WaitGroup // of agents and people, zombies among them

	mu    sync.Mutex
	tally tally
}

// host is a machine on which agents live: an engine, with a link of its own.
type host struct {
	name   string
	link   *link // nil where nothing in this process cuts it
	engine *runtime.Engine
}

// run works until ctx is done. An engine gives up when the database fails for
// minutes; whoever looks after the host starts it again.
func (h *host) run(ctx context.Context) error {
	for {
		if err := h.engine.Run(ctx); !errors.Is(err, errCut) {
			return err
		}
	}
}

// How the engines live, in the time of the swarm. A task is leased to a host
// for three minutes, and the lease renewed every one.
const (
	hosts     = 4
	hostLease = 3 * time.Minute
	hostPoll  = 15 * time.Second
)

// newSwarm makes a swarm that has no hosts yet.
func newSwarm(ctx context.Context, c config, w outside, clock runtime.Clock) *swarm {
	s := &swarm{
		config: c, clock: clock, noticed: noticed, world: w, byName: map[string]*agent{},
		fates: c.fates(), hopeless: map[string]bool{}, tally: newTally(),
	}
	s.ctx, s.stop = context.WithCancelCause(ctx)
	s.lead = &lead{swarm: s}
	for _, f := range s.fates {
		s.hopeless[f.id] = f.hopeless
	}
	return s
}

// alone is a swarm with all hosts in this process, over store, whose time begins at start.
func alone(ctx context.Context, c config, store runtime.Store, start time.Time) (*swarm, *runtime.ManualClock, error) {
	clock, whole := runtime.NewManualClock(start), newWorld(c.fates())
	s := newSwarm(ctx, c, whole, clock)
	s.store, s.whole = store, whole
	for i := range hosts {
		l := &link{Store: store}
		h, err := s.add(i, l, 1, runtime.WithClock(clock))
		if err != nil {
			return nil, nil, err
		}
		h.link = l
	}
	s.lead.engine = s.hosts[0].engine
	s.populate()
	return s, clock, nil
}

// hostName is what the runtime calls the worker of a host.
func hostName(i int) string { return fmt.Sprintf("host-%d", i+1) }

// add adds the host of a number, whose clock is some times slower than that of the swarm.
func (s *swarm) add(i int, store runtime.Store, times time.Duration, opts ...runtime.Option) (*host, error) {
	h := &host{name: hostName(i)}
	h.engine = runtime.NewEngine(store, append(opts, runtime.WithWorker(h.name),
		runtime.WithLease(hostLease/times), runtime.WithPoll(hostPoll/times), runtime.WithConcurrency(s.config.tasks),
		runtime.WithOutbox(s.lead.deliver), runtime.WithObserver(observer{s}))...)
	s.hosts[i] = h
	return h, RegisterTaskLifecycle(h.engine, hosted{s, h})
}

// populate gives each host its agents.
func (s *swarm) populate() {
	r := rand.New(rand.NewPCG(s.seed, 1<<32))
	for i := range s.config.agents {
		a := &agent{swarm: s, name: fmt.Sprintf("agent-%03d", i+1), home: s.hosts[i%hosts]}
		if r.IntN(100) < 25 {
			a.skew = time.Duration(r.IntN(181)-90) * time.Second
		}
		s.agents = append(s.agents, a)
		s.byName[a.name] = a
	}
}

// live lets everyone live until all tasks have ended and the last zombie has
// come back.
func (s *swarm) live(clock *runtime.ManualClock, look func(minute int) error) error {
	pacing, still := context.WithCancel(context.WithoutCancel(s.ctx))
	var paced, engines sync.WaitGroup
	paced.Go(func() { pace(pacing, clock, s.store) })
	for _, h := range s.hosts {
		engines.Go(func() { s.failed(h.run(s.ctx)) })
	}
	s.work.Go(func() { s.failed(s.lead.start(s.ctx)) })
	s.work.Go(s.partition)
	err := s.untilOver(look, func() {})
	engines.Wait()
	s.work.Wait()
	still()
	paced.Wait()
	return err
}

// partition cuts the second host off for five minutes: longer than its leases
// last, so that others take over what its agents go on with.
func (s *swarm) partition() {
	if sleep(s.ctx, s.clock, 5*time.Minute) {
		return
	}
	s.whole.cut.Store(s.hosts[1].name)
	s.hosts[1].link.cut.Store(true)
	sleep(s.ctx, s.clock, 5*time.Minute)
	s.hosts[1].link.cut.Store(false)
	s.whole.cut.Store("")
}

// untilOver waits until no task is left, which it tells, and everyone is done; then it stops them.
func (s *swarm) untilOver(look func(minute int) error, noneLeft func()) error {
	err := s.untilDone(look)
	noneLeft()
	if err == nil {
		s.work.Wait()
		err = s.lead.engine.WaitDelivered(s.ctx)
	}
	if s.ctx.Err() != nil {
		err = context.Cause(s.ctx)
	}
	s.stop(err)
	return err
}

// untilDone looks around every ten seconds until no task is left.
func (s *swarm) untilDone(look func(minute int) error) error {
	watch := &watch{swarm: s, since: map[string]time.Time{}}
	for n := 0; ; n++ {
		if n%30 == 0 {
			if err := look(n / 6); err != nil {
				return err
			}
		}
		if err := watch.look(); err != nil {
			return err
		}
		left, err := s.store.Runs(s.ctx, runtime.RunFilter{Status: runtime.Running, Limit: 1})
		if err != nil {
			return err
		}
		if len(left) == 0 && n > 6 {
			return look(n / 6)
		}
		if sleep(s.ctx, s.clock, 10*time.Second) {
			return context.Cause(s.ctx)
		}
	}
}

// failed ends everything where something has gone wrong that is not part of it.
// That a task does not take something any more, or has ended, is.
func (s *swarm) failed(err error) {
	var rejected *runtime.Rejected
	if err != nil && !errors.As(err, &rejected) && !errors.Is(err, runtime.ErrFinished) {
		s.stop(err)
	}
}

// watch looks for tasks that are in progress by the record, and on which nobody
// is at work.
type watch struct {
	*swarm
	since map[string]time.Time
}

// noticed is by when a dead agent must have been noticed: `progress 5m`, the
// longer of the two signals; the lease of a host that is cut off and cannot say
// so; and a minute for what follows.
const noticed = 5*time.Minute + hostLease + time.Minute

func (w *watch) look() error {
	inProgress, err := w.store.Runs(w.ctx, runtime.RunFilter{State: string(TaskLifecycleStateInProgress), Limit: w.config.tasks})
	if err != nil {
		return err
	}
	now := w.clock.Now()
	since := map[string]time.Time{}
	for i := range inProgress {
		id := inProgress[i].Run
		if w.whole.tasks[id].attended() {
			continue
		}
		from, known := w.since[id]
		if !known {
			from = now
		}
		since[id] = from
		w.note(func(t *tally) { t.unattended(id, now.Sub(from), w.noticed) })
	}
	w.since = since
	return nil
}
