package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// authors are the tools that store nothing: for agents that plan, or write machines.
func (s *Server) authors() []tool {
	return []tool{
		{
			name: "simulate", title: "Simulate a run", output: simulateOutput, call: s.simulate,
			doc: "What would happen: steps through a run, from its start or from where a stored run stands, and writes nothing. " +
				"No activity runs: the inputs say how each ends. The answer has the steps, how the run then stands, and what may come next.",
			params: []param{
				text("machine", "start a run of the machine of this name, with params"),
				object("params", "the parameters of the machine"),
				text("run", "instead of machine: begin where this stored run stands"),
				number("at", 1, 1<<53, "begin where that run stood after this step"),
				list("inputs", `what happens, in order. Each is one of: {"event","data"} an event from outside; {"activity","event","data"} an activity `+
					`raises an event; {"activity","fails"} it fails with this category; {"activity"} it ends; {"wait":"2h"} time passes; {"command"} with next `+
					`(until something happens by itself), cancel, force, pause or resume; {"guard","answer"} what a host guard answers from then on`),
			},
		},
		{
			name: "check_machine", title: "Check a machine", output: checkOutput, call: s.checkMachine,
			doc: "Check the source text of machines: all findings with their places, an example run as the witness of each where there is one, " +
				"and the worst case of each machine in steps, time, costs and attempts. explain_rule has more about a rule.",
			params: []param{must(text("source", "the text of a .fsm file"))},
		},
		{
			name: "explain_rule", title: "Explain a rule", output: explainOutput, call: s.explainRule,
			doc:    "The page of a rule of check_machine: why it is there, an example that fails, and how to put it right.",
			params: []param{must(text("rule", "the name of the rule, such as dead-end"))},
		},
	}
}

const maxInputs = 1000

type simulated struct {
	Summary string `json:"summary"`
	*simulate.Played
}

func (s *Server) simulate(ctx context.Context, c *call) (any, error) {
	inputs, err := inputsOf(c.raw("inputs"))
	if err != nil {
		return nil, err
	}
	begin, err := s.beginning(ctx, c)
	if err != nil {
		return nil, err
	}
	played, err := simulate.Play(begin, inputs)
	if err != nil {
		return nil, errors.New(err.Error()) // in words already
	}
	answer := &simulated{Played: played}
	if played.View.Run != "" {
		answer.Summary = describe.Stands(&played.View)
	}
	if played.Ask != nil {
		answer.Summary += fmt.Sprintf("; what comes next depends on the host guard %s with %s: answer it with an input before it", played.Ask.Guard, played.Ask.Args)
	}
	return answer, nil
}

func inputsOf(raw json.RawMessage) ([]simulate.Input, error) {
	var texts []json.RawMessage
	if len(raw) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &texts); err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	if len(texts) > maxInputs {
		return nil, fmt.Errorf("inputs: there are %d, more than the %d that are allowed", len(texts), maxInputs)
	}
	inputs := make([]simulate.Input, len(texts))
	for i, text := range texts {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&inputs[i]); err != nil {
			return nil, fmt.Errorf(`input %d: %s: an input is an object such as {"event": "Approve", "data": {…}}`, i+1, notInput(err))
		}
	}
	return inputs, nil
}

// notInput says why a value is no input.
func notInput(err error) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case ok && wrong.Field == "":
		return "it is a " + wrong.Value
	case ok:
		return fmt.Sprintf("%q has to be a %s, and is a %s", wrong.Field, wrong.Type.Kind(), wrong.Value)
	}
	return strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "there is no member", 1)
}

// beginning is how the simulation begins that a call asks for.
func (s *Server) beginning(ctx context.Context, c *call) (simulate.Begin, error) {
	switch {
	case c.has("machine") == c.has("run"):
		return nil, errors.New(`name either a "machine" or a "run"`)
	case c.has("run") && c.has("params"):
		return nil, errors.New("a stored run has its own parameters: leave params out")
	case c.has("machine") && c.has("at"):
		return nil, errors.New(`"at" is about a stored run: name it with "run"`)
	case c.has("machine"):
		v, err := s.versionOf(ctx, c.text("machine"))
		if err != nil {
			return nil, err
		}
		return func(g simulate.Guard) (*simulate.Simulation, error) {
			return simulate.Start(v.Machine, "run", c.raw("params"), time.Now(), g)
		}, nil
	}
	row, err := s.Engine.Row(ctx, c.run)
	switch {
	case s.HideData:
		return nil, errors.New("this server tells no data of runs (--hide-data), and so simulates none that is stored")
	case err != nil:
		return nil, err
	case c.number("at") > row.Seq:
		return nil, fmt.Errorf("run %q has taken %s: there is no step %d", c.run, describe.Count(row.Seq, "step"), c.number("at"))
	}
	m, snapshot, err := s.Engine.At(ctx, c.run, c.number("at"))
	if err != nil {
		return nil, err
	}
	return func(g simulate.Guard) (*simulate.Simulation, error) { return simulate.Continue(m, snapshot, g), nil }, nil
}

const checkTime = 10 * time.Second

func (s *Server) checkMachine(ctx context.Context, c *call) (any, error) {
	limited, stop := context.WithTimeout(ctx, checkTime)
	defer stop()
	select { // one at a time: each uses all cores
	case s.checking <- struct{}{}:
		defer func() { <-s.checking }()
	case <-limited.Done():
		return nil, errors.New("other checks are under way: try again later")
	}
	report, err := s.Front.Check(limited, c.text("source"))
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("the check took longer than %s, and was given up; fsmc check has no such limit", describe.Short(checkTime))
	}
	return report, err
}

func (s *Server) explainRule(_ context.Context, c *call) (any, error) {
	page, err := s.Front.Explain(c.text("rule"))
	if err != nil {
		return nil, err
	}
	return map[string]string{"rule": c.text("rule"), "page": page}, nil
}
