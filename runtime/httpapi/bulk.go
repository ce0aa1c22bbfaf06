package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// bulkBody is what POST /bulk takes: a command for the runs that are meant. Without apply it only says
// which they are, and gives the token with which it is done.
type bulkBody struct {
	Command string `json:"command"`
	Where   string `json:"where"`
	Apply   bool   `json:"apply"`
	Token   string `json:"token"`
	Force   bool   `json:"force"` // of cancel
	operatorBody
}

// bulkAnswer says what is meant, or has been done.
type bulkAnswer struct {
	Meant   int           `json:"meant"`
	Token   string        `json:"token"`
	Applied bool          `json:"applied"`
	Done    int           `json:"done"` // of those that were meant
	Refused []bulkRefusal `json:"refused"`
}

// bulkRefusal is a run that would refuse, or has refused.
type bulkRefusal struct {
	Run string `json:"run"`
	Why string `json:"why"`
}

// mostMeant is for how many runs a command may be.
const mostMeant = 10_000

var errTooMany = errors.New("too many runs")

func (a *API) postBulk(w http.ResponseWriter, r *http.Request) error {
	var body bulkBody
	if err := readBody(r, &body); err != nil {
		return err
	}
	if body.Apply {
		if err := a.mayWrite(r); err != nil {
			return err
		}
	}
	kind := runtime.InputKind(body.Command)
	if many := commands[:4]; !slices.Contains(many, body.Command) {
		p := badBody("command", "there is no command %q for many runs%s", body.Command, machine.DidYouMean(body.Command, many))
		p.Allowed = many
		return p
	}
	if body.Where == "" {
		return badBody("where", "where is empty, and would match every run: write at least one term")
	}
	f, err := a.where(r.Context(), body.Where)
	if err != nil {
		return err
	}
	answer, runs, err := a.meant(r.Context(), f, kind)
	if err != nil {
		return err
	}
	if body.Apply {
		if body.Token != answer.Token {
			return problem(http.StatusConflict, "others", "the runs are others by now", "the runs that are meant are others by now, or nobody has looked which they are: ask without apply, and send the token of that answer")
		}
		o := runtime.Operator{Actor: Actor(r, body.Actor), Reason: body.Reason}
		answer.Applied, answer.Refused = true, []bulkRefusal{}
		steer := func(run string) error { return a.steer(r.Context(), kind, run, o, body.Force) }
		answer.Done = SteerAll(runs, steer, func(run string, why error) {
			answer.Refused = append(answer.Refused, bulkRefusal{run, why.Error()})
		})
	}
	return writeJSON(w, http.StatusOK, answer)
}

// meant says for which runs a command is, and which of these would refuse it.
func (a *API) meant(ctx context.Context, f runtime.RunFilter, kind runtime.InputKind) (*bulkAnswer, []string, error) {
	answer := &bulkAnswer{Refused: []bulkRefusal{}}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00", kind)
	var runs []string
	err := a.engine.EachMeant(ctx, f, kind, func(row *runtime.RunRow) error {
		if len(runs) == mostMeant {
			return errTooMany
		}
		fmt.Fprintf(sum, "%s\x00%d\x00", row.Run, row.Started.UnixMicro())
		runs = append(runs, row.Run)
		if why := a.engine.Refusal(ctx, row, kind); why != nil {
			answer.Refused = append(answer.Refused, bulkRefusal{row.Run, why.Error()})
		}
		return ctx.Err()
	})
	if errors.Is(err, errTooMany) {
		return nil, nil, badBody("where", "more than %d runs are meant: write another term", mostMeant)
	}
	answer.Meant, answer.Token = len(runs), hex.EncodeToString(sum.Sum(nil)[:16])
	return answer, runs, err
}

// steeredAtOnce is how many runs are steered side by side: many writes share one sync.
const steeredAtOnce = 16

// SteerAll calls steer for each run, several side by side, and says for how many it went well. What
// one run refuses does not stop the others: refused is called for it, by the order of the runs' names.
func SteerAll(runs []string, steer func(run string) error, refused func(run string, why error)) (done int) {
	type failure struct {
		run string
		why error
	}
	var (
		mu    sync.Mutex
		group sync.WaitGroup
		slots = make(chan struct{}, steeredAtOnce)
		lost  []failure
	)
	for _, run := range runs {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			err := steer(run)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				lost = append(lost, failure{run, err})
				return
			}
			done++
		})
	}
	group.Wait()
	slices.SortFunc(lost, func(a, b failure) int { return cmp.Compare(a.run, b.run) })
	for _, f := range lost {
		refused(f.run, f.why)
	}
	return done
}

// steer gives one run a command. A cancellation stands from its first step on, and is not waited for.
func (a *API) steer(ctx context.Context, kind runtime.InputKind, run string, o runtime.Operator, force bool) (err error) {
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("its turn has not come in time: %w", err)
	}
	var v runtime.View
	switch kind {
	case machine.CancelInput:
		within, stop := context.WithTimeout(ctx, cancelWithin/5)
		defer stop()
		v, err = a.engine.Cancel(within, run, runtime.CancelOptions{Force: force, Actor: o.Actor, Reason: o.Reason})
		if v.Run != "" && errors.Is(err, context.DeadlineExceeded) {
			return nil
		}
	case machine.PauseInput:
		_, err = a.engine.Pause(ctx, run, o)
	case machine.ResumeInput:
		_, err = a.engine.Resume(ctx, run, o)
	case machine.RetryInput:
		_, err = a.engine.Retry(ctx, run, o)
	}
	return err
}
