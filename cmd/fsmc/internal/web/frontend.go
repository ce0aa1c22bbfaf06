package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/svg"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// WorstCase is that of a version, as far as its text tells it.
func (s *Site) WorstCase(ctx context.Context, found *runtime.Version) json.RawMessage {
	v, err := s.version(ctx, found.Hash)
	if err != nil {
		return nil // without it nothing is known besides
	}
	return s.bounds(ctx, v)
}

// bounds is the worst case of a version; nil where it is not known, or not yet when ctx is done.
func (s *Site) bounds(ctx context.Context, v *version) json.RawMessage {
	if v.ir == nil || s.Bounds == nil {
		return nil
	}
	known := make(chan json.RawMessage, 1)
	go func() { known <- v.bounds() }()
	select {
	case bounds := <-known:
		return bounds
	case <-ctx.Done():
		return nil
	}
}

// badgeSheet is what a picture that stands alone needs besides.
const badgeSheet = ".badge rect{fill:#1f5fbf}.badge.halted rect{fill:#a63a30}.badge.paused rect,.badge.here rect{fill:#7d5300}" +
	".badge text{fill:#fff;font-size:11px;font-weight:bold;text-anchor:middle}\n"

// Diagram draws a version.
func (s *Site) Diagram(ctx context.Context, found *runtime.Version, p httpapi.Picture) ([]byte, error) {
	v, err := s.version(ctx, found.Hash)
	if err != nil {
		return nil, err
	}
	full, compact := v.pictures()
	if full == nil {
		return nil, errors.New("there is no drawing: the text of this version is not stored, or has too many states")
	}
	l := newLight()
	if p.Run != nil {
		l = v.walked(p.Steps, p.Run.State)
	}
	for i := range p.Counts {
		l.count(&p.Counts[i])
	}
	if p.Compact {
		full = compact
	}
	text := bytes.Replace([]byte(full.lit(l)), asGroup, asGraphic, 1)
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	return fmt.Appendf(nil, "<svg%s%s\n<style>\n%s%s</style>\n%s", nameSpace, bytes.TrimPrefix(head, []byte("<svg")), svg.Sheet(p.Theme), badgeSheet, rest), nil
}

// walked is the light of a run that has taken some steps, and now is in a state.
func (v *version) walked(steps []runtime.StepView, state string) *light {
	h := &drawing.Highlight{Current: state}
	for i := range steps {
		step := &steps[i]
		if step.Seq == 1 {
			h.Start = step.To
		}
		if step.From != "" && step.Effect == machine.Moved {
			h.Moves = append(h.Moves, drawing.Move{From: step.From, To: step.To, Arm: step.Arm})
		}
	}
	l := lightOf(drawing.Plan(v.ir, h))
	l.badges["state-"+state] = []badge{{text: "▶", class: "here", title: "the run is here"}}
	return l
}

// count puts how many runs are in a state on it.
func (l *light) count(row *runtime.StateStats) {
	add := func(n int64, class, what string) {
		if n > 0 {
			id := "state-" + row.State
			l.badges[id] = append(l.badges[id], badge{text: fmt.Sprint(n), class: class, title: describe.Count(n, what) + " in " + row.State})
		}
	}
	add(row.Runs-row.Halted-row.Paused, "runs", "run")
	add(row.Paused, "paused", "paused run")
	add(row.Halted, "halted", "halted run")
}

// Compile compiles a text.
func (s *Site) Compile(_ context.Context, source, name string) (*runtime.Machine, error) {
	unit := lang.Load([]lang.Source{{Name: "source.fsm", Src: []byte(source)}})
	for _, d := range unit.Diags {
		if d.Severity == diag.Error {
			return nil, fmt.Errorf("line %d: %s", d.Span.Start.Line, d.Message)
		}
	}
	var names []string
	for _, m := range unit.Program.Machines {
		names = append(names, m.Name)
		if m.Name == name || name == "" && len(unit.Program.Machines) == 1 {
			return machine.Compile(table.Compile(m))
		}
	}
	return nil, fmt.Errorf("the text has no machine %q, but %q", name, names)
}
