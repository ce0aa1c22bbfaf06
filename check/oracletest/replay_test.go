package oracletest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A replay feeds the rows of a witness to the runtime's step, and sees that each
// is taken in the state that the row names.
type replay struct {
	m        *machine.Machine
	d        *machine.Definition
	s        *machine.Snapshot
	now      time.Time
	last     time.Time // of the step before
	guards   map[string]bool
	data     map[string]any
	overs    []string // the costs whose over_budget comes right behind the row at hand
	steps    int      // moves and retries
	attempts map[string]int
	timed    bool // the row at hand says when its input comes
	asChosen bool // waits are those that the runtime chooses
}

// began is when replayed runs start.
var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newReplay(m *ir.Machine) (*replay, error) {
	d := table.Compile(m)
	compiled, err := machine.Compile(d)
	if err != nil {
		return nil, err
	}
	return &replay{
		m: compiled, d: d, s: compiled.NewSnapshot("r", 7), attempts: map[string]int{},
		now: began,
	}, nil
}

// play replays w. The input of the last row but one may be one that the machine
// cannot take: that is what the finding says.
func (r *replay) play(w *diag.Witness) error {
	start := machine.Input{Kind: machine.StartInput}
	var err error
	params := maps.Clone(w.Params)
	if id, said := params[ir.OwnName(ir.RunID)].(string); said {
		r.s = r.m.NewSnapshot(id, 7)
	}
	for name := range ir.OwnValues { // they are the snapshot's
		delete(params, ir.OwnName(name))
	}
	if start.Data, err = r.m.DecodeParams(filled(r.d, r.d.Params, params)); err != nil {
		return err
	}
	if len(w.Path) == 1 && len(w.Values) == 0 {
		return nil // a run that cannot start
	}
	r.guards = w.Guards
	if err := r.take(start); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	for i, row := range w.Path {
		if at := r.d.States[r.s.State].Path; at != row.State {
			return fmt.Errorf("row %d: the run is in %s, the witness in %s", i, at, row.State)
		}
		if row.Input == "" {
			r.attempt(oracletest.Waiting(r.s, r.last)...)
			return r.ends(w)
		}
		r.guards, r.data = row.Guards, map[string]any{}
		maps.Copy(r.data, row.Rest)
		maps.Copy(r.data, row.Data)
		at, err := time.ParseDuration(row.At)
		if r.timed = err == nil; r.timed {
			if at := began.Add(at); at.After(r.now) {
				r.now = at
			}
		}
		r.deferAgain()
		r.overs = nil
		for _, next := range w.Path[i+1:] {
			cost, over := strings.CutPrefix(next.Input, "over_budget(")
			over = over && cost != "time)"
			if !over {
				break
			}
			r.overs = append(r.overs, strings.TrimSuffix(cost, ")"))
		}
		in, err := r.input(row)
		if err == nil && len(in.Cost) > 0 { // where it is tried again, the next attempt says so
			plain := in
			plain.Cost = nil
			if _, _, record, err := r.m.Step(r.s, plain, r.now, r.ask); err == nil && record.Effect == machine.Retried {
				in = plain
			}
		}
		if err == nil {
			err = r.take(in)
		}
		final := i == len(w.Path)-2 && w.Path[i+1].State == row.State
		if err != nil && !final {
			return fmt.Errorf("row %d, %s in %s: %w", i, row.Input, row.State, err)
		}
		if err != nil {
			return nil
		}
	}
	return nil
}

// ends holds the data that w tells of its end against those of the run.
func (r *replay) ends(w *diag.Witness) error {
	if source, is := w.Source.(*witness.Witness); !is || !source.AtEnd {
		return nil
	}
	var is map[string]any
	if err := json.Unmarshal(r.m.EncodeData(r.s), &is); err != nil {
		return err
	}
	for name, value := range w.Values {
		run, field := is[name]
		if !field {
			continue // a parameter, or a member of a record
		}
		if text, is := run.(string); is {
			if d, err := time.ParseDuration(text); err == nil {
				run = ir.FormatDuration(int64(d))
			}
		}
		said, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if has, err := json.Marshal(run); err != nil || string(has) != string(said) {
			return fmt.Errorf("%s is %s, and the witness says %s", name, has, said)
		}
	}
	return nil
}

func (r *replay) take(in machine.Input) error {
	next, commands, record, err := r.m.Step(r.s, in, r.now, r.ask)
	if err != nil {
		return err
	}
	if next.Status == machine.Halted {
		return fmt.Errorf("halted: %s", next.Halt.Cause)
	}
	for _, c := range commands {
		if c.Kind == machine.StartTask && !c.Task.NotBefore.After(r.now) {
			r.attempt(c.Task)
		}
	}
	r.attempt(oracletest.Begun(r.s, next, in, r.last, r.now)...)
	r.shorten(next)
	r.last = r.now
	if record != nil && (record.Effect == machine.Moved && in.Kind != machine.StartInput || record.Effect == machine.Retried) {
		r.steps++
	}
	r.s = next
	return nil
}

