package machinetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A builder makes a Definition from a compact description, so that tests need
// no compiler. Expressions are written as Go expressions ("n + 1",
// `event.x == Color.Red`, `d("30s")`, "set(x)", "maybe(x)"); types as in the language.

type Part func(b *builder, parent int)

type builder struct {
	d     *machine.Definition
	ons   map[int][]on
	types map[string]machine.Type
	each  map[string]machine.Type // of an element, as the last do that has some reads it
	fix   []func()

	records map[string]machine.Type
}

type on struct {
	triggers []string // "E", "a.E", "done", "cancel", "failed", "failed(x)", "a.failed(x)"
	arms     []int
}

// define builds a definition; the initial state of a composite is its first.
func Define(parts ...Part) *machine.Definition {
	b := &builder{d: &machine.Definition{Format: machine.Format, Name: "M"}, ons: make(map[int][]on)}
	b.d.States = []machine.State{{Kind: machine.CompositeState, Parent: -1, Initial: 1}}
	for _, p := range parts {
		p(b, 0)
	}
	b.d.Categories = append(b.d.Categories, "unknown", "timeout", "silent", "stalled")
	for len(b.fix) > 0 {
		f := b.fix[0]
		b.fix = b.fix[1:]
		f()
	}
	b.flatten()
	return b.d
}

