package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"

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
		steer := func(run string) error {
			_, err := Steer(r.Context(), a.engine, kind, run, o, body.Force)
			return err
		}
		answer.Done = a.engine.SteerAll(runs, steer, func(run string, why error) {
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

// Steer gives one run a pause, resume, cancel or retry; force is of a cancel. A cancellation stands from its first
// step on, and whether activities stop is not waited for.
func Steer(ctx context.Context, e *runtime.Engine, kind runtime.InputKind, run string, o runtime.Operator, force bool) (v runtime.View, err error) {
	if err := context.Cause(ctx); err != nil {
		return v, fmt.Errorf("its turn has not come in time: %w", err)
	}
	switch kind {
	case machine.CancelInput:
		within, stop := context.WithTimeout(ctx, CancelWithin/5)
		defer stop()
		v, err = e.Cancel(within, run, runtime.CancelOptions{Force: force, Actor: o.Actor, Reason: o.Reason})
		switch late := errors.Is(err, context.DeadlineExceeded); {
		case late && v.Run != "":
			return v, nil
		case late:
			err = fmt.Errorf("the run could not be cancelled in time, and nothing has been written: %w", err)
		}
		return v, err
	case machine.PauseInput:
		return e.Pause(ctx, run, o)
	case machine.ResumeInput:
		return e.Resume(ctx, run, o)
	}
	return e.Retry(ctx, run, o)
}