// shorten makes the waits of retries that begin now as short as their usual jitter
// lets them be: the runtime takes one of many, a witness the shortest. Others are
// whole seconds here. An element of a list keeps the wait that the runtime gives it, since
// that decides which element has the next free place.
func (r *replay) shorten(s *machine.Snapshot) {
	if r.asChosen {
		return
	}
	for i := range s.Tasks {
		if r.d.Dos[s.Tasks[i].Do].Fan != nil {
			continue
		}
		if wait := s.Tasks[i].NotBefore.Sub(r.now); wait > 0 && wait%time.Second != 0 {
			s.Tasks[i].NotBefore = r.now.Add(wait * 8 / 10)
		}
	}
}

// attempt counts attempts that start.
func (r *replay) attempt(tasks ...machine.Task) {
	for _, t := range tasks {
		r.attempts[r.d.Activities[r.d.Dos[t.Do].Activity].Name]++
	}
}

// deferAgain lets the state defer again what it does defer: no row tells of that.
func (r *replay) deferAgain() {
	for {
		in, due := r.m.Next(r.s, r.now)
		if !due || in.Kind != machine.KeptInput {
			return
		}
		next, _, record, err := r.m.Step(r.s, in, r.now, r.ask)
		if err != nil || record != nil {
			return
		}
		r.s = next
	}
}

// ask answers a host guard with what the row says of the call that is most like
// the one at hand.
func (r *replay) ask(guard int, args []machine.Value) (bool, error) {
	answer, best := false, -1
	for _, text := range slices.Sorted(maps.Keys(r.guards)) {
		if likeness := r.likeness(text, args); strings.HasPrefix(text, r.d.Guards[guard].Name+"(") && likeness > best {
			answer, best = r.guards[text], likeness
		}
	}
	return answer, nil
}

// likeness says how many arguments of a call, as written, are known to be those in
// args; -1 where some are known to be others. A field may have been assigned
// earlier in the step, so that its value says little.
func (r *replay) likeness(call string, args []machine.Value) int {
	_, list, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
	alike := 0
	for i, text := range strings.Split(list, ", ") {
		if i >= len(args) {
			break
		}
		known, certain := r.argument(text)
		switch {
		case known == "":
		case known == fmt.Sprint(args[i]):
			alike++
		case certain:
			return -1
		}
	}
	return alike
}

// argument is the value of an argument as text, as far as it is known, and whether
// it can have no other in this step.
func (r *replay) argument(text string) (value string, certain bool) {
	if name, isField := strings.CutPrefix(text, "event."); isField {
		if n, isInt := r.data[name].(int64); isInt {
			return fmt.Sprint(machine.IntValue(n)), true
		}
		return "", false
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return fmt.Sprint(machine.IntValue(n)), true
	}
	named := func(f machine.Field) bool { return f.Name == text }
	if i := slices.IndexFunc(r.d.Params, named); i >= 0 && i < len(r.s.Params) {
		return fmt.Sprint(r.s.Params[i]), true
	}
	if i := slices.IndexFunc(r.d.Fields, named); i >= 0 && i < len(r.s.Data) {
		return fmt.Sprint(r.s.Data[i]), false
	}
	return "", false
}

// input is what a row says comes, at the time at which it can.
func (r *replay) input(row diag.Step) (machine.Input, error) {
	text, deferred := strings.CutSuffix(row.Input, " (deferred)")
	text, dropped := strings.CutSuffix(text, " (deferred, dropped)")
	next, due := r.m.Next(r.s, r.now)
	cost, over := strings.CutPrefix(text, "over_budget(")
	switch {
	case text == "over_budget(time)":
		return r.timer(text)
	case over && due && next.Over == strings.TrimSuffix(cost, ")"):
		return next, nil
	case over && !due:
		return r.pass(strings.TrimSuffix(cost, ")"))
	case text == "done" || deferred || dropped:
		if !due {
			return next, fmt.Errorf("nothing is due")
		}
		return next, nil
	case text == "cancel":
		return machine.Input{Kind: machine.CancelInput}, nil
	case strings.HasPrefix(text, "after "):
		return r.timer(strings.TrimPrefix(text, "after "))
	case due:
		return next, fmt.Errorf("%s is due before", next.Kind)
	case strings.HasSuffix(text, " checkpoint"):
		in, err := r.raised(strings.TrimSuffix(text, " checkpoint"), machine.ProgressInput, -1)
		in.Since = r.now
		return in, err
	case strings.HasSuffix(text, " ended"):
		return r.raised(strings.TrimSuffix(text, " ended"), machine.ResultInput, -1)
	}
	label, name, labelled := strings.Cut(text, ".")
	if !labelled {
		label, name = "", text
	}
	if category, failed := strings.CutPrefix(name, "failed("); failed {
		in, err := r.raised(label, machine.FailureInput, -1)
		for i, c := range r.d.Categories {
			if c == strings.TrimSuffix(category, ")") {
				in.Category = i
			}
		}
		return in, err
	}
	for i, e := range r.d.Events {
		_, exit, _ := strings.Cut(e.Name, ".") // of a machine that is called
		if _, err := r.raised(label, machine.ResultInput, i); e.Name != name && (exit != name || err != nil) {
			continue
		}
		in := machine.Input{Kind: machine.EventInput, Event: i}
		var err error
		if e.Internal {
			if in, err = r.raised(label, machine.ResultInput, i); err != nil {
				return in, err
			}
		}
		in.Data, err = r.m.DecodePayload(i, filled(r.d, e.Fields, row.Data))
		return in, err
	}
	return next, fmt.Errorf("there is no event %s", name)
}