func Build(t testing.TB, parts ...Part) *machine.Machine {
	t.Helper()
	m, err := machine.Compile(Define(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (b *builder) typ(s string) machine.Type {
	if length, elem, ok := strings.Cut(s, "]"); ok {
		t := b.typ(elem)
		list := machine.Type{Kind: machine.ListKind, Elem: &t}
		if length != "[" {
			list.Len = new(machine.Length)
			if _, err := fmt.Sscanf(length, "[%d..%d", &list.Len.Min, &list.Len.Max); err != nil {
				panic(err)
			}
		}
		return list
	}
	name, limits, ranged := strings.Cut(s, " ")
	for i, e := range b.d.Enums {
		if e.Name == name {
			return machine.Type{Kind: machine.EnumKind, Enum: i}
		}
	}
	if t, ok := b.records[name]; ok {
		return t
	}
	t := machine.Type{Kind: machine.Kind(name)}
	if ranged {
		low, high, _ := strings.Cut(limits, "..")
		bound := func(s string) *int64 {
			if t.Kind == machine.DurationKind {
				d := int64(Duration(s))
				return &d
			}
			n, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				panic(err)
			}
			return &n
		}
		t.Min, t.Max = bound(low), bound(high)
	}
	return t
}

func Duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

// fieldsOf reads "a int 0..3, b string?".
func (b *builder) fieldsOf(list string) []machine.Field {
	var out []machine.Field
	for _, f := range strings.Split(list, ",") {
		if f = strings.TrimSpace(f); f != "" {
			name, typ, _ := strings.Cut(f, " ")
			typ, value, hasDefault := strings.Cut(typ, " = ")
			typ, optional := strings.CutSuffix(typ, "?")
			field := machine.Field{Name: name, Type: b.typ(typ), Optional: optional}
			if hasDefault {
				field.Default = json.RawMessage(value)
			}
			out = append(out, field)
		}
	}
	return out
}

func WithParams(list string) Part {
	return func(b *builder, _ int) { b.d.Params = b.fieldsOf(list) }
}

func WithFields(list string) Part {
	return func(b *builder, _ int) { b.d.Fields = b.fieldsOf(list) }
}

func WithEnum(name string, values ...string) Part {
	return func(b *builder, _ int) { b.d.Enums = append(b.d.Enums, machine.Enum{Name: name, Values: values}) }
}

// WithRecord declares the type of items of lists; fields have the names of its leaves.
func WithRecord(name, fields string) Part {
	return func(b *builder, _ int) {
		if b.records == nil {
			b.records = map[string]machine.Type{}
		}
		b.records[name] = machine.Type{Kind: machine.RecordKind, Name: name, Fields: b.fieldsOf(fields)}
	}
}

func WithEvent(name, fields string) Part {
	return func(b *builder, _ int) {
		b.d.Events = append(b.d.Events, machine.Event{Name: name, Fields: b.fieldsOf(fields)})
	}
}

func WithGuard(name, fields string) Part {
	return func(b *builder, _ int) {
		b.d.Guards = append(b.d.Guards, machine.Guard{Name: name, Params: b.fieldsOf(fields)})
	}
}

// Calling declares a machine that may run as a child, as an activity of its name. Its
// enums and records are not declared with it.
func Calling(child *machine.Machine) Part {
	return func(b *builder, parent int) {
		d := child.Definition()
		var results []string
		for i := range d.States {
			if s := &d.States[i]; s.Kind == machine.TerminalState {
				e := machine.Event{Name: d.Name + "." + s.Path}
				for _, r := range s.Returns {
					from := d.Fields
					if r.Op == "param" {
						from = d.Params
					}
					e.Fields = append(e.Fields, machine.Field{Name: from[r.Index].Name, Type: from[r.Index].Type})
				}
				b.d.Events = append(b.d.Events, e)
				results = append(results, e.Name)
			}
		}
		WithActivity(d.Name, "", strings.Join(results, " "), "cancelled")(b, parent)
		a := &b.d.Activities[len(b.d.Activities)-1]
		a.Callee, a.Params = child.Hash(), d.Params
	}
}

// Named gives the machine another name than M.
func Named(name string) Part {
	return func(b *builder, _ int) { b.d.Name = name }
}

// WithLimit gives an activity a limit over all runs.
func WithLimit(activity string, l machine.Limit) Part {
	return func(b *builder, _ int) {
		for i := range b.d.Activities {
			if b.d.Activities[i].Name == activity {
				b.d.Activities[i].Limit = &l
			}
		}
	}
}

// WithCosts gives an activity costs, or the machine a budget of them where it is empty:
// "usd 0.4, tokens 10".
func WithCosts(activity, costs string) Part {
	return func(b *builder, _ int) {
		var list []machine.Cost
		for _, c := range strings.Split(costs, ", ") {
			name, amount, _ := strings.Cut(c, " ")
			list = append(list, machine.Cost{Name: name, Amount: amount})
		}
		if activity == "" {
			b.d.Budget = &machine.Budget{Costs: list}
		}
		for i := range b.d.Activities {
			if b.d.Activities[i].Name == activity {
				b.d.Activities[i].Costs = list
			}
		}
	}
}

// activity: results and failures are lists of names.
func WithActivity(name, fields, results, fails string) Part {
	return func(b *builder, _ int) {
		a := machine.Activity{Name: name, Params: b.fieldsOf(fields)}
		for _, r := range strings.Fields(results) {
			e := b.event(r)
			b.d.Events[e].Internal = true
			a.Results = append(a.Results, e)
		}
		for _, f := range strings.Fields(fails) {
			if !slices.Contains(b.d.Categories, f) {
				b.d.Categories = append(b.d.Categories, f)
			}
			a.Fails = append(a.Fails, slices.Index(b.d.Categories, f))
		}
		b.d.Activities = append(b.d.Activities, a)
	}
}

func (b *builder) event(name string) int {
	i := slices.IndexFunc(b.d.Events, func(e machine.Event) bool { return e.Name == name })
	if i < 0 {
		panic("no event " + name)
	}
	return i
}

func (b *builder) state(path string) int {
	i := slices.IndexFunc(b.d.States, func(s machine.State) bool { return s.Path == path })
	if i < 0 {
		panic("no state " + path)
	}
	return i
}

func WithState(name string, parts ...Part) Part {
	return func(b *builder, parent int) {
		i := len(b.d.States)
		path := name
		if parent > 0 {
			path = b.d.States[parent].Path + "." + name
		}
		b.d.States = append(b.d.States, machine.State{Path: path, Kind: machine.LeafState, Parent: parent, Initial: -1})
		if p := &b.d.States[parent]; parent > 0 && p.Kind == machine.LeafState {
			p.Kind, p.Initial = machine.CompositeState, i
		}
		for _, p := range parts {
			p(b, i)
		}
		_, isDone := b.find(i, "done")
		b.d.States[i].Choice = isDone && len(b.d.States[i].Dos) == 0 && b.d.States[i].Kind == machine.LeafState
	}
}

func (b *builder) find(state int, trigger string) (on, bool) {
	for _, o := range b.ons[state] {
		if slices.Contains(o.triggers, trigger) {
			return o, true
		}
	}
	return on{}, false
}

func WithTerminal(name string, outcome machine.Outcome, effects ...ArmPart) Part {
	return func(b *builder, parent int) {
		i := len(b.d.States)
		b.d.States = append(b.d.States, machine.State{Path: name, Kind: machine.TerminalState, Outcome: outcome, Initial: -1})
		b.d.States[i].Entry = b.block(effects)
	}
}

// Returning lets the terminal called name, which is declared before, return params and fields.
func Returning(name string, returned ...string) Part {
	return func(b *builder, _ int) {
		t := &b.d.States[b.state(name)]
		for _, r := range returned {
			t.Returns = append(t.Returns, b.expr(r, nil))
		}
	}
}

// block makes a Block of effects; nil where there are none.
func (b *builder) block(effects []ArmPart) *machine.Block {
	var a machine.Arm
	for _, e := range effects {
		e(b, &a, nil)
	}
	return a.Block
}

func Entering(effects ...ArmPart) Part {
	return func(b *builder, s int) { b.d.States[s].Entry = b.block(effects) }
}

func Leaving(effects ...ArmPart) Part {
	return func(b *builder, s int) { b.d.States[s].Exit = b.block(effects) }
}

func WithRequire(cond, target string) Part {
	return func(b *builder, s int) {
		r := &machine.Require{Cond: b.expr(cond, nil)}
		b.d.States[s].Require = r
		b.fix = append(b.fix, func() { r.Target = b.state(target) })
	}
}

// do: options are "for l", "limit 2", "as a", "per run", "per S", "timeout 5s", "heartbeat 5s",
// "progress 5s". With "for l" it runs for each element of the list l, which the arguments
// read as each.item and each.index.
func Doing(activity string, args []string, options ...string) Part {
	return func(b *builder, s int) {
		i := len(b.d.Dos)
		d := machine.Do{Name: b.d.States[s].Path + "/" + activity, State: s, Scope: machine.Scope{Kind: machine.PerVisit, State: -1}}
		d.Activity = slices.IndexFunc(b.d.Activities, func(a machine.Activity) bool { return a.Name == activity })
		for _, o := range options {
			word, value, _ := strings.Cut(o, " ")
			switch word {
			case "for":
				d.Fan = &machine.Fan{List: b.expr(value, nil)}
				b.each = map[string]machine.Type{"item": *d.Fan.List.Type.Elem, "index": {Kind: machine.Int}}
			case "limit":
				d.Fan.Limit, _ = strconv.ParseInt(value, 10, 64)
			}
		}
		for k, a := range args {
			d.Args = append(d.Args, b.expr(a, &b.d.Activities[d.Activity].Params[k].Type))
		}
		for _, o := range options {
			word, value, _ := strings.Cut(o, " ")
			switch word {
			case "for", "limit":
			case "as":
				d.Label = value
				d.Name += "/" + value
			case "per":
				b.fix = append(b.fix, func() { b.d.Dos[i].Scope = b.scope(value) })
			default:
				ns := int64(Duration(value))
				*map[string]**int64{"timeout": &d.Timeout, "heartbeat": &d.Heartbeat, "progress": &d.Progress}[word] = &ns
			}
		}
		b.d.Dos = append(b.d.Dos, d)
		b.d.States[s].Dos = append(b.d.States[s].Dos, i)
	}
}

func (b *builder) scope(s string) machine.Scope {
	if s == "run" || s == "visit" {
		return machine.Scope{Kind: machine.ScopeKind(s), State: -1}
	}
	return machine.Scope{Kind: machine.PerState, State: b.state(s)}
}

// after: wait is a duration, or the name of a parameter or field.
func After(wait string, parts ...any) Part {
	return func(b *builder, s int) {
		i := len(b.d.Timers)
		timer := machine.Timer{Name: fmt.Sprintf("%s/after %s #%d", b.d.States[s].Path, wait, i), State: s}
		if d, err := time.ParseDuration(wait); err == nil {
			timer.Delay = int64(d)
		} else {
			timer.Var = b.expr(wait, nil)
		}
		var arms []Arm
		for _, p := range parts {
			switch p := p.(type) {
			case string:
				timer.Idle = true
			case float64:
				timer.Jitter = p
			case Arm:
				arms = append(arms, p)
			}
		}
		b.d.Timers = append(b.d.Timers, timer)
		b.d.States[s].Timers = append(b.d.States[s].Timers, i)
		b.ons[s] = append(b.ons[s], on{[]string{fmt.Sprintf("timer %d", i)}, b.arms(s, arms, nil)})
	}
}

// when_ handles triggers, separated by ", ", with arms.
func On(triggers string, arms ...Arm) Part {
	return func(b *builder, s int) {
		list := strings.Split(triggers, ", ")
		b.ons[s] = append(b.ons[s], on{list, b.arms(s, arms, list)})
	}
}

type Arm struct {
	kind   machine.ArmKind
	target string
	parts  []ArmPart
}

type ArmPart func(b *builder, a *machine.Arm, triggers []string)

// armOf is an arm of any kind.
func ArmOf(kind machine.ArmKind, target string, parts ...ArmPart) Arm {
	return Arm{kind, target, parts}
}

func GoTo(target string, parts ...ArmPart) Arm { return Arm{machine.GotoArm, target, parts} }
func Retry(n int64, parts ...ArmPart) Arm {
	return Arm{machine.RetryArm, "", append(parts, Bound(n, ""))}
}
func Stay(parts ...ArmPart) Arm      { return Arm{machine.StayArm, "", parts} }
func Refuse(parts ...ArmPart) Arm    { return Arm{machine.RejectArm, "", parts} }
func Ignore(parts ...ArmPart) Arm    { return Arm{machine.IgnoreArm, "", parts} }
func Deferring(parts ...ArmPart) Arm { return Arm{machine.DeferArm, "", parts} }

func (b *builder) arms(s int, specs []Arm, triggers []string) []int {
	var out []int
	for _, spec := range specs {
		i := len(b.d.Arms)
		a := machine.Arm{State: s, Kind: spec.kind, Target: -1, Scope: machine.Scope{Kind: machine.PerRun, State: -1}}
		if spec.kind == machine.RetryArm {
			a.Scope.Kind = machine.PerVisit
		}
		a.Name = fmt.Sprintf("%s#%d", b.d.States[s].Path, i)
		a.Text = string(spec.kind) + " " + spec.target
		b.d.Arms = append(b.d.Arms, a)
		for _, p := range spec.parts {
			p(b, &b.d.Arms[i], triggers)
		}
		if spec.kind == machine.GotoArm {
			b.fix = append(b.fix, func() { b.d.Arms[i].Target = b.state(spec.target) })
		}
		out = append(out, i)
	}
	return out
}

func When(e string) ArmPart {
	return func(b *builder, a *machine.Arm, triggers []string) {
		b.triggers(triggers)
		a.When = b.expr(e, nil)
	}
}

func Bound(n int64, scope string) ArmPart {
	return func(b *builder, a *machine.Arm, _ []string) {
		a.Max = &n
		if i := slices.IndexFunc(b.d.Arms, func(x machine.Arm) bool { return x.Name == a.Name }); scope != "" {
			b.fix = append(b.fix, func() { b.d.Arms[i].Scope = b.scope(scope) })
		}
	}
}

func WithBackoff(first, last string, factor, jitter float64) ArmPart {
	return func(_ *builder, a *machine.Arm, _ []string) {
		a.Backoff = &machine.Backoff{First: int64(Duration(first)), Last: int64(Duration(last)), Factor: factor, Jitter: jitter}
	}
}

func By(e string) ArmPart {
	return func(b *builder, a *machine.Arm, triggers []string) {
		b.triggers(triggers)
		a.Backoff = &machine.Backoff{By: b.expr(e, &machine.Type{Kind: machine.DurationKind})}
	}
}

// set assigns a field; "unset" unsets it.
func Set(field, e string) ArmPart {
	return func(b *builder, a *machine.Arm, triggers []string) {
		b.triggers(triggers)
		b.own(a)
		i := indexOf(b.d.Fields, field)
		assign := machine.Assign{Field: i}
		if e != "unset" {
			assign.Value = b.expr(e, &b.d.Fields[i].Type)
		}
		a.Block.Assigns = append(a.Block.Assigns, assign)
	}
}

// publish: values in the order of the event's fields.
func Publishing(name string, values ...string) ArmPart {
	return func(b *builder, a *machine.Arm, triggers []string) {
		b.triggers(triggers)
		b.own(a)
		p := machine.Publish{Event: b.event(name)}
		for i, v := range values {
			p.Values = append(p.Values, b.expr(v, &b.d.Events[p.Event].Fields[i].Type))
		}
		a.Block.Publishes = append(a.Block.Publishes, p)
	}
}

func (b *builder) own(a *machine.Arm) {
	if a.Block == nil {
		a.Block = &machine.Block{}
	}
}

func indexOf(fields []machine.Field, name string) int {
	return slices.IndexFunc(fields, func(f machine.Field) bool { return f.Name == name })
}

// failure is what event.x is in the arm of a failure.
var failure = []machine.Field{
	{Name: "category", Type: machine.Type{Kind: machine.String}}, {Name: "message", Type: machine.Type{Kind: machine.String}},
	{Name: "activity", Type: machine.Type{Kind: machine.String}}, {Name: "attempt", Type: machine.Type{Kind: machine.Int}},
}

// triggers notes the types that event.x has under them.
func (b *builder) triggers(triggers []string) {
	b.types = maps.Clone(b.each)
	if b.types == nil {
		b.types = make(map[string]machine.Type)
	}
	for _, t := range triggers {
		fields := failure
		if e := b.ofTrigger(t); e != nil {
			fields = e.Fields
		}
		for _, f := range fields {
			b.types[f.Name] = f.Type
		}
	}
}

// ofTrigger is the event that a trigger names: its name, or with a label its own part of it.
func (b *builder) ofTrigger(trigger string) *machine.Event {
	_, own, _ := strings.Cut(trigger, ".")
	for i := range b.d.Events {
		if e := &b.d.Events[i]; e.Name == trigger || ownName(e.Name) == own {
			return e
		}
	}
	return nil
}

// ownName is the name of an event without that of the machine whose terminal it is.
func ownName(event string) string { return event[strings.IndexByte(event, '.')+1:] }

// expr reads a Go expression; a literal takes the type that is wanted.
func (b *builder) expr(text string, want *machine.Type) *machine.Expr {
	e, err := parser.ParseExpr(text)
	if err != nil {
		panic(err)
	}
	return b.convert(e, want)
}

// place is a name with points in it.
func place(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return place(s.X) + "." + s.Sel.Name
	}
	return e.(*ast.Ident).Name
}

func (b *builder) convert(e ast.Expr, want *machine.Type) *machine.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return b.convert(e.X, want)
	case *ast.BasicLit:
		return b.literal(e, want)
	case *ast.CompositeLit:
		if name, ok := e.Type.(*ast.Ident); ok && b.records[name.Name].Kind != "" {
			out := &machine.Expr{Op: "record", Type: b.records[name.Name]}
			for i, x := range e.Elts {
				out.Args = append(out.Args, b.convert(x, &out.Type.Fields[i].Type))
			}
			return out
		}
		return &machine.Expr{Op: "lit", Type: *want, Value: json.RawMessage("[]")}
	case *ast.Ident:
		return b.ident(e.Name)
	case *ast.SelectorExpr:
		name := place(e)
		if of, ok := strings.CutPrefix(name, "event."); ok {
			return &machine.Expr{Op: "event", Name: of, Type: b.types[of]}
		}
		if indexOf(b.d.Params, name) >= 0 || indexOf(b.d.Fields, name) >= 0 {
			return b.ident(name)
		}
		if of, ok := strings.CutPrefix(name, "each."); ok {
			return &machine.Expr{Op: "each", Name: of, Type: b.each[of]}
		}
		left := e.X.(*ast.Ident).Name
		if left == "run" {
			return &machine.Expr{Op: "run", Name: e.Sel.Name, Type: machine.Type{Kind: map[string]machine.Kind{"id": machine.String, "started": machine.TimeKind}[e.Sel.Name]}}
		}
		return &machine.Expr{Op: "lit", Type: b.typ(left), Value: json.RawMessage(strconv.Quote(e.Sel.Name))}
	case *ast.UnaryExpr:
		x := b.convert(e.X, want)
		op := e.Op.String()
		if op == "-" {
			op = "neg"
		}
		return &machine.Expr{Op: op, Type: machine.Type{Kind: x.Type.Kind}, Args: []*machine.Expr{x}}
	case *ast.BinaryExpr:
		return b.binary(e, want)
	case *ast.CallExpr:
		return b.call(e, want)
	}
	panic(fmt.Sprintf("%T", e))
}

