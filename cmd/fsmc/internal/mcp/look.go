package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

// lookers are the tools that look at stored runs.
func (s *Server) lookers() []tool {
	return []tool{
		{
			name: "list_machines", title: "List machines", output: machinesOutput, call: s.listMachines,
			doc: "List the machines that have runs: what each is for, the parameters with which a run of it starts, and the events that can be sent.",
		},
		{
			name: "list_runs", title: "List runs", output: runsOutput, call: s.listRuns,
			doc: "List runs, newest first.",
			params: []param{
				text("where", "terms that all hold, such as: machine=Order state=Paying status=running older than 2h. "+
					"Status is running, halted, ending, finished or paused; outcome is success, failure or cancelled"),
				number("limit", 1, maxListed, "how many; 50 if not given"),
				text("after", "go on behind the run with this id: the \"next\" of the answer before"),
			},
		},
		{
			name: "get_run", title: "Look at a run", output: answerOutput, call: s.getRun, params: []param{runParam()},
			doc: "How a run stands: what it waits for, the events that it takes now with the schemas of their data, its data, its last steps.",
		},
		{
			name: "get_history", title: "Read the history of a run", output: historyOutput, call: s.getHistory,
			doc: "The steps of a run, oldest first: each input with its data, the states it led from and to, why, and who sent it.",
			params: []param{runParam(), number("last", 1, maxSteps, "how many of the last steps; 20 if not given"),
				number("before", 2, 1<<53, "only steps before this one, by its seq")},
		},
		{
			name: "health", title: "Find problems", output: healthOutput, call: s.health,
			doc:    "What an operator should look at: runs that are stuck, halted or damaged, overdue timers, attempts that no worker takes, messages that nobody delivers.",
			params: []param{text("stuck", "how long is too long in a state: 1h, or Analyzing=10m,Working.Draft=2d; without it the timers of the states say it")},
		},
		{
			name: "stats", title: "Figures over all runs", output: statsOutput, call: s.stats,
			doc: "How many runs are in each state, how long visits last, how runs end, which failures led where, retries and costs by day.",
			params: []param{text("machine", "only of the machine of this name"),
				text("since", "failures, retries and costs since so long ago: 24h, 7d")},
		},
	}
}

// machineRow is a machine of list_machines.
type machineRow struct {
	Name     string          `json:"name"`
	Doc      string          `json:"doc"`
	Hash     string          `json:"hash"`     // of the version with which new runs start
	Versions int             `json:"versions"` // that the database has
	Params   schema.Schema   `json:"params"`
	Events   []schema.Action `json:"events"`
	Fault    string          `json:"fault,omitempty"` // why the definition cannot be read
}

func (s *Server) listMachines(ctx context.Context, _ *call) (any, error) {
	versions, err := s.Engine.Versions(ctx)
	if err != nil {
		return nil, err
	}
	rows := []machineRow{}
	for i := range versions {
		v := &versions[i]
		if n := len(rows); n > 0 && rows[n-1].Name == v.Name { // the current one comes first
			rows[n-1].Versions++
			continue
		}
		row := machineRow{Name: v.Name, Hash: v.Hash, Versions: 1, Events: []schema.Action{}}
		if v.Machine == nil {
			row.Fault = v.Fault.Error()
		} else {
			d := v.Machine.Definition()
			row.Doc, row.Params, row.Events = d.Doc, schema.Params(d), schema.Sendable(d)
		}
		rows = append(rows, row)
	}
	return map[string]any{"machines": rows}, nil
}

const (
	maxListed   = 500
	usualListed = 50
)

