package golang

import (
	"fmt"
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

// ending writes how a run ends, and what its steps publish.
func (c *corePrinter) ending() {
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
	c.t(`// end ends the run.
func (t *@MStepper) end(s *@MSnapshot) {
	s.Status, s.Halt, s.DoneDue = @MRunStatusFinished, nil, false
	` + kept + places + `t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandFinish})
}
`)
	if c.publishes() {
		c.t(`// publish hands a message out.
func (t *@MStepper) publish(message @MOutMessage) { t.Messages = append(t.Messages, message) }

// sendOut numbers what the step has published.
func (t *@MStepper) sendOut() {
	for i := t.published; i < len(t.Messages); i++ {
		t.Messages[i].Seq, t.Messages[i].N = t.seq, i-t.published+1
		t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandPublish, Message: i})
	}
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
