package golang

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// carryOut writes what an arm that was taken means for the activities and
// timers of a run, beyond what Take has done.
func (c *corePrinter) carryOut() {
	kinds := map[ir.ArmKind][]string{}
	for _, a := range c.m.src.Arms {
		kinds[a.Kind] = append(kinds[a.Kind], c.plan.Arms[a.ID].Name)
	}
	var b strings.Builder
	if moves := kinds[ir.Goto]; len(moves) > 0 {
		leave := ""
		if c.plan.tasks > 0 {
			leave = "t.leaveTasks(s)\n"
		}
		b.WriteString("case @mMoves:\n" + leave + c.sendOut() + "t.arrive(s)\nreturn\n")
	}
	again := c.again()
	if again != "" {
		b.WriteString("case @mRetries:\n" + c.sendOut() + "t.again(s, in, arm)\nreturn\n")
	}
	head, in := "", "_"
	if b.Len() > 0 {
		head = "switch @mArmKinds[arm] {\n" + b.String() + "}\n"
	}
	if again != "" {
		in = "in"
	}
	tail := c.sendOut()
	if c.plan.tasks > 0 {
		tail += "if t.task >= 0 {\nt.endTask(s)\n}\n"
	}
	arm := "arm"
	if head == "" {
		arm = "_"
	}
	c.t(`// carryOut makes of the arm that was taken what it means for a run.
func (t *@MStepper) carryOut(s *@MSnapshot, ` + in + ` *@MStepInput, ` + arm + ` @MArm) {
` + head + tail + `}
`)
	if head == "" {
		return
	}
	c.t(`// @mArmKind says what an arm means for a run.
type @mArmKind uint8

const (
	@mStays @mArmKind = iota
	@mMoves
	@mRetries
)

// @mArmKinds is the kind of each arm.
var @mArmKinds = [len(@mArmNames)]@mArmKind{`)
	for _, a := range c.m.src.Arms {
		switch a.Kind {
		case ir.Goto:
			c.p.f("%s: %sMoves,", c.plan.Arms[a.ID].Name, c.m.low)
		case ir.Retry:
			c.p.f("%s: %sRetries,", c.plan.Arms[a.ID].Name, c.m.low)
		}
	}
	c.p.f("}\n")
	c.t(again)
}

// defaultLast is the longest wait of a retry without a backoff, in nanoseconds.
const defaultLast = 60_000_000_000

// again writes how another attempt begins: of the same execution after a
// failure, of a new one after an event, or where the arm has a block. It is
// empty for a machine without retries.
func (c *corePrinter) again() string {
	var waits []branch
	var anew []string
	for _, a := range c.m.src.Arms {
		if a.Kind != ir.Retry {
			continue
		}
		name := c.plan.Arms[a.ID].Name
		waits = append(waits, branch{[]string{name}, "wait = " + c.waitOf(a) + "\n"})
		if a.Block != nil {
			anew = append(anew, "arm == "+name)
		}
	}
	if len(waits) == 0 || c.plan.tasks == 0 {
		return ""
	}
	c.p.use("time")
	outlives := ""
	if len(c.plan.executions) > 0 {
		outlives = "if place := task.Do.execution(); place >= 0 {\ns.Executions[place] = @MDoExecution{Execution: task.Execution, Attempt: task.Attempt}\n}\n"
	}
	return `// again starts another attempt of what has ended with the input: of the same
// execution after a failure, unless its arm has effects, else of a new one.
func (t *@MStepper) again(s *@MSnapshot, in *@MStepInput, arm @MArm) {
	task := s.Tasks[t.task]
	if ` + strings.Join(append([]string{"in.Kind != @MInputFailure"}, anew...), " || ") + ` {
		task.Execution, task.Attempt = t.seq, 1
	} else {
		task.Attempt++
	}
	var wait time.Duration
	` + choose("arm", waits, false) + `t.retry(s, task, wait)
	` + outlives + `}
`
}

// waitOf is the wait before the attempt that a asks for.
func (c *corePrinter) waitOf(a *ir.Arm) string {
	if a.Backoff != nil && a.Backoff.By != nil {
		return "t.wait"
	}
	first, last, factor, jitter := "time.Second", "time.Minute", "2.0", "0.2"
	if back := a.Backoff; back != nil {
		first, _ = durationLiteral(back.First)
		last, _ = durationLiteral(back.Last)
		factor, jitter = ratio(back.Factor), ratio(back.Jitter)
	}
	return fmt.Sprintf("%sBackoff(int64(s.Used.%s), %s, %s, %s, %s, t.attemptShare(s, task))",
		c.m.low, c.plan.Counters[a], first, last, factor, jitter)
}
