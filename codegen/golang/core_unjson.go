package golang

import (
	"fmt"
	"strings"
)

// snapshotFromJSON writes how a snapshot is read back, through structs of the
// same shape: reading is for the start of a program, so encoding/json does it.
func (c *corePrinter) snapshotFromJSON() {
	c.p.use("encoding/json", "fmt", "strconv", "time")
	c.jsonShapes()
	c.t(`// UnmarshalJSON reads what MarshalJSON writes, and what the runtime writes of a run
// that is not paused.
func (s *@MSnapshot) UnmarshalJSON(data []byte) error {
	var w @mSnapshotJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	out := New@MSnapshot(w.Run, 0)
	out.Token = w.Token
	out.Seq, out.Visit, out.DoneDue, out.Cancelled = w.Seq, w.Visit, w.DoneDue, w.Cancelled
	out.Started, out.Entered, out.Now = @mTimeOf(w.Started), @mTimeOf(w.Entered), @mTimeOf(w.Now)
	out.Params, out.Data = w.Params, w.Data
	var err error
	if out.Seed, err = strconv.ParseUint(w.Seed, 16, 64); err != nil && w.Seed != "" {
		return fmt.Errorf("seed: %w", err)
	}
	if w.State != nil {
		out.State, out.Status = *w.State, @MRunStatusRunning
		switch w.Status {
		case "running":
		case "halted":
			out.Status = @MRunStatusHalted
		case "finished":
			out.Status = @MRunStatusFinished
			out.Stopped = !out.State.Terminal()
		default:
			return fmt.Errorf("there is no status %q", w.Status)
		}
	}`)
	if len(c.plan.counted) > 0 {
		c.p.f("for name, n := range w.Counters {\nfits := false\nswitch name {")
		for _, a := range c.plan.counted {
			c.p.f("case %s:\nout.Used.%[2]s = %[3]s(n)\nfits = int64(out.Used.%[2]s) == n", quote(c.plan.Arms[a.ID].Value), c.plan.Counters[a], counterType(a))
		}
		c.t("}\nif !fits {\nreturn fmt.Errorf(\"counter %q cannot be %d\", name, n)\n}\n}")
	}
	if c.plan.tasks > 0 {
		c.t(`for i, t := range w.Tasks {
	if i == len(out.Tasks) {
		return fmt.Errorf("there are %d tasks", len(w.Tasks))
	}
	if out.Tasks[i], err = t.task(); err != nil {
		return err
	}
}`)
	}
	if len(c.plan.executions) > 0 {
		c.t(`for _, t := range w.Executions {
	task, err := t.task()
	if err != nil {
		return err
	}
	place := task.Do.execution()
	if place < 0 {
		return fmt.Errorf("%q has no execution that outlives a visit", t.Do)
	}
	out.Executions[place] = @MDoExecution{Execution: task.Execution, Attempt: task.Attempt}
}`)
	}
	c.alarmsFromJSON()
	if c.plan.deferred {
		c.t(`out.KeptNext = w.KeptNext
for _, k := range w.Kept {
	in, err := k.input()
	if err != nil {
		return err
	}
	in.Kind = @MInputKept
	out.Kept = append(out.Kept, in)
}`)
	}
	c.t(`	if w.Halt != nil {
		in, err := w.Halt.Input.input()
		if err != nil {
			return err
		}
		out.Halt = &@MStepHalt{Reason: w.Halt.Reason, Input: in}
	}
	*s = out
	return nil
}

// @mTimeOf is t as a run has it.
func @mTimeOf(t time.Time) @MStepTime {
	if t.IsZero() {
		return 0
	}
	return @MStepTimeOf(t)
}
`)
	c.inputFromJSON()
}

func (c *corePrinter) alarmsFromJSON() {
	if c.plan.alarms == 0 {
		return
	}
	wait := ""
	if c.plan.idle {
		wait = `
		if a.Wait != "" {
			if out.Idle[place], err = time.ParseDuration(a.Wait); err != nil {
				return err
			}
		}`
	}
	c.t(`for _, a := range w.Alarms {
	place := slices.IndexFunc(@mAlarms[out.State][:], func(t @MTimerName) bool { return t != 0 && t.String() == a.Timer })
	if place < 0 {
		return fmt.Errorf("there is no timer %q in state %s", a.Timer, out.State)
	}
	out.Due[place] = @mTimeOf(a.Due)` + wait + `
}`)
	c.p.use("slices")
}