// reports are what an attempt of a do says, so that those costs pass their budgets.
func (r *replay) reports(do int, costs []string) (report []machine.Cost) {
	for _, c := range r.d.Activities[r.d.Dos[do].Activity].Costs {
		if slices.Contains(costs, c.Name) {
			report = append(report, machine.Cost{Name: c.Name, Amount: "1000000"})
		}
	}
	slices.SortFunc(report, func(a, b machine.Cost) int { return strings.Compare(a.Name, b.Name) })
	return report
}

// pass has an attempt say what makes over_budget of a cost due: of those behind it as well, if this one comes first then.
func (r *replay) pass(cost string) (machine.Input, error) {
	over := machine.Input{Kind: machine.OverBudgetInput, Over: cost}
	for _, t := range r.s.Tasks {
		for _, costs := range [][]string{append([]string{cost}, r.overs...), {cost}} {
			report := r.reports(t.Do, costs)
			if t.State != machine.TaskOpen || !slices.ContainsFunc(report, func(c machine.Cost) bool { return c.Name == cost }) {
				break
			}
			if t.NotBefore.After(r.now) {
				r.now = t.NotBefore
			}
			in := machine.Input{Kind: machine.SpentInput, Do: t.Do, Key: t.Key, Attempt: t.Attempt, Cost: report}
			if next, _, _, err := r.m.Step(r.s, in, r.now, r.ask); err != nil || next.OverDue[0] == cost {
				return over, r.take(in)
			}
		}
	}
	return over, fmt.Errorf("no attempt spends %s", cost)
}

// timer waits for the running timer with the delay given, or for that of the budget; it, or
// another with this delay, must be the next.
func (r *replay) timer(delay string) (machine.Input, error) {
	has := func(timer int) bool {
		name := r.d.Timers[timer].Name
		_, after, isAfter := strings.Cut(name, "after ")
		if !isAfter {
			after = name
		}
		return strings.FieldsFunc(after, func(r rune) bool { return r == '#' || r == ' ' })[0] == delay
	}
	for i, a := range r.s.Alarms {
		if !has(a.Timer) {
			continue
		}
		timer := r.d.Timers[a.Timer]
		switch wait := a.Due.Sub(r.now); {
		case wait <= 0:
		case r.timed && timer.Jitter > 0 && float64(wait) <= timer.Jitter*float64(timer.Delay): // the runtime takes one of many waits
			next := *r.s
			next.Alarms = slices.Clone(next.Alarms)
			next.Alarms[i].Due = r.now
			r.s = &next
		default:
			r.now = a.Due
		}
		in, due := r.m.Next(r.s, r.now)
		if !due || in.Kind != machine.TimerInput || !has(in.Timer) {
			return in, fmt.Errorf("after %s does not come next", delay)
		}
		return in, nil
	}
	return machine.Input{}, fmt.Errorf("after %s does not run", delay)
}

// raised is what an open attempt says: of the do with the label, of one that can
// raise the event, or of any.
func (r *replay) raised(label string, kind machine.InputKind, event int) (machine.Input, error) {
	label, index, element := machine.CutElement(label)
	for _, task := range r.s.Tasks {
		do := r.d.Dos[task.Do]
		if element != (do.Fan != nil) && label != "" || element && index != task.Index {
			continue
		}
		_, own, _ := strings.Cut(do.Name, ".")
		own = own[strings.LastIndex(own, ".")+1:]
		results := r.d.Activities[do.Activity].Results
		says := event < 0 && (kind != machine.ResultInput || len(results) == 0)
		for _, e := range results {
			says = says || e == event
		}
		if task.State == machine.TaskOpen && says && (label == "" || label == own) {
			in := machine.Input{Kind: kind, Event: event, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt}
			if kind != machine.ProgressInput {
				in.Cost = r.reports(task.Do, r.overs)
			}
			return in, nil
		}
	}
	return machine.Input{}, fmt.Errorf("no attempt can say that")
}

