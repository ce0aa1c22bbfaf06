package golang

import (
	"fmt"
	"strings"
)

// tasks writes how activities start and end.
func (c *corePrinter) tasks() {
	resume := ""
	if len(c.plan.executions) > 0 {
		resume = `
// resume is a task that goes on with an execution that outlives its visit, or
// begins one.
func (t *@MStepper) resume(s *@MSnapshot, place int, do @MDoName) @MDoTask {
	e := &s.Executions[place]
	if e.Attempt == 0 {
		e.Execution = t.seq
	}
	e.Attempt++
	return @MDoTask{Do: do, Open: true, Execution: e.Execution, Attempt: e.Attempt}
}
`
	}
	c.t(`// endTask notes that the activity has nothing more to say in this visit. When it
// was the last, done is the next input.
func (t *@MStepper) endTask(s *@MSnapshot) {
	task := &s.Tasks[t.task]
	t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandEndTask, Task: *task})
	task.Open, task.NotBefore = false, 0
	for i := range s.Tasks {
		if s.Tasks[i].Open {
			return
		}
	}
	s.DoneDue = true
}

// leaveTasks ends the attempt that the input is of, and cancels the others.
func (t *@MStepper) leaveTasks(s *@MSnapshot) {
	for i := range s.Tasks {
		switch {
		case i == t.task:
			t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandEndTask, Task: s.Tasks[i]})
		case s.Tasks[i].Open:
			t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandCancelTask, Task: s.Tasks[i]})
		}
		s.Tasks[i] = @MDoTask{}
	}
}

// start starts an attempt.
func (t *@MStepper) start(s *@MSnapshot, place int, task @MDoTask) {
	s.Tasks[place] = task
	t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandStartTask, Task: task})
}

// retry puts another attempt in the place of the one that the input is of.
func (t *@MStepper) retry(s *@MSnapshot, again @MDoTask, wait time.Duration) {
	again.NotBefore = 0
	if wait > 0 {
		again.NotBefore = t.due(wait)
	}
	t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandEndTask, Task: s.Tasks[t.task]})
	t.start(s, t.task, again)
}
` + resume)
}

// arrivals writes what every entry does, and how a run ends.
func (c *corePrinter) arrivals() {
	kept, places := "", ""
	if c.plan.deferred {
		kept = "s.KeptNext = 0\n"
	}
	if c.plan.alarms > 0 {
		places += "clear(s.Due[:])\n"
	}
	if c.plan.idle {
		places += "clear(s.Idle[:])\n"
	}
	if c.plan.tasks > 0 {
		places += "clear(s.Tasks[:])\n"
	}
	if len(c.plan.executions) > 0 {
		places += "clear(s.Executions[:])\n"
	}
	c.t(`// arrive begins a visit.
func (t *@MStepper) arrive(s *@MSnapshot, state @MState) {
	s.State, s.Status, s.Halt = state, @MRunStatusRunning, nil
	s.Entered = t.now
	s.Visit++
	s.DoneDue = false
	` + kept + `}

// end ends the run.
func (t *@MStepper) end(s *@MSnapshot) {
	s.Status, s.Halt, s.DoneDue = @MRunStatusFinished, nil, false
	` + kept + places + `t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandFinish})
}
`)
	if c.publishes() {
		c.t(`// publish hands a message out.
func (t *@MStepper) publish(message @MOutMessage) {
	message.Seq, message.N = t.seq, len(t.Messages)-t.published+1
	t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandPublish, Message: len(t.Messages)})
	t.Messages = append(t.Messages, message)
}
`)
	}
	if c.redirects {
		c.t(fmt.Sprintf(`// goesRound reports whether requires lead round in a circle, and counts those
// that have turned the step away.
func (t *@MStepper) goesRound() bool {
	if t.why == "" && t.turns < %d {
		t.turns++
		return false
	}
	t.fail("the requires lead round in a circle")
	return true
}
`, len(c.m.src.States)))
	}
	if c.plan.alarms > 0 {
		c.timers()
	}
}