func (b *builder) literal(e *ast.BasicLit, want *machine.Type) *machine.Expr {
	switch {
	case e.Kind == token.STRING:
		return &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.String}, Value: quoted(e.Value)}
	case e.Kind == token.FLOAT || want != nil && want.Kind == machine.Float:
		return &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.Float}, Value: json.RawMessage(e.Value)}
	}
	return &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.Int}, Value: json.RawMessage(e.Value)}
}

// quoted turns a Go string literal into a JSON one.
func quoted(literal string) json.RawMessage {
	text, err := strconv.Unquote(literal)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func (b *builder) ident(name string) *machine.Expr {
	switch name {
	case "now":
		return &machine.Expr{Op: "now", Type: machine.Type{Kind: machine.TimeKind}}
	case "true", "false":
		return &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.Bool}, Value: json.RawMessage(name)}
	}
	if i := indexOf(b.d.Params, name); i >= 0 {
		return &machine.Expr{Op: "param", Index: i, Type: b.d.Params[i].Type}
	}
	i := indexOf(b.d.Fields, name)
	if i < 0 {
		panic("no field " + name)
	}
	return &machine.Expr{Op: "field", Index: i, Type: b.d.Fields[i].Type}
}

func (b *builder) binary(e *ast.BinaryExpr, want *machine.Type) *machine.Expr {
	op := e.Op.String()
	x := b.convert(e.X, want)
	y := b.convert(e.Y, &x.Type)
	if x.Type.Kind == machine.Int && y.Type.Kind == machine.Float {
		x = b.convert(e.X, &y.Type)
	}
	out := &machine.Expr{Op: op, Args: []*machine.Expr{x, y}}
	xk, yk := x.Type.Kind, y.Type.Kind
	switch op {
	case "+", "-", "*":
		out.Type = machine.Type{Kind: xk, Elem: x.Type.Elem}
		switch {
		case xk == machine.TimeKind && yk == machine.TimeKind:
			out.Type.Kind = machine.DurationKind
		case op == "*" && yk == machine.DurationKind, op == "+" && yk == machine.TimeKind:
			out.Type.Kind = yk
		}
	default:
		out.Type.Kind = machine.Bool
	}
	return out
}

