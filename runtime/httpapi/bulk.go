package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"slices"
	"strings"

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
	Meant   int       `json:"meant"`
	Token   string    `json:"token"`
	Applied bool      `json:"applied"`
	Done    int       `json:"done"` // of those that were meant
	Refused []Refusal `json:"refused"`
}

// Refusal is a run that would refuse a command, or has refused it.
type Refusal struct {
	Run string `json:"run"`
	Why string `json:"why"`
}

// mostMeant is for how many runs a command may be.
const mostMeant = 10_000

// ErrTooMany is the answer to a command that is for more.
var ErrTooMany = fmt.Errorf("more than %d runs are meant: write another term", mostMeant)

// Meant are the runs for which a command is, as they were when they were looked at.
type Meant struct {
	Runs    []runtime.RunRow // that would take it, without their snapshots
	Refused []Refusal
	engine  *runtime.Engine
	kind    runtime.InputKind
	sum     hash.Hash
}

// NewMeant is for a command, and for no run yet.
func NewMeant(e *runtime.Engine, kind runtime.InputKind) *Meant {
	m := &Meant{Refused: []Refusal{}, engine: e, kind: kind, sum: sha256.New()}
	fmt.Fprintf(m.sum, "%s\x00", kind)
	return m
}

// Add adds a run, which takes the command or refuses it.
func (m *Meant) Add(ctx context.Context, row *runtime.RunRow) error {
	if len(m.Runs)+len(m.Refused) == mostMeant {
		return ErrTooMany
	}
	fmt.Fprintf(m.sum, "%s\x00%d\x00", row.Run, row.Started.UnixMicro())
	if why := m.engine.Refusal(ctx, row, m.kind); why != nil {
		m.Refused = append(m.Refused, Refusal{row.Run, why.Error()})
		return ctx.Err()
	}
	row.Snapshot = nil // which may be large
	m.Runs = append(m.Runs, *row)
	return ctx.Err()
}

// AddAll adds the runs that match, in their order.
func (m *Meant) AddAll(ctx context.Context, f runtime.RunFilter) error {
	return m.engine.EachMeant(ctx, f, m.kind, func(row *runtime.RunRow) error { return m.Add(ctx, row) })
}

// Token stands for the command and these runs: who confirms it sends the token, and it does not fit where
// others are meant by now.
func (m *Meant) Token() string { return hex.EncodeToString(m.sum.Sum(nil)[:16]) }

// Steer gives the command to the runs that would take it, and by force to the others, too. It says how many have
// taken it; Refused are then all that have not, by their ids.
func (m *Meant) Steer(ctx context.Context, o runtime.Operator, force bool) int {
	var runs []string
	for i := range m.Runs {
		runs = append(runs, m.Runs[i].Run)
	}
	if force {
		for _, r := range m.Refused {
			runs = append(runs, r.Run)
		}
		m.Refused = []Refusal{}
	}
	steer := func(run string) error {
		_, err := Steer(ctx, m.engine, m.kind, run, o, force)
		return err
	}
	done := m.engine.SteerAll(runs, steer, func(run string, why error) { m.Refused = append(m.Refused, Refusal{run, why.Error()}) })
	slices.SortFunc(m.Refused, func(a, b Refusal) int { return strings.Compare(a.Run, b.Run) })
	return done
}

// bulkCommands are those for many runs.
var bulkCommands = []string{"cancel", "pause", "resume", "retry"}

func (a *API) postBulk(w http.ResponseWriter, r *http.Request, body *bulkBody) error {
	if body.Apply {
		if err := a.mayWrite(r); err != nil {
			return err
		}
	}
	if !slices.Contains(bulkCommands, body.Command) {
		return badBody("command", "there is no command %q for many runs%s", body.Command, machine.DidYouMean(body.Command, bulkCommands)).allow(bulkCommands)
	}
	if body.Where == "" {
		return badBody("where", "where is empty, and would match every run: write at least one term")
	}
	f, err := a.where(r.Context(), body.Where)
	if err != nil {
		return err
	}
	m := NewMeant(a.engine, runtime.InputKind(body.Command))
	if err := m.AddAll(r.Context(), f); errors.Is(err, ErrTooMany) {
		return badBody("where", "%s", err)
	} else if err != nil {
		return err
	}
	answer := bulkAnswer{Meant: len(m.Runs) + len(m.Refused), Token: m.Token()}
	if body.Apply {
		if body.Token != answer.Token {
			return problem(http.StatusConflict, "others", "the runs are others by now", "the runs that are meant are others by now, or nobody has looked which they are: ask without apply, and send the token of that answer")
		}
		answer.Done, answer.Applied = m.Steer(r.Context(), body.operator(r), body.Force), true
	}
	answer.Refused = m.Refused
	return writeJSON(w, http.StatusOK, &answer)
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
