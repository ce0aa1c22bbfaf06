//go:build unix && cgo

package reliability

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// station is one process at one database: its engine, and the ledger beside.
type station struct {
	*runtime.Engine
	work  *work
	store runtime.Store
	world *world
}

// work is what the processes at one database do.
type work struct {
	model    func() *model
	handlers func(*world) runtime.Handlers
	runs     int                                                     // that a round starts
	start    func(s *station, ctx context.Context, run string) error // starts one, and disturbs it and others for a while
	accept   string                                                  // the state in which runs wait for someone
}

var (
	orders   = &work{model: order, handlers: (*world).handlers, runs: 150, start: (*station).order, accept: "Offered"}
	convoys  = &work{model: convoy, handlers: (*world).weighers, runs: 24, start: (*station).convoy}
	auctions = &work{model: auction, handlers: func(*world) runtime.Handlers { return runtime.Handlers{} }}
	parcels  = &work{model: parcel, handlers: carriers}
)

// openStation opens the database of dir for orders.
func openStation(dir, worker string, trouble float64, opts ...runtime.Option) (*station, error) {
	return orders.open(dir, worker, trouble, opts...)
}

// open opens the database of dir. Everything about it is impatient, so that much
// happens in little time.
func (w *work) open(dir, worker string, trouble float64, opts ...runtime.Option) (*station, error) {
	l, err := openLedger(ledgerIn(dir))
	if err != nil {
		return nil, err
	}
	l.worker = worker
	db, err := openIn(dir)
	if err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	s := &station{work: w, store: db, world: &world{ledger: l, trouble: trouble}}
	opts = append([]runtime.Option{
		runtime.WithWorker(worker), runtime.WithLease(300 * time.Millisecond), runtime.WithPoll(10 * time.Millisecond),
		runtime.WithGrace(0), runtime.WithOutbox(s.world.deliver),
	}, opts...)
	if os.Getenv("FSMC_VERBOSE") != "" {
		opts = append(opts, runtime.WithLogger(slog.New(slog.NewTextHandler(os.Stderr, nil))))
	}
	s.Engine = runtime.NewEngine(witnessed(&witness{Store: db, ledger: l, worker: worker}), opts...)
	if err := s.register(w.model(), w.handlers(s.world)); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// register registers a machine behind those that it calls, each with the handlers of its own.
func (s *station) register(m *model, all runtime.Handlers) error {
	own := all
	if m.callee != nil {
		if err := s.register(m.callee, all); err != nil {
			return err
		}
	}
	own.Activities = map[string]runtime.ActivityFunc{}
	for _, a := range m.Definition().Activities {
		if h, ok := all.Activities[a.Name]; ok && a.Callee == "" {
			own.Activities[a.Name] = h
		}
	}
	return s.Register(m.Machine, m.source, own)
}

func (s *station) close() error { return errors.Join(s.store.Close(), s.world.ledger.file.Close()) }

// serve works until ctx is done.
func (s *station) serve(ctx context.Context) func() error {
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return func() error { return <-done }
}

// The work that one process does: runs are started, and several goroutines
// send events to all that have not ended, with ids of which some come twice, and
// pause, resume, retry, complete by hand and cancel now and then.
const senders = 4

func (s *station) trade(ctx context.Context, name string, runs int) error {
	if err := s.resumeAll(ctx); err != nil {
		return err
	}
	var all sync.WaitGroup
	failed := make(chan error, senders)
	for i := range senders {
		all.Go(func() {
			for n := range runs / senders {
				run := fmt.Sprintf("%s-%d-%d", name, i, n)
				if err := s.work.start(s, ctx, run); err != nil {
					failed <- fmt.Errorf("run %q: %w", run, err)
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

// order starts one and sends to it, and to others, for a while.
func (s *station) order(ctx context.Context, run string) error {
	if _, err := s.Start(ctx, "Order", run, fmt.Appendf(nil, `{"size": %d}`, 1+rand.IntN(4))); err != nil {
		return err
	}
	s.world.ledger.note(started, run)
	for k := range 8 {
		rows, err := s.List(ctx, runtime.RunFilter{Status: runtime.Running, Limit: 12})
		if err != nil {
			return err
		}
		to := run
		if len(rows) > 0 && k > 1 {
			to = rows[rand.IntN(len(rows))].Run
		}
		if err := s.disturb(ctx, to, fmt.Sprintf("%s-%d", run, k)); err != nil {
			return err
		}
	}
	return nil
}

// disturb does one thing to a run from outside. That the run does not take it
// is nothing wrong.
func (s *station) disturb(ctx context.Context, run, id string) error {
	who := runtime.Operator{Actor: "test"}
	var err error
	switch p := rand.IntN(100); {
	case p < 2:
		short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
		_, err = s.Cancel(short, run, runtime.CancelOptions{Force: p < 1})
		if stop(); errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
	case p < 5:
		_, err = s.Pause(ctx, run, who)
	case p < 8:
		err = s.resumeAll(ctx)
	case p < 11:
		_, err = s.Retry(ctx, run, who)
	case p < 13:
		err = s.tryAgain(ctx, who)
	case p < 18:
		err = s.completeByHand(ctx, run, who)
	case p < 60:
		err = s.send(ctx, run, "Accept", id, nil)
	case p < 85:
		err = s.send(ctx, run, "Note", id, []byte(`{"text": "please"}`))
	default:
		err = s.send(ctx, run, "Hurry", id, nil)
	}
	if isRefusal(err) {
		return nil
	}
	return err
}

// send sends an event, twice where it is accepted and chance will have it.
func (s *station) send(ctx context.Context, run, event, id string, data []byte) error {
	s.world.ledger.note(sent, run, id)
	first, err := s.Send(ctx, run, runtime.ExternalEvent{Name: event, ID: id, Data: data})
	if err != nil {
		return err
	}
	s.world.ledger.note(accepted, run, id)
	if rand.IntN(4) > 0 {
		return nil
	}
	second, err := s.Send(ctx, run, runtime.ExternalEvent{Name: event, ID: id, Data: data})
	if err == nil && second.Seq != first.Seq {
		err = fmt.Errorf("event %q was answered with %d, and then with %d", id, first.Seq, second.Seq)
	}
	return err
}

// tryAgain goes on with a run that has failed.
func (s *station) tryAgain(ctx context.Context, who runtime.Operator) error {
	rows, err := s.List(ctx, runtime.RunFilter{Outcome: runtime.Failed, Limit: 4})
	if err != nil || len(rows) == 0 {
		return err
	}
	_, err = s.Retry(ctx, rows[rand.IntN(len(rows))].Run, who)
	return err
}

// completeByHand does what an activity of the run's state does.
func (s *station) completeByHand(ctx context.Context, run string, who runtime.Operator) error {
	view, err := s.Get(ctx, run)
	if err != nil {
		return err
	}
	c, ok := completions[view.State]
	if !ok {
		return nil
	}
	c.Operator = who
	_, err = s.Complete(ctx, run, c)
	return err
}

// completions are by the state of an order.
var completions = map[string]runtime.Completion{
	"Quoting":             {Activity: "quote", Event: "Quoted", Data: []byte(`{"price": 5, "parts": [1, 2]}`)},
	"Fulfilling.Charging": {Activity: "charge", Event: "Charged"},
	"Fulfilling.Packing":  {Activity: "l[0]"},
	"Fulfilling.Shipping": {Activity: "ship", Event: "Shipped"},
	"Refunding":           {Activity: "refund", Event: "Returned"},
}

func isRefusal(err error) bool {
	var refused *runtime.Rejected
	return errors.As(err, &refused)
}

func (s *station) resumeAll(ctx context.Context) error {
	rows, err := s.List(ctx, runtime.RunFilter{Status: runtime.Running, Paused: true})
	if err != nil {
		return err
	}
	for i := range rows {
		if _, err := s.Resume(ctx, rows[i].Run, runtime.Operator{Actor: "test"}); err != nil && !isRefusal(err) {
			return err
		}
	}
	return nil
}

// finish brings every run to its end, undisturbed, and delivers all messages.
func (s *station) finish(ctx context.Context) error {
	working, stop := context.WithCancel(ctx)
	wait := s.serve(working)
	err := s.finishRuns(ctx)
	if err == nil {
		err = s.WaitDelivered(ctx)
	}
	stop()
	return errors.Join(err, wait())
}

// unfinished are the statuses of runs that should go on by themselves.
var unfinished = []runtime.Status{runtime.Running, machine.Ending}

func (s *station) finishRuns(ctx context.Context) error {
	if err := s.resumeAll(ctx); err != nil {
		return err
	}
	for {
		var rows []runtime.RunRow
		for _, status := range unfinished {
			some, err := s.List(ctx, runtime.RunFilter{Status: status})
			if err != nil {
				return err
			}
			rows = append(rows, some...)
		}
		if len(rows) == 0 {
			return nil
		}
		for i := range rows {
			if rows[i].State != s.work.accept {
				continue
			}
			if _, err := s.Send(ctx, rows[i].Run, runtime.ExternalEvent{Name: "Accept"}); err != nil && !isRefusal(err) {
				return err
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
}
