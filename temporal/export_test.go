package temporal

import (
	"context"
	"strconv"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Interpreter is the version of the interpreter.
func Interpreter() string { return strconv.Itoa(interpreter) }

// Request is what a limiter is told.
type Request = request

// What that is.
const (
	AsksPlace  = asksPlace
	BeganPlace = beganPlace
	LeftPlace  = leftPlace
)

// Take notes a request.
func (l *Limiter) Take(q Request, now time.Time) { l.take(&q, now) }

// Grant gives places.
func (l *Limiter) Grant(now time.Time) []*Place { return l.grant(now, grantMost) }

// Holds is what holds back who waits.
func (l *Limiter) Holds() *machine.LimitView { return l.holds() }

// Tell brings a request to a limiter.
func (w *Worker) Tell(ctx context.Context, limiter string, q Request) error {
	return w.tell(ctx, limiter, q)
}