// filled is the JSON of fields: those of data, and something that fits for the rest. Places
// of a record, such as "order.id", are members of its object.
func filled(d *machine.Definition, fields []machine.Field, data map[string]any) json.RawMessage {
	out := map[string]any{}
	for _, f := range fields {
		out[f.Name] = zero(d, &f.Type)
	}
	maps.Copy(out, data)
	for name, v := range data {
		if v == nil { // of a record nothing else is there then
			maps.DeleteFunc(out, func(leaf string, _ any) bool { return strings.HasPrefix(leaf, name+".") })
		}
	}
	text, _ := json.Marshal(nested(out))
	return text
}

func nested(leaves map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range leaves {
		path := strings.Split(name, ".")
		in := out
		for _, record := range path[:len(path)-1] {
			if in[record] == nil {
				in[record] = map[string]any{}
			}
			in = in[record].(map[string]any)
		}
		in[path[len(path)-1]] = v
	}
	return out
}

func zero(d *machine.Definition, t *machine.Type) any {
	switch t.Kind {
	case machine.Bool:
		return false
	case machine.Int:
		if t.Min != nil {
			return *t.Min
		}
		return 0
	case machine.Float:
		return 0
	case machine.DurationKind:
		if t.Max != nil {
			return time.Duration(*t.Max).String()
		}
		return "1h"
	case machine.TimeKind:
		return "2026-01-01T00:00:00Z"
	case machine.EnumKind:
		return d.Enums[t.Enum].Values[0]
	case machine.ListKind:
		items := []any{}
		for t.Len != nil && int64(len(items)) < t.Len.Min {
			items = append(items, zero(d, t.Elem))
		}
		return items
	case machine.RecordKind:
		return filled(d, t.Fields, nil)
	}
	return ""
}

// TestWitnessesReplay replays every witness of every rule's examples.
func TestWitnessesReplay(t *testing.T) {
	played := 0
	for _, source := range langtest.Sources(t, "../rule/*/testdata/*.fsm") {
		for _, m := range lang.Load([]lang.Source{source}).Program.Machines {
			if m.Broken || m.Incomplete {
				continue
			}
			for _, d := range check.Run(&ir.Program{Machines: []*ir.Machine{m}}, all.Rules) {
				if d.Witness == nil || len(d.Witness.Path) == 0 {
					continue
				}
				r, err := newReplay(m)
				if err != nil {
					continue // what generators would not take either
				}
				if err := r.play(d.Witness); err != nil {
					t.Errorf("%s: %s: %s: %v\n%+v", d.Span, d.Rule, d.Message, err, d.Witness)
				}
				holdsAll(t, m, d)
				played++
			}
		}
	}
	if played < 50 {
		t.Errorf("only %d witnesses", played)
	}
}

// holdsAll holds that the witness of d, written as JSON, has every parameter, and
// every field of the events that come.
func holdsAll(t *testing.T, m *ir.Machine, d diag.Diagnostic) {
	t.Helper()
	w := diag.JSON(diag.List{d})[0].Witness
	if len(w.Path) == 1 {
		return // nothing comes
	}
	for _, v := range m.Inputs() {
		if _, said := w.Params[v.Name]; !said && !v.Optional {
			t.Errorf("%s: %s: the witness has no parameter %q", d.Span, d.Rule, v.Name)
		}
	}
	for i, row := range w.Path {
		_, name, labelled := strings.Cut(row.Input, ".")
		if !labelled {
			name = row.Input
		}
		for _, e := range m.Events {
			for _, f := range e.Fields {
				if _, said := row.Data[f.Name]; e.Name == name && !said && !f.Optional {
					t.Errorf("%s: %s: row %d, %s, has no %q", d.Span, d.Rule, i, row.Input, f.Name)
				}
			}
		}
	}
}

// TestWorstRunsReplay replays the worst runs, and counts.
func TestWorstRunsReplay(t *testing.T) {
	for _, name := range []string{"codereview", "patch", "order"} {
		m := langtest.Machines(t, "../testdata/"+name+".fsm")[0]
		w := check.Bounds(m, explore.DefaultLimit)
		for i, f := range append([]check.Figure{w.Steps}, w.Activities...) {
			r, err := newReplay(m)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.play(f.Run.Diag()); err != nil {
				t.Errorf("%s: the worst run of %q: %v", m.Name, f.Name, err)
				continue
			}
			got := r.steps
			if i > 0 {
				got = r.attempts[f.Name]
			}
			if want := f.Amount.Num().Int64(); int64(got) != want {
				t.Errorf("%s: the worst run takes %d %s, want %d", m.Name, got, f.Name, want)
			}
		}
	}
}
