package table

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/scenario"
)

// CompileScenario turns s, which is not broken, into what a player plays. text is what stands at
// a place of the source.
func CompileScenario(s *ir.Scenario, text func(token.Span) string) *scenario.Scenario {
	t := &tree{hashes: map[*ir.Machine]string{}}
	p := &scenarioCompiler{t.compiler(s.Machine), text}
	return &scenario.Scenario{
		Title: s.Title, Machine: s.Machine.Name, Place: place(s.Span), Params: s.Params, Lines: p.lines(s.Lines),
	}
}

func place(at token.Span) string {
	return fmt.Sprintf("%s:%d:%d", at.Start.Filename, at.Start.Line, at.Start.Column)
}

type scenarioCompiler struct {
	*compiler
	text func(token.Span) string
}

var lineKinds = map[ir.LineKind]scenario.Kind{
	ir.SendLine: scenario.Send, ir.ResultLine: scenario.Result, ir.FailureLine: scenario.Failure, ir.CheckpointLine: scenario.Checkpoint,
	ir.LostLine: scenario.Lost, ir.WaitLine: scenario.Wait, ir.CancelRunLine: scenario.Cancel, ir.AnswerLine: scenario.Answer,
	ir.RepeatLine: scenario.Repeat, ir.ExpectStateLine: scenario.ExpectState, ir.ExpectLine: scenario.Expect,
	ir.ExpectRefusedLine: scenario.ExpectRefused, ir.ExpectEndedLine: scenario.ExpectEnded, ir.ExpectHaltedLine: scenario.ExpectHalted, ir.ExpectAttemptLine: scenario.ExpectAttempt,
	ir.ExpectPublishedLine: scenario.ExpectPublished, ir.ExpectWaitingLine: scenario.ExpectWaiting,
}

func (p *scenarioCompiler) lines(list []*ir.ScenarioLine) (out []*scenario.Line) {
	for _, l := range list {
		n := &scenario.Line{
			Kind: lineKinds[l.Kind], Place: place(l.Span), Text: p.text(l.Span), Name: l.Name, Do: l.Do, Data: l.Data, Message: l.Message,
			Refused: l.Refused, Wait: time.Duration(l.Wait), Yes: l.Yes, Count: l.Count, Lines: p.lines(l.Lines),
		}
		for _, c := range l.Costs {
			if n.Cost == nil {
				n.Cost = map[string]json.Number{}
			}
			n.Cost[c.Name] = json.Number(ir.DecimalText(c.Amount))
		}
		if l.Element >= 0 {
			n.Do = machine.ElementName(l.Do, l.Element)
		}
		if l.State != nil {
			n.Name = l.State.Path
		}
		if l.Cond != nil {
			n.Cond, n.Sides = p.expr(l.Cond), p.sides(l.Cond)
		}
		out = append(out, n)
	}
	return out
}

// sides are those of a comparison, and of a condition that has several what it reads.
func (p *scenarioCompiler) sides(e ir.Expr) (out []scenario.Side) {
	b, ok := e.(*ir.Binary)
	switch {
	case !ok:
		return nil
	case b.Op == ir.OpAnd || b.Op == ir.OpOr:
		return append(p.sides(b.X), p.sides(b.Y)...)
	}
	for _, side := range []ir.Expr{b.X, b.Y} {
		if _, lit := side.(*ir.Lit); !lit && len(ir.Leaves(side)) == 1 {
			out = append(out, scenario.Side{Text: ir.ExprText(side), Expr: p.expr(side)})
		}
	}
	return out
}

// WithoutJitter is Tree for scenarios, in which no wait has a jitter: the definition of m alone,
// whose retries wait as long as they may, and whose timers as long as they must.
func WithoutJitter(m *ir.Machine) *machine.Definition {
	d := Compile(m)
	for i := range d.Arms {
		if b := d.Arms[i].Backoff; b != nil {
			b.Jitter = 0
		}
	}
	for i := range d.Timers {
		d.Timers[i].Jitter = 0
	}
	return d
}
