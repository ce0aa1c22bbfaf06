package golang

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// snapshotJSON writes the JSON form of a snapshot: byte for byte what the
// runtime writes for the same run, with the names of the source, in one order,
// without what is empty.
func (c *corePrinter) snapshotJSON() {
	c.p.use("strconv")
	c.t(`// MarshalJSON writes the snapshot as the runtime does.
func (s @MSnapshot) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// AppendJSON appends the snapshot in JSON, byte for byte as the runtime writes it.
func (s *@MSnapshot) AppendJSON(b []byte) []byte {
	o := &@mObject{append(b, '{')}
	o.text("run", s.Run)
	o.text("token", s.Token)
	o.number("seq", s.Seq)
	if s.Status != @MRunStatusNotStarted {
		o.text("state", s.State.String())
	}
	o.number("visit", s.Visit)
	o.text("status", [...]string{"running", "running", "halted", "finished"}[s.Status])
	o.text("outcome", s.Outcome())
	o.time("started", s.Started)
	o.time("entered", s.Entered)
	o.time("now", s.Now)`)
	if len(c.m.Params.Fields) > 0 {
		c.t("if s.Status != @MRunStatusNotStarted {\no.key(\"params\")\n" + c.object(c.m.Params, "s.Params") + "}")
	}
	if len(c.m.Data.Fields) > 0 {
		c.t("o.key(\"data\")\n" + c.object(c.m.Data, "s.Data"))
	}
	if len(c.plan.counted) > 0 {
		c.t("if s.Used != (@MCounters{}) {\no.open(\"counters\")")
		for _, a := range c.plan.counted {
			c.p.f("o.number(%s, int64(s.Used.%s))", quote(c.plan.Arms[a.ID].Value), c.plan.Counters[a])
		}
		c.t("o.close()\n}")
	}
	c.jsonLists()
	c.t(`	o.truth("done_due", s.DoneDue)
	o.truth("cancelled", s.Cancelled)
	if s.Halt != nil {
		o.open("halt")
		o.text("reason", s.Halt.Reason)
		o.open("input")
		s.Halt.Input.append(o, s.Keys())
		o.close()
		o.close()
	}
	o.text("seed", strconv.FormatUint(s.Seed, 16))
	o.close()
	return o.b
}
`)
	c.inputJSON()
	c.objectType()
}

// jsonLists writes the members that are lists.
func (c *corePrinter) jsonLists() {
	if c.plan.tasks > 0 {
		c.t(`if s.Tasks != ([len(s.Tasks)]@MDoTask{}) {
	o.list("tasks")
	for i := range s.Tasks {
		if task := &s.Tasks[i]; task.Do != 0 {
			o.item()
			o.text("do", task.Do.String())
			if task.Open {
				o.text("state", "open")
			} else {
				o.text("state", "ended")
			}
			o.text("key", task.Key(s.Keys()))
			o.number("attempt", int64(task.Attempt))
			o.time("not_before", task.NotBefore)
			o.close()
		}
	}
	o.end()
}`)
	}
	if len(c.plan.executions) > 0 {
		names := make([]string, len(c.plan.executions))
		for _, d := range c.m.src.Dos {
			if i, ok := c.plan.executions[d]; ok {
				names[i] = c.plan.Dos[d.ID].Name
			}
		}
		c.t(`if s.Executions != ([len(s.Executions)]@MDoExecution{}) {
	o.list("executions")
	for i, do := range [...]@MDoName{` + strings.Join(names, ", ") + `} {
		if e := s.Executions[i]; e.Attempt > 0 {
			o.item()
			o.text("do", do.String())
			o.text("key", @MDoTask{Do: do, Execution: e.Execution}.Key(s.Keys()))
			o.number("attempt", int64(e.Attempt))
			o.close()
		}
	}
	o.end()
}`)
	}
	if c.plan.alarms > 0 {
		idle := ""
		if c.plan.idle {
			idle = "if s.Idle[i] != 0 {\no.text(\"wait\", s.Idle[i].String())\n}\n"
		}
		c.t(`if s.Due != ([len(s.Due)]@MStepTime{}) {
	o.list("alarms")
	for i, due := range s.Due {
		if due != 0 {
			o.item()
			o.text("timer", s.Timer(i).String())
			o.time("due", due)
			` + idle + `o.close()
		}
	}
	o.end()
}`)
	}
	if c.plan.deferred {
		c.t(`if len(s.Kept) > 0 {
	o.list("kept")
	for i := range s.Kept {
		o.item()
		s.Kept[i].appendEvent(o)
		o.close()
	}
	o.end()
}
o.number("kept_next", int64(s.KeptNext))`)
	}
}

