package check_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/stop"
)

// TestGivenUp gives checks up that take seconds, at times spread over their whole
// course. With -v it prints how long the slowest takes to end: some hundredths of a second.
func TestGivenUp(t *testing.T) {
	limit := explore.DefaultLimit
	if testing.Short() {
		limit /= 20
	}
	for name, src := range map[string]string{
		"many configurations": counters,
		"a million":           string(million()),
		"many states":         chainOfStates(2000),
	} {
		t.Run(name, func(t *testing.T) {
			prog := program(t, []byte(src))
			begun := time.Now()
			want := lines(check.RunUpTo(prog, all.Rules, limit))
			whole := time.Since(begun)
			slowest, where := time.Duration(0), time.Duration(0)
			const times = 12
			for i := range times {
				after := whole * time.Duration(i) / times
				ctx, cancel := context.WithCancel(t.Context())
				var at time.Time
				time.AfterFunc(after, func() { at = time.Now(); cancel() })
				list, err := check.RunContext(ctx, prog, all.Rules, limit)
				switch {
				case err == nil: // it was sooner done
					if got := lines(list); got != want {
						t.Errorf("it finds other things:\n%s", got)
					}
				case !errors.Is(err, context.Canceled) || len(list) > 0:
					t.Errorf("it gives %v and %d findings", err, len(list))
				default:
					<-ctx.Done()
					if took := time.Since(at); took > slowest {
						slowest, where = took, after
					}
				}
				cancel()
			}
			t.Logf("the whole takes %v; the slowest end takes %v, after %v", whole, slowest, where)
		})
	}
}

// chainOfStates is a machine of n states, each with a bounded retry.
func chainOfStates(n int) string {
	var b strings.Builder
	b.WriteString("machine Chain {\n activity work() cost usd 0.01\n budget { usd 1000 }\n initial S0\n on failed -> F\n")
	for i := range n {
		fmt.Fprintf(&b, " state S%d { do work() timeout 1m\n on failed retry 3 else -> F\n on done -> S%d }\n", i, i+1)
	}
	fmt.Fprintf(&b, " state S%d { on done -> T }\n terminal T\n terminal F failure\n}\n", n)
	return b.String()
}

// TestGivenUpBefore: a check with a context that is done does nothing.
func TestGivenUpBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list, worst, err := check.AnalyzeContext(ctx, program(t, []byte(counters)), all.Rules, explore.DefaultLimit, true)
	if !errors.Is(err, context.Canceled) || list != nil || worst != nil {
		t.Errorf("it gives %v, %v, %v", list, worst, err)
	}
}

// TestPoll: a poll unwinds soon after the context is done, and a Stop without a context never.
func TestPoll(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := stop.On(ctx)
	for range 1000 {
		s.Poll()
		stop.On(context.Background()).Poll()
	}
	cancel()
	defer func() {
		if v := recover(); v != any(stop.Given) {
			t.Errorf("it ends with %v", v)
		}
	}()
	for range 100 {
		s.Poll()
	}
	t.Error("it goes on")
}
