package runtime

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A builder makes a Definition from a compact description, so that tests need
// no compiler. Expressions are written as Go expressions ("n + 1",
// `event.x == Color.Red`, `d("30s")`, "set(x)"); types as in the language.

type part func(b *builder, parent int)

type builder struct {
	d     *Definition
	ons   map[int][]on
	types map[string]Type
	fix   []func()
}

type on struct {
	triggers []string // "E", "a.E", "done", "cancel", "failed", "failed(x)", "a.failed(x)"
	arms     []int
}

// define builds a definition; the initial state of a composite is its first.
func define(parts ...part) *Definition {
	b := &builder{d: &Definition{Format: Format, Name: "M"}, ons: make(map[int][]on)}
	b.d.States = []State{{Kind: CompositeState, Parent: -1, Initial: 1}}
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

func compile(t testing.TB, parts ...part) *Machine {
	t.Helper()
	m, err := Compile(define(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (b *builder) typ(s string) Type {
	if elem, ok := strings.CutPrefix(s, "[]"); ok {
		t := b.typ(elem)
		return Type{Kind: ListKind, Elem: &t}
	}
	name, limits, ranged := strings.Cut(s, " ")
	for i, e := range b.d.Enums {
		if e.Name == name {
			return Type{Kind: EnumKind, Enum: i}
		}
	}
	t := Type{Kind: Kind(name)}
	if ranged {
		low, high, _ := strings.Cut(limits, "..")
		bound := func(s string) *int64 {
			if t.Kind == DurationKind {
				d := int64(mustDuration(s))
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

func mustDuration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

// fieldsOf reads "a int 0..3, b string".
func (b *builder) fieldsOf(list string) []Field {
	var out []Field
	for _, f := range strings.Split(list, ",") {
		if f = strings.TrimSpace(f); f != "" {
			name, typ, _ := strings.Cut(f, " ")
			typ, value, hasDefault := strings.Cut(typ, " = ")
			field := Field{Name: name, Type: b.typ(typ)}
			if hasDefault {
				field.Default = json.RawMessage(value)
			}
			out = append(out, field)
		}
	}
	return out
}

func params(list string) part {
	return func(b *builder, _ int) { b.d.Params = b.fieldsOf(list) }
}

func fields(list string) part {
	return func(b *builder, _ int) { b.d.Fields = b.fieldsOf(list) }
}

func enum(name string, values ...string) part {
	return func(b *builder, _ int) { b.d.Enums = append(b.d.Enums, Enum{name, values}) }
}

func event(name, fields string) part {
	return func(b *builder, _ int) {
		b.d.Events = append(b.d.Events, Event{Name: name, Fields: b.fieldsOf(fields)})
	}
}

func guard(name, fields string) part {
	return func(b *builder, _ int) {
		b.d.Guards = append(b.d.Guards, Guard{Name: name, Params: b.fieldsOf(fields)})
	}
}

// activity: results and failures are lists of names.
func activity(name, fields, results, fails string) part {
	return func(b *builder, _ int) {
		a := Activity{Name: name, Params: b.fieldsOf(fields)}
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
	i := slices.IndexFunc(b.d.Events, func(e Event) bool { return e.Name == name })
	if i < 0 {
		panic("no event " + name)
	}
	return i
}

func (b *builder) state(path string) int {
	i := slices.IndexFunc(b.d.States, func(s State) bool { return s.Path == path })
	if i < 0 {
		panic("no state " + path)
	}
	return i
}

func state(name string, parts ...part) part {
	return func(b *builder, parent int) {
		i := len(b.d.States)
		path := name
		if parent > 0 {
			path = b.d.States[parent].Path + "." + name
		}
		b.d.States = append(b.d.States, State{Path: path, Kind: LeafState, Parent: parent, Initial: -1})
		if p := &b.d.States[parent]; parent > 0 && p.Kind == LeafState {
			p.Kind, p.Initial = CompositeState, i
		}
		for _, p := range parts {
			p(b, i)
		}
		_, isDone := b.find(i, "done")
		b.d.States[i].Choice = isDone && len(b.d.States[i].Dos) == 0 && b.d.States[i].Kind == LeafState
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

func terminal(name string, outcome Outcome, effects ...armPart) part {
	return func(b *builder, parent int) {
		i := len(b.d.States)
		b.d.States = append(b.d.States, State{Path: name, Kind: TerminalState, Outcome: outcome, Initial: -1})
		b.d.States[i].Entry = b.block(effects)
	}
}

// block makes a Block of effects; nil where there are none.
func (b *builder) block(effects []armPart) *Block {
	var a Arm
	for _, e := range effects {
		e(b, &a, nil)
	}
	return a.Block
}

func entry(effects ...armPart) part {
	return func(b *builder, s int) { b.d.States[s].Entry = b.block(effects) }
}

func exit(effects ...armPart) part {
	return func(b *builder, s int) { b.d.States[s].Exit = b.block(effects) }
}

func require(cond, target string) part {
	return func(b *builder, s int) {
		r := &Require{Cond: b.expr(cond, nil)}
		b.d.States[s].Require = r
		b.fix = append(b.fix, func() { r.Target = b.state(target) })
	}
}

// do: options are "as a", "per run", "per S", "timeout 5s", "heartbeat 5s", "progress 5s".
func do(activity string, args []string, options ...string) part {
	return func(b *builder, s int) {
		i := len(b.d.Dos)
		d := Do{Name: b.d.States[s].Path + "/" + activity, State: s, Scope: Scope{PerVisit, -1}}
		d.Activity = slices.IndexFunc(b.d.Activities, func(a Activity) bool { return a.Name == activity })
		for k, a := range args {
			d.Args = append(d.Args, b.expr(a, &b.d.Activities[d.Activity].Params[k].Type))
		}
		for _, o := range options {
			word, value, _ := strings.Cut(o, " ")
			switch word {
			case "as":
				d.Label = value
				d.Name += "/" + value
			case "per":
				b.fix = append(b.fix, func() { b.d.Dos[i].Scope = b.scope(value) })
			default:
				ns := int64(mustDuration(value))
				*map[string]**int64{"timeout": &d.Timeout, "heartbeat": &d.Heartbeat, "progress": &d.Progress}[word] = &ns
			}
		}
		b.d.Dos = append(b.d.Dos, d)
		b.d.States[s].Dos = append(b.d.States[s].Dos, i)
	}
}

func (b *builder) scope(s string) Scope {
	if s == "run" || s == "visit" {
		return Scope{ScopeKind(s), -1}
	}
	return Scope{PerState, b.state(s)}
}

// after: wait is a duration, or the name of a parameter or field.
func after(wait string, parts ...any) part {
	return func(b *builder, s int) {
		i := len(b.d.Timers)
		timer := Timer{Name: fmt.Sprintf("%s/after %s #%d", b.d.States[s].Path, wait, i), State: s}
		if d, err := time.ParseDuration(wait); err == nil {
			timer.Delay = int64(d)
		} else {
			timer.Var = b.expr(wait, nil)
		}
		var arms []arm
		for _, p := range parts {
			switch p := p.(type) {
			case string:
				timer.Idle = true
			case float64:
				timer.Jitter = p
			case arm:
				arms = append(arms, p)
			}
		}
		b.d.Timers = append(b.d.Timers, timer)
		b.d.States[s].Timers = append(b.d.States[s].Timers, i)
		b.ons[s] = append(b.ons[s], on{[]string{fmt.Sprintf("timer %d", i)}, b.arms(s, arms, nil)})
	}
}

// when_ handles triggers, separated by ", ", with arms.
func when_(triggers string, arms ...arm) part {
	return func(b *builder, s int) {
		list := strings.Split(triggers, ", ")
		b.ons[s] = append(b.ons[s], on{list, b.arms(s, arms, list)})
	}
}

type arm struct {
	kind   ArmKind
	target string
	parts  []armPart
}

type armPart func(b *builder, a *Arm, triggers []string)

func goTo(target string, parts ...armPart) arm { return arm{GotoArm, target, parts} }
func retry(n int64, parts ...armPart) arm      { return arm{RetryArm, "", append(parts, bound(n, ""))} }
func stay(parts ...armPart) arm                { return arm{StayArm, "", parts} }
func reject(parts ...armPart) arm              { return arm{RejectArm, "", parts} }
func ignore(parts ...armPart) arm              { return arm{IgnoreArm, "", parts} }
func deferIt(parts ...armPart) arm             { return arm{DeferArm, "", parts} }

func (b *builder) arms(s int, specs []arm, triggers []string) []int {
	var out []int
	for _, spec := range specs {
		i := len(b.d.Arms)
		a := Arm{State: s, Kind: spec.kind, Target: -1, Scope: Scope{PerRun, -1}}
		if spec.kind == RetryArm {
			a.Scope.Kind = PerVisit
		}
		a.Name = fmt.Sprintf("%s#%d", b.d.States[s].Path, i)
		a.Text = string(spec.kind) + " " + spec.target
		b.d.Arms = append(b.d.Arms, a)
		for _, p := range spec.parts {
			p(b, &b.d.Arms[i], triggers)
		}
		if spec.kind == GotoArm {
			b.fix = append(b.fix, func() { b.d.Arms[i].Target = b.state(spec.target) })
		}
		out = append(out, i)
	}
	return out
}

func cond(e string) armPart {
	return func(b *builder, a *Arm, triggers []string) {
		b.triggers(triggers)
		a.When = b.expr(e, nil)
	}
}

func bound(n int64, scope string) armPart {
	return func(b *builder, a *Arm, _ []string) {
		a.Max = &n
		if i := slices.IndexFunc(b.d.Arms, func(x Arm) bool { return x.Name == a.Name }); scope != "" {
			b.fix = append(b.fix, func() { b.d.Arms[i].Scope = b.scope(scope) })
		}
	}
}

func backoff(first, last string, factor, jitter float64) armPart {
	return func(_ *builder, a *Arm, _ []string) {
		a.Backoff = &Backoff{First: int64(mustDuration(first)), Last: int64(mustDuration(last)), Factor: factor, Jitter: jitter}
	}
}

func by(e string) armPart {
	return func(b *builder, a *Arm, triggers []string) {
		b.triggers(triggers)
		a.Backoff = &Backoff{By: b.expr(e, &Type{Kind: DurationKind})}
	}
}

// set assigns a field; "unset" unsets it.
func set(field, e string) armPart {
	return func(b *builder, a *Arm, triggers []string) {
		b.triggers(triggers)
		b.own(a)
		i := indexOfField(b.d.Fields, field)
		assign := Assign{Field: i}
		if e != "unset" {
			assign.Value = b.expr(e, &b.d.Fields[i].Type)
		}
		a.Block.Assigns = append(a.Block.Assigns, assign)
	}
}

// publish: values in the order of the event's fields.
func publish(name string, values ...string) armPart {
	return func(b *builder, a *Arm, triggers []string) {
		b.triggers(triggers)
		b.own(a)
		p := Publish{Event: b.event(name)}
		for i, v := range values {
			p.Values = append(p.Values, b.expr(v, &b.d.Events[p.Event].Fields[i].Type))
		}
		a.Block.Publishes = append(a.Block.Publishes, p)
	}
}

func (b *builder) own(a *Arm) {
	if a.Block == nil {
		a.Block = &Block{}
	}
}

// triggers notes the types that event.x has under them.
func (b *builder) triggers(triggers []string) {
	b.types = make(map[string]Type)
	for _, t := range triggers {
		if i := strings.IndexByte(t, '.'); i >= 0 {
			t = t[i+1:]
		}
		fields := failureFields
		if i := slices.IndexFunc(b.d.Events, func(e Event) bool { return e.Name == t }); i >= 0 {
			fields = b.d.Events[i].Fields
		}
		for _, f := range fields {
			b.types[f.Name] = f.Type
		}
	}
}

// expr reads a Go expression; a literal takes the type that is wanted.
func (b *builder) expr(text string, want *Type) *Expr {
	e, err := parser.ParseExpr(text)
	if err != nil {
		panic(err)
	}
	return b.convert(e, want)
}

func (b *builder) convert(e ast.Expr, want *Type) *Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return b.convert(e.X, want)
	case *ast.BasicLit:
		return b.literal(e, want)
	case *ast.CompositeLit:
		return &Expr{Op: "lit", Type: *want, Value: json.RawMessage("[]")}
	case *ast.Ident:
		return b.ident(e.Name)
	case *ast.SelectorExpr:
		left := e.X.(*ast.Ident).Name
		if left == "event" {
			return &Expr{Op: "event", Name: e.Sel.Name, Type: b.types[e.Sel.Name]}
		}
		return &Expr{Op: "lit", Type: b.typ(left), Value: json.RawMessage(strconv.Quote(e.Sel.Name))}
	case *ast.UnaryExpr:
		x := b.convert(e.X, want)
		op := e.Op.String()
		if op == "-" {
			op = "neg"
		}
		return &Expr{Op: op, Type: Type{Kind: x.Type.Kind}, Args: []*Expr{x}}
	case *ast.BinaryExpr:
		return b.binary(e, want)
	case *ast.CallExpr:
		return b.call(e, want)
	}
	panic(fmt.Sprintf("%T", e))
}

func (b *builder) literal(e *ast.BasicLit, want *Type) *Expr {
	switch {
	case e.Kind == token.STRING:
		return &Expr{Op: "lit", Type: Type{Kind: String}, Value: quoted(e.Value)}
	case e.Kind == token.FLOAT || want != nil && want.Kind == Float:
		return &Expr{Op: "lit", Type: Type{Kind: Float}, Value: json.RawMessage(e.Value)}
	}
	return &Expr{Op: "lit", Type: Type{Kind: Int}, Value: json.RawMessage(e.Value)}
}

// quoted turns a Go string literal into a JSON one.
func quoted(literal string) json.RawMessage {
	text, err := strconv.Unquote(literal)
	if err != nil {
		panic(err)
	}
	return appendText(nil, text)
}

func (b *builder) ident(name string) *Expr {
	switch name {
	case "now":
		return &Expr{Op: "now", Type: Type{Kind: TimeKind}}
	case "true", "false":
		return &Expr{Op: "lit", Type: Type{Kind: Bool}, Value: json.RawMessage(name)}
	}
	if i := indexOfField(b.d.Params, name); i >= 0 {
		return &Expr{Op: "param", Index: i, Type: b.d.Params[i].Type}
	}
	i := indexOfField(b.d.Fields, name)
	if i < 0 {
		panic("no field " + name)
	}
	return &Expr{Op: "field", Index: i, Type: b.d.Fields[i].Type}
}

func (b *builder) binary(e *ast.BinaryExpr, want *Type) *Expr {
	op := e.Op.String()
	x := b.convert(e.X, want)
	y := b.convert(e.Y, &x.Type)
	if x.Type.Kind == Int && y.Type.Kind == Float {
		x = b.convert(e.X, &y.Type)
	}
	out := &Expr{Op: op, Args: []*Expr{x, y}}
	xk, yk := x.Type.Kind, y.Type.Kind
	switch op {
	case "+", "-", "*":
		out.Type = Type{Kind: xk, Elem: x.Type.Elem}
		switch {
		case xk == TimeKind && yk == TimeKind:
			out.Type.Kind = DurationKind
		case op == "*" && yk == DurationKind, op == "+" && yk == TimeKind:
			out.Type.Kind = yk
		}
	default:
		out.Type.Kind = Bool
	}
	return out
}

func (b *builder) call(e *ast.CallExpr, want *Type) *Expr {
	name := e.Fun.(*ast.Ident).Name
	if name == "d" {
		text, _ := strconv.Unquote(e.Args[0].(*ast.BasicLit).Value)
		return &Expr{Op: "lit", Type: Type{Kind: DurationKind}, Value: json.RawMessage(strconv.Quote(text))}
	}
	out := &Expr{Op: name, Type: Type{Kind: Bool}}
	for _, a := range e.Args {
		out.Args = append(out.Args, b.convert(a, want))
	}
	switch name {
	case "set":
	case "len":
		out.Type.Kind = Int
	case "min", "max":
		out.Type.Kind = out.Args[0].Type.Kind
	default:
		out.Op, out.Index = "guard", slices.IndexFunc(b.d.Guards, func(g Guard) bool { return g.Name == name })
	}
	return out
}

// flatten lists for each leaf and each input the arms from the leaf outwards.
func (b *builder) flatten() {
	for i := range b.d.States {
		leaf := &b.d.States[i]
		if leaf.Kind != LeafState {
			continue
		}
		add := func(h Handler, tiers ...string) {
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
		none := Handler{Event: -1, Do: -1, Category: -1, Timer: -1}
		for e := range b.d.Events {
			if h := none; !b.d.Events[e].Internal {
				h.Kind, h.Event = EventInput, e
				add(h, b.d.Events[e].Name)
			}
		}
		for _, k := range leaf.Dos {
			b.flattenDo(k, none, add)
		}
		h := none
		h.Kind = DoneInput
		if len(leaf.Dos) > 0 || leaf.Choice {
			add(h, "done")
		}
		h.Kind = CancelInput
		add(h, "cancel")
		for s := i; s >= 0; s = b.d.States[s].Parent {
			for _, k := range b.d.States[s].Timers {
				h.Kind, h.Timer = TimerInput, k
				add(h, fmt.Sprintf("timer %d", k))
			}
		}
	}
}

func (b *builder) flattenDo(k int, none Handler, add func(Handler, ...string)) {
	do := &b.d.Dos[k]
	none.Do = k
	for _, e := range b.d.Activities[do.Activity].Results {
		h := none
		h.Kind, h.Event = ResultInput, e
		name := b.d.Events[e].Name
		add(h, do.Label+"."+name, name)
	}
	m := &Machine{def: b.d}
	for c, name := range b.d.Categories {
		if h := none; m.canFail(do, c) {
			h.Kind, h.Category = FailureInput, c
			listed := "failed(" + name + ")"
			add(h, do.Label+"."+listed, do.Label+".failed", listed, "failed")
		}
	}
}