// inputJSON writes the JSON form of an input, of which a halted run has one.
func (c *corePrinter) inputJSON() {
	c.t(`// append writes the members of an input.
func (in *@MStepInput) append(o *@mObject, run string) {
	o.text("kind", [...]string{"", "start", "event", "result", "result", "failure", "timer", "done", "kept", "cancel"}[in.Kind])
	switch in.Kind {`)
	if len(c.m.Params.Fields) > 0 {
		c.t("case @MInputStart:\no.key(\"data\")\n" + c.object(c.m.Params, "in.Params"))
	}
	if len(c.m.Events) > 0 {
		c.t("case @MInputEvent, @MInputKept:\nin.appendEvent(o)")
	}
	if c.plan.tasks > 0 {
		result := ""
		if len(c.m.Events) > 0 {
			result = "if in.Kind == @MInputResult {\nin.appendEvent(o)\n}\n"
		}
		c.t(`case @MInputResult, @MInputEnded, @MInputFailure:
	o.text("do", in.Task.Do.String())
	o.text("key", in.Task.Key(run))
	o.number("attempt", int64(in.Task.Attempt))
	` + result + `if in.Kind == @MInputFailure {
		o.text("category", in.Category.String())
		o.text("message", in.Message)
	}`)
	}
	if c.plan.alarms > 0 {
		c.t("case @MInputTimer:\no.text(\"timer\", in.Timer.String())")
	}
	c.t("case @MInputCancel:\no.truth(\"force\", in.Force)\n}\n}\n")
	if len(c.m.Events) == 0 {
		return
	}
	c.t(`// appendEvent writes the event of an input.
func (in *@MStepInput) appendEvent(o *@mObject) {
	o.text("event", in.Event.String())`)
	if payloads := c.payloads(); len(payloads) > 0 {
		c.p.f("switch in.Event {")
		for _, e := range payloads {
			c.p.f("case %s:\no.key(\"data\")\n%s", e.Const, c.object(e.Payload, "in.Data."+exported(e.Name)))
		}
		c.p.f("}")
	}
	c.p.f("}\n")
}

// object writes v, a struct of values, as a JSON object.
func (c *corePrinter) object(s *structPlan, v string) string {
	var b strings.Builder
	b.WriteString("o.b = append(o.b, '{')\n")
	for _, f := range s.Fields {
		x := v + "." + f.Name
		write := fmt.Sprintf("o.key(%s)\n", quote(f.JSON))
		if f.Optional {
			b.WriteString("if " + x + ".Set {\n" + write + c.jsonValue(f.typ, x+".Value", 0) + "}\n")
		} else {
			b.WriteString(write + c.jsonValue(f.typ, x, 0))
		}
	}
	b.WriteString("o.close()\n")
	return b.String()
}

// jsonValue writes one value.
func (c *corePrinter) jsonValue(t *ir.Type, x string, depth int) string {
	switch t.Kind {
	case ir.Bool:
		return "o.b = strconv.AppendBool(o.b, " + x + ")\n"
	case ir.Int:
		return "o.b = strconv.AppendInt(o.b, " + x + ", 10)\n"
	case ir.Float:
		return "o.float(" + x + ")\n"
	case ir.Duration, ir.EnumKind:
		return "o.quote(" + x + ".String())\n"
	case ir.Time:
		return "o.at(" + x + ")\n"
	case ir.JSON:
		return "o.b = append(o.b, " + x + "...)\n"
	case ir.List:
		if t.Elem == nil {
			return "o.b = append(o.b, '[', ']')\n"
		}
		item := fmt.Sprintf("v%d", depth)
		return "o.b = append(o.b, '[')\nfor _, " + item + " := range " + x + " {\no.comma('[')\n" +
			c.jsonValue(t.Elem, item, depth+1) + "}\no.b = append(o.b, ']')\n"
	}
	return "o.quote(" + x + ")\n"
}