func (c *corePrinter) timers() {
	c.t(`// timerCommands are the difference between the timers before and after a step.
func (t *@MStepper) timerCommands(s *@MSnapshot, state @MState, due *[` + fmt.Sprint(c.plan.alarms) + `]@MStepTime) {
	for i, timer := range @mAlarms[state] {
		if due[i] != 0 && s.Timer(i) != timer {
			t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandDropTimer, Timer: timer})
		}
	}
	for i, timer := range @mAlarms[s.State] {
		if s.Due[i] != 0 && (due[i] != s.Due[i] || @mAlarms[state][i] != timer) {
			t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandSetTimer, Timer: timer, Due: s.Due[i]})
		}
	}
}

// place is where a timer runs, or -1.
func (s *@MSnapshot) place(timer @MTimerName) int {
	for i := range s.Due {
		if timer != 0 && s.Timer(i) == timer {
			return i
		}
	}
	return -1
}
`)
	if !c.plan.idle {
		return
	}
	p := c.p
	c.t(`// restartIdle starts the idle timers anew.
func (t *@MStepper) restartIdle(s *@MSnapshot) {
	for i := range s.Idle {
		if s.Due[i] == 0 || s.Idle[i] == 0 {
			continue
		}
		wait := s.Idle[i]`)
	var jittered strings.Builder
	for _, timer := range c.m.src.Timers {
		if timer.Idle && hasJitter(timer) {
			fmt.Fprintf(&jittered, "case %s:\nwait = %s\n", c.plan.Timers[timer.ID].Name, c.lengthened(timer, "wait"))
		}
	}
	if jittered.Len() > 0 {
		p.f("switch s.Timer(i) {\n%s}", jittered.String())
	}
	c.t(`		if due := t.now + @MStepTime((wait-1)/time.Microsecond) + 1; due <= @mLast {
			s.Due[i] = due
		}
	}
}
`)
}

// admit writes what refuses an input that the run cannot be given at all.
func (c *corePrinter) admit() {
	p := c.p
	c.p.use("errors")
	c.t(`// Why a step is not taken, apart from a refusal.
var (
	Err@MFenced = errors.New("the attempt is not open")
	Err@MHalted = errors.New("the run is halted")
	Err@MNotDue = errors.New("the run does not wait for this input")
)

// admit refuses what the run cannot be given at all.
func (t *@MStepper) admit(s *@MSnapshot, in *@MStepInput) error {
	switch {
	case t.now < 1 || t.now > @mLast:
		return Err@MNotDue
	case in.Kind == @MInputStart && s.Status != @MRunStatusNotStarted:
		return t.refuse(s, in, "the run has started")
	case in.Kind == @MInputStart:
		return nil
	case s.Status == @MRunStatusNotStarted:
		return Err@MNotDue`)
	if len(c.m.Events) > 0 {
		c.t("case in.Kind == @MInputEvent && int(in.Event) >= len(@mEventNames):\nreturn Err@MNotDue")
	}
	p.f("}\nswitch in.Kind {")
	if c.plan.tasks > 0 {
		c.t(`case @MInputResult, @MInputEnded, @MInputFailure:
	for i := range s.Tasks {
		if task := &s.Tasks[i]; task.Open && task.Do == in.Task.Do && task.Execution == in.Task.Execution && task.Attempt == in.Task.Attempt {
			t.task = i
		}
	}
	if t.task < 0 {
		return Err@MFenced
	}`)
	}
	if c.plan.deferred {
		c.t(`case @MInputKept:
	if s.Status != @MRunStatusHalted && s.KeptNext >= len(s.Kept) {
		return Err@MNotDue
	}`)
	}
	if c.plan.alarms > 0 {
		c.t(`case @MInputTimer:
	if i := s.place(in.Timer); s.Status == @MRunStatusRunning && (i < 0 || s.Due[i] > t.now) {
		return Err@MNotDue
	}`)
	}
	c.t(`case @MInputDone:
	if s.Status == @MRunStatusRunning && !s.DoneDue {
		return Err@MNotDue
	}
}
outside := in.Kind == @MInputEvent || in.Kind == @MInputCancel
switch {
case s.Status == @MRunStatusHalted && in.Kind == @MInputCancel:
	return nil
case s.Status == @MRunStatusHalted && outside:
	return t.refuse(s, in, "the run is halted")
case s.Status == @MRunStatusHalted:
	return Err@MHalted
case s.Status == @MRunStatusFinished && outside:
	return t.refuse(s, in, "the run has ended")
case s.Status == @MRunStatusFinished && in.Kind != @MInputKept:
	return Err@MNotDue
}
`)
	known := "@MInputCancel, @MInputDone"
	if len(c.m.Events) > 0 {
		known += ", @MInputEvent"
	}
	if c.plan.tasks > 0 {
		known += ", @MInputResult, @MInputEnded, @MInputFailure"
	}
	if c.plan.alarms > 0 {
		known += ", @MInputTimer"
	}
	if c.plan.deferred {
		known += ", @MInputKept"
	}
	c.t("switch in.Kind {\ncase " + known + ":\nreturn nil\n}\nreturn Err@MNotDue\n}\n")
}

