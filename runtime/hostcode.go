package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
)

// What a program brings along is called here and there by goroutines on which every
// run depends: functions, observers, log handlers, and the methods of errors and data.
// Whatever they do, the process lives and the other runs go on. What Go itself cannot
// survive, such as a stack without end, ends the process all the same.

// panicText says what a recovered panic was about, as Go itself would: a value
// without a text of its own is named by its type.
func panicText(p any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("panic: a %T that cannot be read", p)
		}
	}()
	switch p := p.(type) {
	case error:
		return "panic: " + p.Error()
	case fmt.Stringer:
		return "panic: " + p.String()
	}
	switch reflect.ValueOf(p).Kind() {
	case reflect.Array, reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.Struct:
		return fmt.Sprintf("panic: a %T", p)
	}
	return fmt.Sprintf("panic: %v", p)
}

// errorText is what an error says. A nil pointer in an error is an error to Go.
func errorText(err error) (text string) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.IsNil() {
			text = fmt.Sprintf("the error is a nil %T: return nil itself where there is none", err)
		} else {
			text = fmt.Sprintf("an error of type %T that cannot be read: %s", err, panicText(p))
		}
	}()
	return err.Error()
}

// plain is an error with the same text and nothing of the user's; nil for nil.
func plain(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(errorText(err))
}

// isolated calls f in a goroutine of its own, since one may be ended by what runs in
// it, and says what went wrong, or nothing.
func isolated(f func()) (fault string) {
	return <-called("it", func() string {
		f()
		return ""
	}, func(fault string) string { return fault })
}

// called is what f gives, or what failed makes of what went wrong, once f has ended, in a goroutine of its own.
// A fault calls f by its name.
func called[T any](name string, f func() T, failed func(fault string) T) <-chan T {
	ended := make(chan T, 1)
	go func() {
		v := failed(name + " ended its goroutine without returning")
		defer func() { ended <- v }()
		defer func() {
			if p := recover(); p != nil {
				v = failed(panicText(p))
			}
		}()
		v = f()
	}()
	return ended
}

// safeObserver tells an observer, whatever that does.
type safeObserver struct {
	Observer
	logger *slog.Logger
}

func (o safeObserver) OnStep(i StepInfo) {
	o.tell(i.Run, func() { o.Observer.OnStep(i) })
}

func (o safeObserver) OnAttempt(i AttemptInfo) {
	o.tell(i.Run, func() { o.Observer.OnAttempt(i) })
}

func (o safeObserver) tell(run string, f func()) {
	if fault := isolated(f); fault != "" {
		o.logger.Error("the observer failed", slog.String("run", run), slog.String("error", fault))
	}
}

// safeHandler writes a log, whatever the handler of the user's does.
type safeHandler struct{ slog.Handler }

func (h safeHandler) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	isolated(func() { enabled = h.Handler.Enabled(ctx, level) })
	return enabled
}

func (h safeHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	isolated(func() { err = plain(h.Handler.Handle(ctx, r)) })
	return err
}
