package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// serverClock is the clock of the database: the host's monotonic clock, set by that of the
// server with every look. It is off by half a round trip at most, and by what the host sleeps
// until the next look.
type serverClock struct {
	at   atomic.Pointer[reading]
	host func() time.Time // nil for that of the host
}

// reading is a time of the server and when it was that, here.
type reading struct{ server, host time.Time }

func (c *serverClock) Now() time.Time {
	at := c.at.Load()
	if at == nil { // nobody has asked the server
		return c.here()
	}
	return at.server.Add(c.here().Sub(at.host))
}

// here is the time of the host.
func (c *serverClock) here() time.Time {
	if c.host == nil {
		return time.Now()
	}
	return c.host()
}

func (c *serverClock) NewTimer(due time.Time) store.ClockTimer {
	return store.SystemClock().NewTimer(time.Now().Add(due.Sub(c.Now())))
}

// set sets the clock by what the server has answered to a question that was asked then.
func (c *serverClock) set(server, asked time.Time) {
	now := c.here()
	c.at.Store(&reading{server.UTC(), now.Add(asked.Sub(now) / 2)})
}

// What hangs on a time is not done where that is more than a second off. It is an error by
// which the server takes back all of the transaction, so that it costs no round trip.
const (
	onTime    = `1 / (abs(extract(epoch FROM statement_timestamp() - %s :: timestamptz)) <= 1) :: int`
	beginTime = `; SELECT ` + onTime

	selectTime = `SELECT clock_timestamp()`
)

// errOff says that nothing was done because the time was off.
var errOff = errors.New("the clock of this host is off")

// heldTo is in the context of what is done only if a time is that of the server.
type heldTo struct{ now time.Time }

type heldToKey struct{}

// held is the time to which a call is held, if it is.
func held(ctx context.Context) (time.Time, bool) {
	h, ok := ctx.Value(heldToKey{}).(heldTo)
	return h.now, ok
}

// beginAt is what comes behind the BEGIN of a transaction that is held to a time.
func beginAt(now time.Time) string {
	return fmt.Sprintf(beginTime, "'"+now.UTC().Format("2006-01-02 15:04:05.999999Z07:00")+"'")
}

// askTime queues the question for the time, ahead of what is held to one.
func (t *tx) askTime(ctx context.Context, into *[]time.Time) {
	now, ok := held(ctx)
	if !ok {
		return
	}
	ask(t, into, sqlrow.One[time.Time], `SELECT clock_timestamp() WHERE `+fmt.Sprintf(onTime, "$1")+` = 1`, now)
}

// offOr is errOff for the error of what was held to a time that was off.
func offOr(err error) error {
	if code(err) == "22012" { // division by zero
		return errOff
	}
	return err
}

// timed is a Store for those who live by its clock.
type timed struct{ *Store }

func (s *Store) Clock() (store.Clock, store.Store) {
	if s.within != nil { // a transaction of the program, on a store that has asked
		return &s.within.store.clock, &timed{s}
	}
	return &s.clock, &timed{s}
}

// onItsTime does what hangs on a time, with the clock's own time where that is off. Shift is by
// how much that is later.
func onItsTime[T any](ctx context.Context, s *timed, now time.Time, do func(ctx context.Context, shift time.Duration) (T, error)) (T, error) {
	shift := time.Duration(0)
	for try := 1; ; try++ {
		done, err := do(context.WithValue(ctx, heldToKey{}, heldTo{now.Add(shift)}), shift)
		if !errors.Is(err, errOff) || try == maxTries {
			return done, err
		}
		if err := s.read(ctx, s.setClock); err != nil {
			return done, err
		}
		shift = s.clock.Now().Truncate(time.Microsecond).Sub(now)
	}
}

// maxTries is how often something is begun that hangs on a time, while the host is so slow that
// a second passes before it reaches the server.
const maxTries = 5

// setClock asks the server for its time.
func (s *Store) setClock(ctx context.Context, t *tx) error {
	asked := s.clock.here()
	now, _, err := sqlrow.First(ctx, t, sqlrow.One[time.Time], selectTime)
	if err == nil {
		s.clock.set(now, asked)
	}
	return err
}

func (s *timed) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	return onItsTime(ctx, s, q.Now, func(ctx context.Context, shift time.Duration) (store.Work, error) {
		q := q
		q.Now = q.Now.Add(shift)
		return s.Store.Look(ctx, q)
	})
}

func (s *timed) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	return onItsTime(ctx, s, q.Now, func(ctx context.Context, shift time.Duration) ([]store.TaskRow, error) {
		q := q
		q.Now, q.Until = q.Now.Add(shift), q.Until.Add(shift)
		return s.Store.Claim(ctx, q)
	})
}

func (s *timed) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	return onItsTime(ctx, s, now, func(ctx context.Context, shift time.Duration) (bool, error) {
		return s.Store.Renew(ctx, c, now.Add(shift), until.Add(shift), checkpoint)
	})
}

func (s *timed) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	return onItsTime(ctx, s, now, func(ctx context.Context, shift time.Duration) (store.Renewed, error) {
		return s.Store.RenewAll(ctx, claims, now.Add(shift), until.Add(shift))
	})
}

func (s *timed) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	_, err := onItsTime(ctx, s, now, func(ctx context.Context, shift time.Duration) (struct{}, error) {
		return struct{}{}, s.Store.Reclaim(ctx, c, now.Add(shift))
	})
	return err
}