func (c *corePrinter) refusals() {
	allowed, list := "", ""
	event := ""
	if len(c.m.Events) > 0 {
		event = "\n\tEvent @MEvent // of an event"
		allowed = `
// Allowed lists the events that the run may take, as it now stands.
func (r *@MStepRefused) Allowed() []@MEvent { return r.run.Allowed() }
`
		list = `
	for i, e := range r.Allowed() {
		if i == 0 {
			text += "; allowed there: "
		} else {
			text += ", "
		}
		text += e.String()
	}`
	}
	what := `	text := "the start"
	switch r.Kind {
	case @MInputCancel:
		text = "cancel"`
	if len(c.m.Events) > 0 {
		what += `
	case @MInputEvent:
		text = "event " + strconv.Quote(r.Event.String())`
	}
	what += "\n\t}\n"
	set := ""
	if len(c.m.Events) > 0 {
		set = ", Event: in.Event"
	}
	c.p.use("strconv")
	c.t(`// @MStepRefused is the error of an event, a start or a cancel that is refused: the run
// is as it was.
type @MStepRefused struct {
	Kind @MInputKind // of the input` + event + `
	Why  string
	run  *@MSnapshot
}

// Error names the input, the state, the reason and what is allowed there.
func (r *@MStepRefused) Error() string {
` + what + `	text += " is refused"
	if r.run.Status != @MRunStatusNotStarted {
		text += " in state " + strconv.Quote(r.run.State.String())
	}
	text += ": " + r.Why` + list + `
	return text
}
` + allowed + `
// refuse is the error that refuses the input.
func (t *@MStepper) refuse(s *@MSnapshot, in *@MStepInput, why string) error {
	t.refused = @MStepRefused{Kind: in.Kind` + set + `, Why: why, run: s}
	return &t.refused
}
`)
}

// next writes what a run must take before any new input.
func (c *corePrinter) next() {
	timers, kept, now := "", "", "_"
	if c.plan.alarms > 0 {
		now = "now"
		timers = `
	if s.Status == @MRunStatusRunning {
		at, place := max(@MStepTimeOf(now), s.Now), -1
		for i, due := range s.Due {
			switch {
			case due == 0 || due > at:
			case place < 0, due < s.Due[place],
				due == s.Due[place] && @mTimerRank[s.Timer(i)] < @mTimerRank[s.Timer(place)]:
				place = i
			}
		}
		if place >= 0 {
			return @MStepInput{Kind: @MInputTimer, Timer: s.Timer(place)}, true
		}
	}`
	}
	if c.plan.deferred {
		kept = `
	if s.KeptNext < len(s.Kept) {
		return s.Kept[s.KeptNext], true
	}`
	}
	halted := ""
	if timers+kept != "" {
		halted = "\n\tif s.Status == @MRunStatusNotStarted || s.Status == @MRunStatusHalted {\n\t\treturn @MStepInput{}, false\n\t}"
	}
	c.t(`// Next is the input that the run must take before any new one: done, then the
// timers that are due at now, earliest first, of equals the inner first and then
// by name, then deferred events that have not been looked at in this state.
func (s *@MSnapshot) Next(` + now + ` time.Time) (in @MStepInput, ok bool) {` + halted + `
	if s.Status == @MRunStatusRunning && s.DoneDue {
		return @MStepInput{Kind: @MInputDone}, true
	}` + timers + kept + `
	return @MStepInput{}, false
}
`)
}