func (s *Server) listRuns(ctx context.Context, c *call) (any, error) {
	var f runtime.RunFilter
	if where := c.text("where"); where != "" {
		var err error
		if f, err = runtime.ParseWhere(where, time.Now()); err != nil {
			return nil, fmt.Errorf("where: %w", err)
		}
	}
	if err := s.Engine.CheckFilter(ctx, &f); err != nil {
		return nil, err
	}
	limit := int(cmp.Or(c.number("limit"), usualListed))
	f.After, f.Limit = c.text("after"), limit+1 // to see whether there are more
	rows, err := s.Engine.List(ctx, f)
	if err != nil {
		return nil, errors.New(s.words(ctx, f.After, err))
	}
	var next *string
	if len(rows) > limit {
		rows, next = rows[:limit], &rows[limit-1].Run
	}
	listed := []describe.Listed{}
	for i := range rows {
		listed = append(listed, describe.List(&rows[i]))
	}
	return map[string]any{"runs": listed, "next": next}, nil
}

func (s *Server) getRun(ctx context.Context, c *call) (any, error) {
	v, err := s.Engine.Get(ctx, c.run)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, &v), nil
}

const (
	maxSteps   = 200
	usualSteps = 20
	// maxHistory is about how many bytes of steps one answer has: an agent reads it all.
	maxHistory = 256 << 10
)

// historyAnswer is a part of a run's history.
type historyAnswer struct {
	Run   string             `json:"run"`
	Steps []runtime.StepView `json:"steps"`
	Last  int64              `json:"last"` // the number of the run's last step
	// Before is the one to ask for, to get what is before these steps; absent where they are the first.
	Before int64 `json:"before,omitempty"`
}

func (s *Server) getHistory(ctx context.Context, c *call) (any, error) {
	run, limit := c.run, cmp.Or(c.number("last"), usualSteps)
	// A run that is damaged has a history all the same.
	row, err := s.Engine.Row(ctx, run)
	if err != nil {
		return nil, err
	}
	end := row.Seq
	if c.has("before") {
		end = min(end, c.number("before")-1)
	}
	steps, err := s.Engine.History(ctx, run, max(0, end-limit), int(min(limit, end)))
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if s.HideData {
			describe.DropData(&steps[i])
		}
	}
	answer := &historyAnswer{Run: run, Steps: within(steps, maxHistory), Last: row.Seq}
	if len(answer.Steps) > 0 && answer.Steps[0].Seq > 1 {
		answer.Before = answer.Steps[0].Seq
	}
	return answer, nil
}

// within are the last of steps that have about so many bytes; at least one.
func within(steps []runtime.StepView, most int) []runtime.StepView {
	size := 0
	for i := range slices.Backward(steps) {
		text, _ := json.Marshal(&steps[i]) // a step always has a JSON form
		if size += len(text); size > most && i < len(steps)-1 {
			return steps[i+1:]
		}
	}
	return append([]runtime.StepView{}, steps...)
}

func (s *Server) health(ctx context.Context, c *call) (any, error) {
	var q runtime.HealthQuery
	if stuck := c.text("stuck"); stuck != "" {
		if err := runtime.ParseStuck(stuck, &q); err != nil {
			return nil, fmt.Errorf("stuck: %w", err)
		}
	}
	if err := s.Engine.CheckStates(ctx, q.StuckIn); err != nil {
		return nil, err
	}
	found, err := s.Engine.Health(ctx, q)
	if err != nil {
		return nil, err
	}
	return &found, nil
}

func (s *Server) stats(ctx context.Context, c *call) (any, error) {
	q := runtime.StatsQuery{Machine: c.text("machine")}
	if err := s.Engine.CheckMachine(ctx, q.Machine); err != nil {
		return nil, err
	}
	if since := c.text("since"); since != "" {
		age, err := runtime.ParseAge(since)
		if err != nil {
			return nil, fmt.Errorf("since: %w", err)
		}
		q.Since = time.Now().Add(-age)
	}
	stats, err := s.Engine.Stats(ctx, q)
	if err != nil {
		return nil, err
	}
	return &stats, nil
}

// versionOf is the version of a machine with which new runs start.
func (s *Server) versionOf(ctx context.Context, name string) (*runtime.Version, error) {
	versions, err := s.Engine.Versions(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range versions {
		if v := &versions[i]; v.Name == name { // the current one comes first
			return v, v.Fault
		}
		names = append(names, versions[i].Name)
	}
	return nil, fmt.Errorf("no machine %q in the database%s", name, machine.DidYouMean(name, names))
}