// jsonShapes writes the structs.
func (c *corePrinter) jsonShapes() {
	member := func(name, typ, json string) string { return fmt.Sprintf("%s %s `json:%q`\n", name, typ, json) }
	snapshot := member("Run", "string", "run") + member("Token", "string", "token") + member("Seq", "int64", "seq") + member("State", "*@MState", "state") +
		member("Visit", "int64", "visit") + member("Status", "string", "status") + member("Started", "time.Time", "started") +
		member("Entered", "time.Time", "entered") + member("Now", "time.Time", "now") + member("Params", "@MParams", "params") +
		member("Data", "@MData", "data") + member("DoneDue", "bool", "done_due") + member("Cancelled", "bool", "cancelled") +
		member("Seed", "string", "seed")
	input := member("Kind", "string", "kind") + member("Force", "bool", "force")
	if len(c.payloads())+len(c.m.Params.Fields) > 0 {
		input += member("Data", "json.RawMessage", "data")
	}
	if len(c.plan.counted) > 0 {
		snapshot += member("Counters", "map[string]int64", "counters")
	}
	if c.plan.tasks > 0 {
		snapshot += member("Tasks", "[]@mTaskJSON", "tasks")
		input += "@mTaskJSON\n" + member("Category", "string", "category") + member("Message", "string", "message")
	}
	if len(c.plan.executions) > 0 {
		snapshot += member("Executions", "[]@mTaskJSON", "executions")
	}
	if c.plan.alarms > 0 {
		snapshot += "Alarms []struct{\n" + member("Timer", "string", "timer") + member("Due", "time.Time", "due") + member("Wait", "string", "wait") + "} `json:\"alarms\"`\n"
		input += member("Timer", "string", "timer")
	}
	if c.plan.deferred {
		snapshot += member("Kept", "[]@mInputJSON", "kept") + member("KeptNext", "int", "kept_next")
	}
	if len(c.m.Events) > 0 {
		input += member("Event", "*@MEvent", "event")
	}
	snapshot += "Halt *struct{\n" + member("Reason", "string", "reason") + member("Input", "@mInputJSON", "input") + "} `json:\"halt\"`\n"
	c.t("// @mSnapshotJSON is the JSON form of a snapshot.\ntype @mSnapshotJSON struct {\n" + snapshot + "}\n")
	c.t("// @mInputJSON is the JSON form of an input.\ntype @mInputJSON struct {\n" + input + "}\n")
	if c.plan.tasks == 0 {
		return
	}
	c.p.use("slices", "strings")
	c.t("// @mTaskJSON is the JSON form of a task.\ntype @mTaskJSON struct {\n" +
		member("Do", "string", "do") + member("State", "string", "state") + member("Key", "string", "key") +
		member("Attempt", "int32", "attempt") + member("NotBefore", "time.Time", "not_before") + `}

// task is what it stands for.
func (t *@mTaskJSON) task() (@MDoTask, error) {
	do := slices.Index(@mDoNameNames[1:], t.Do)
	execution, err := strconv.ParseInt(t.Key[strings.LastIndexByte(t.Key, '/')+1:], 10, 64)
	if do < 0 || err != nil {
		return @MDoTask{}, fmt.Errorf("there is no task %q with key %q", t.Do, t.Key)
	}
	return @MDoTask{Do: @MDoName(do + 1), Open: t.State == "open", Attempt: t.Attempt, Execution: execution, NotBefore: @mTimeOf(t.NotBefore)}, nil
}
`)
}

// inputFromJSON writes how an input is read back.
func (c *corePrinter) inputFromJSON() {
	c.p.use("slices")
	c.t(`// input is what it stands for.
func (w *@mInputJSON) input() (in @MStepInput, err error) {
	kinds := []string{"start", "event", "result", "ended", "failure", "timer", "done", "kept", "cancel"}
	in.Kind, in.Force = @MInputKind(slices.Index(kinds, w.Kind)+1), w.Force`)
	if len(c.m.Events) > 0 {
		c.t("if w.Event != nil {\nin.Event = *w.Event\n}")
	}
	if c.plan.tasks > 0 {
		ended := "in.Kind == @MInputResult"
		if len(c.m.Events) > 0 {
			ended += " && w.Event == nil"
		}
		c.t(`if w.Do != "" {
	if in.Task, err = w.task(); err != nil {
		return in, err
	}
	in.Category, in.Message = @MFailureCategory(max(slices.Index(@mFailureCategoryNames[:], w.Category), 0)), w.Message
	if ` + ended + ` {
		in.Kind = @MInputEnded
	}
}`)
	}
	if c.plan.alarms > 0 {
		c.t("in.Timer = @MTimerName(max(slices.Index(@mTimerNameNames[:], w.Timer), 0))")
	}
	var cases strings.Builder
	if len(c.m.Params.Fields) > 0 {
		cases.WriteString("case in.Kind == @MInputStart:\nerr = json.Unmarshal(w.Data, &in.Params)\n")
	}
	for _, e := range c.payloads() {
		fmt.Fprintf(&cases, "case in.Event == %s:\nerr = json.Unmarshal(w.Data, &in.Data.%s)\n", e.Const, exported(e.Name))
	}
	if cases.Len() > 0 {
		c.t("switch {\ncase len(w.Data) == 0:\n" + cases.String() + "}")
	}
	c.t("return in, err\n}\n")
}