// checked reports whether values of s may not fit.
func (c *corePrinter) checked(s *structPlan) bool { return c.misfits(s) != "" }

func (c *corePrinter) misfits(s *structPlan) string {
	var b strings.Builder
	noun := "field "
	if s == c.m.Params {
		noun = "parameter "
	}
	for _, f := range s.Fields {
		b.WriteString(c.checks(f.typ, "v."+f.Name, func(why string) string {
			return "return " + quote(noun+quote(f.JSON)+": "+why)
		}))
	}
	return b.String()
}

// values writes the checks of what comes from outside.
func (c *corePrinter) values() {
	structs := []*structPlan{c.m.Params}
	for _, e := range c.m.Events {
		if e.External || c.plan.tasks > 0 && c.raised(e) {
			structs = append(structs, e.Payload)
		}
	}
	for _, s := range structs {
		if body := c.misfits(s); body != "" {
			c.p.f("// misfit says what does not fit its type, or nothing.")
			c.p.f("func (v *%s) misfit() string {\n%sreturn \"\"\n}\n", s.Type, body)
		}
	}
	if !c.unbounded {
		return
	}
	var parts []string
	for _, f := range c.m.Data.Fields {
		v := "s.Data." + f.Name
		if f.Optional {
			v += ".Value"
		}
		parts = append(parts, c.sizeOf(f.typ, v))
	}
	c.t(`// checkSize keeps the data of a run, and with it every snapshot, small.
func (t *@MStepper) checkSize(s *@MSnapshot) {
	if size := ` + strings.Join(parts, " +\n") + `; size > 4<<20 {
		t.fail("the fields of the run would take more than 4 MiB")
	}
}
`)
}

// raised reports whether some activity that is run raises e.
func (c *corePrinter) raised(e *eventPlan) bool {
	for _, d := range c.m.src.Dos {
		for _, r := range d.Activity.Results {
			if r == e.src {
				return true
			}
		}
	}
	return false
}

// guards writes how the host is asked, at most once for the same arguments in
// one step.
func (c *corePrinter) guards() {
	p, m := c.p, c.m
	for _, g := range m.Guards {
		src := g.src
		if !c.asks(src) {
			continue
		}
		name := exported(src.Name)
		var fields, names, same, checks []string
		for _, q := range g.Params {
			p.typesUsed(q.Type)
			fields = append(fields, q.Name+" "+q.Type)
			names = append(names, q.Name)
			same = append(same, c.equal(q.typ, "v."+q.Name, q.Name, 1))
			checks = append(checks, c.checks(q.typ, q.Name, func(why string) string {
				return "t.fail(" + quote("guard "+quote(src.Name)+": field "+quote(q.JSON)+": "+why) + ")\nreturn false"
			}))
		}
		p.f("// %s%sVerdict is what the host said of some arguments.", m.low, name)
		p.f("type %s%sVerdict struct {\n%s\nanswer bool\n}\n", m.low, name, strings.Join(fields, "\n"))
		p.f("// ask%s asks the host, once for the same arguments.", name)
		p.f("func (t *%sStepper) ask%s(%s) bool {", m.Name, name, strings.Join(fields, ", "))
		p.f("if t.why != \"\" {\nreturn false\n}\n%s", strings.Join(checks, ""))
		cond := strings.Join(same, " && ")
		if cond == "" {
			p.f("if len(t.asked%[1]s) > 0 {\nreturn t.asked%[1]s[0].answer\n}", name)
		} else {
			p.f("for i := range t.asked%[1]s {\nif v := &t.asked%[1]s[i]; %[2]s {\nreturn v.answer\n}\n}", name, cond)
		}
		p.f("if t.Guards == nil {\nt.fail(%s)\nreturn false\n}", quote("no one answers guard "+quote(src.Name)))
		p.f("answer, err := t.Guards.%s(%s)", g.Method, strings.Join(names, ", "))
		p.f("if err != nil {\nt.fail(%s + err.Error())\nreturn false\n}", quote("guard "+quote(src.Name)+" failed: "))
		p.f("t.asked%[1]s = append(t.asked%[1]s, %[2]s%[1]sVerdict{%[3]s})\nreturn answer\n}\n", name, m.low, strings.Join(append(names, "answer"), ", "))
	}
}