func (b *builder) call(e *ast.CallExpr, want *machine.Type) *machine.Expr {
	name := e.Fun.(*ast.Ident).Name
	if name == "d" {
		text, _ := strconv.Unquote(e.Args[0].(*ast.BasicLit).Value)
		return &machine.Expr{Op: "lit", Type: machine.Type{Kind: machine.DurationKind}, Value: json.RawMessage(strconv.Quote(text))}
	}
	out := &machine.Expr{Op: name, Type: machine.Type{Kind: machine.Bool}}
	for _, a := range e.Args {
		out.Args = append(out.Args, b.convert(a, want))
	}
	switch name {
	case "maybe": // read as unset where it is
		out.Args[0].OrUnset = true
		return out.Args[0]
	case "set":
	case "len":
		out.Type.Kind = machine.Int
	case "min", "max":
		out.Type.Kind = out.Args[0].Type.Kind
	default:
		out.Op, out.Index = "guard", slices.IndexFunc(b.d.Guards, func(g machine.Guard) bool { return g.Name == name })
	}
	return out
}

// flatten lists for each leaf and each input the arms from the leaf outwards.
func (b *builder) flatten() {
	for i := range b.d.States {
		leaf := &b.d.States[i]
		if leaf.Kind != machine.LeafState {
			continue
		}
		add := func(h machine.Handler, tiers ...string) {
			for s := i; s >= 0; s = b.d.States[s].Parent {
				for _, t := range tiers {
					if o, ok := b.find(s, t); ok {
						h.Arms = append(h.Arms, o.arms...)
						for _, more := range b.ons[s] {
							if slices.Contains(more.triggers, t) && !slices.Equal(more.arms, o.arms) {
								h.Arms = append(h.Arms, more.arms...)
							}
						}
						break
					}
				}
			}
			if len(h.Arms) > 0 {
				leaf.Handlers = append(leaf.Handlers, h)
			}
		}
		none := machine.Handler{Event: -1, Do: -1, Category: -1, Timer: -1}
		for e := range b.d.Events {
			if h := none; !b.d.Events[e].Internal {
				h.Kind, h.Event = machine.EventInput, e
				add(h, b.d.Events[e].Name)
			}
		}
		for _, k := range leaf.Dos {
			b.flattenDo(k, none, add)
		}
		h := none
		h.Kind = machine.DoneInput
		if len(leaf.Dos) > 0 || leaf.Choice {
			add(h, "done")
		}
		h.Kind = machine.CancelInput
		add(h, "cancel")
		if b.d.Budget != nil {
			h.Kind = machine.OverBudgetInput
			for _, c := range b.d.Budget.Costs {
				h.Cost = c.Name
				add(h, "over_budget")
			}
			h.Cost = ""
		}
		for s := i; s >= 0; s = b.d.States[s].Parent {
			for _, k := range b.d.States[s].Timers {
				h.Kind, h.Timer = machine.TimerInput, k
				add(h, fmt.Sprintf("timer %d", k))
			}
		}
	}
}

func (b *builder) flattenDo(k int, none machine.Handler, add func(machine.Handler, ...string)) {
	do := &b.d.Dos[k]
	none.Do = k
	for _, e := range b.d.Activities[do.Activity].Results {
		h := none
		h.Kind, h.Event = machine.ResultInput, e
		name := b.d.Events[e].Name
		add(h, do.Label+"."+ownName(name), name)
	}
	for c, name := range b.d.Categories {
		if h := none; b.d.CanFail(do, c) {
			h.Kind, h.Category = machine.FailureInput, c
			listed := "failed(" + name + ")"
			add(h, do.Label+"."+listed, do.Label+".failed", listed, "failed")
		}
	}
}
