package golang

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// types writes the snapshot and what it is made of.
func (c *corePrinter) types() {
	c.p.use("time")
	c.t(`// @MStepTime is a time of a run, in microseconds since the beginning of year 1; 0 is
// none.
type @MStepTime int64

// @MStepTimeOf is t, cut to the microsecond.
func @MStepTimeOf(t time.Time) @MStepTime { return @MStepTime(t.UnixMicro()) + @mEpoch }

// Time is t in UTC; the zero time for none.
func (t @MStepTime) Time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(t - @mEpoch)).UTC()
}

const (
	@mEpoch @MStepTime = 62135596800_000_000  // 1970
	@mLast  @MStepTime = 315537897599_999_999 // the end of the year 9999
)

// @MRunStatus says whether a run goes on.
type @MRunStatus uint8

// What a status can be. A halted run has met an input that it could not take;
// it takes cancel alone.
const (
	@MRunStatusNotStarted @MRunStatus = iota
	@MRunStatusRunning
	@MRunStatusHalted
	@MRunStatusFinished
)
`)
	c.ids("DoName", "names an activity of a state.", c.plan.Dos)
	c.ids("TimerName", "names an ` after ` of a state.", c.plan.Timers)
	c.armNames()
	if c.plan.tasks > 0 {
		var categories []constPlan
		for _, k := range c.m.src.Categories {
			categories = append(categories, constPlan{c.category(k), k.Name})
		}
		c.ids("FailureCategory", "is a category of failure.", categories)
		c.t(`// @MDoTask is an activity of the present visit. Execution tells its executions
// apart: it is the number of the step that started it, and the same over all
// attempts of it.
type @MDoTask struct {
	Do        @MDoName
	Open      bool // an attempt runs, or will at NotBefore
	Attempt   int32
	Execution int64
	NotBefore @MStepTime // a retry waits until then; 0 for at once
}

// Key is the idempotency key of the task's execution in the run that Keys names.
func (k @MDoTask) Key(run string) string {
	return run + "/" + k.Do.String() + "/" + strconv.FormatInt(k.Execution, 10)
}
`)
		c.p.use("strconv")
	}
	if len(c.plan.executions) > 0 {
		c.t(`// @MDoExecution is an execution that may be continued in a later visit; one without
// attempts is none.
type @MDoExecution struct {
	Execution int64
	Attempt   int32
}
`)
	}
	c.counters()
	c.snapshot()
}

// ids writes a small integer type for things with names; 0 is none of them.
func (c *corePrinter) ids(what, doc string, list []constPlan) {
	if len(list) == 0 {
		return
	}
	typ := c.m.Name + what
	c.p.f("// %s %s", typ, strings.ReplaceAll(doc, " ` after ` ", " `after` "))
	c.p.f("type %s uint16\n\nconst (", typ)
	names := []string{""}
	for i, v := range list {
		start := ""
		if i == 0 {
			start = " " + typ + " = iota + 1"
		}
		c.p.f("%s%s", v.Name, start)
		names = append(names, v.Value)
	}
	c.p.f(")\n")
	c.p.f("var %s%sNames = [...]string{", c.m.low, what)
	for _, n := range names {
		c.p.f("%s,", quote(n))
	}
	c.p.f("}\n")
	c.p.f("// String is the name in the source.")
	c.p.f("func (v %s) String() string {\nif int(v) < len(%[2]s%[3]sNames) {\nreturn %[2]s%[3]sNames[v]\n}\nreturn \"\"\n}\n", typ, c.m.low, what)
}

// armNames writes the names of what an input may do.
func (c *corePrinter) armNames() {
	list := c.plan.Arms
	if c.plan.ignored {
		list = append(list[:len(list):len(list)], constPlan{c.m.Name + "ArmIgnored", "ignore"})
	}
	if c.plan.deferred {
		list = append(list[:len(list):len(list)], constPlan{c.m.Name + "ArmDeferred", "defer"})
	}
	if len(list) == 0 {
		c.p.f("// %[1]sArm names an arm; no input takes any.\ntype %[1]sArm uint16\n", c.m.Name)
		return
	}
	c.ids("Arm", "names what an input does: an arm of the source.", list)
}

func (c *corePrinter) counters() {
	if len(c.plan.counted) == 0 {
		return
	}
	c.p.f("// %sCounters are how often each bound has been used in its scope.", c.m.Name)
	c.p.f("type %sCounters struct {", c.m.Name)
	for _, a := range c.plan.counted {
		c.p.f("%s %s // %s", c.plan.Counters[a], counterType(a), oneLine(a.StepText()))
	}
	c.p.f("}\n")
}

func (c *corePrinter) snapshot() {
	c.coreType()
	c.t(`// @MSnapshot is everything that is known of one run. Copies are independent of
// each other: nothing that they share is changed.
type @MSnapshot struct {
	@MCore
	Run       string // its id, and Token and Seed: they decide keys and jitter
	Token     string // tells it apart from others that had its id before; letters and digits, or empty
	Seed      uint64
	Seq       int64 // number of steps taken
	Visit     int64 // number of leaves entered
	Status    @MRunStatus
	DoneDue   bool // done is the next input
	Cancelled bool // cancel has been taken
	Stopped   bool // cancel has ended the run where it stood
	Started, Entered, Now @MStepTime`)
	if c.plan.tasks > 0 {
		c.p.f("Tasks [%d]%sDoTask // the activities of the visit, in the order of their dos", c.plan.tasks, c.m.Name)
	}
	if c.plan.alarms > 0 {
		c.p.f("Due [%d]%sStepTime // when timers fire, the outermost first; see Timer", c.plan.alarms, c.m.Name)
	}
	if c.plan.idle {
		c.p.f("Idle [%d]time.Duration // with which they start anew, of `idle` ones", c.plan.alarms)
	}
	if c.plan.deferred {
		c.p.f("Kept []%sStepInput // deferred events, in the order in which they came", c.m.Name)
		c.p.f("KeptNext int // how many of them have been looked at in this state")
	}
	c.t(`	Halt *@MStepHalt // of a halted run
}

// @MStepHalt is why a run stands still, and the input that it could not take.
type @MStepHalt struct {
	Reason string
	Input  @MStepInput
}

// New@MSnapshot is a run that has not started. Run is its id; seed decides
// all its jitter.
func New@MSnapshot(run string, seed uint64) @MSnapshot {
	return @MSnapshot{Run: run, Seed: seed, @MCore: New@MCore(@MParams{})}
}

// Keys is what the keys of the run, and the ids of its messages, begin with.
func (s *@MSnapshot) Keys() string {
	if s.Token == "" {
		return s.Run
	}
	return s.Run + "@" + s.Token
}

// Outcome is "success", "failure" or "cancelled" for a run that has ended, and
// empty for another.
func (s *@MSnapshot) Outcome() string {
	switch {
	case s.Status != @MRunStatusFinished:
		return ""
	case s.Stopped:
		return "cancelled"
	}
	return s.State.Outcome()
}
`)
	if c.plan.alarms == 0 {
		return
	}
	c.p.f("// %sAlarms says for each leaf which timers have which places in Due.", c.m.low)
	c.p.f("var %[1]sAlarms = [%[3]d][%[4]d]%[2]sTimerName{", c.m.low, c.m.Name, len(c.m.States), c.plan.alarms)
	for _, s := range c.m.src.States {
		if s.Kind != ir.Leaf {
			continue
		}
		var timers []string
		for _, t := range timersOf(s) {
			timers = append(timers, c.plan.Timers[t.ID].Name)
		}
		if len(timers) > 0 {
			c.p.f("%s: {%s},", c.stateConst(s), strings.Join(timers, ", "))
		}
	}
	c.p.f("}\n")
	c.p.f("// %sTimerRank orders the timers that are due at one instant: the lowest fires first.", c.m.low)
	c.p.f("var %sTimerRank = [...]uint16{", c.m.low)
	for _, t := range c.m.src.Timers {
		c.p.f("%s: %d,", c.plan.Timers[t.ID].Name, c.plan.rank[t])
	}
	c.p.f("}\n")
	c.t(`// Timer is the timer at a place of Due, or 0 where none runs there.
func (s *@MSnapshot) Timer(place int) @MTimerName {
	if s.Due[place] == 0 {
		return 0
	}
	return @mAlarms[s.State][place]
}
`)
}

// coreType writes what decides which input does what.
func (c *corePrinter) coreType() {
	c.t(`// @MCore is what a machine is made of where nothing durable is wanted: the state, the
// data, and how much of each bound is used. It decides which arm an input takes.
type @MCore struct {
	State  @MState`)
	if len(c.plan.counted) > 0 {
		c.p.f("Used %sCounters", c.m.Name)
	}
	c.t(`	Data   @MData
	Params @MParams`)
	if n := len(c.plan.executions); n > 0 {
		c.p.f("Executions [%d]%sDoExecution // those that outlive a visit", n, c.m.Name)
	}
	c.t(`}

// New@MCore is a machine that has not started, with the defaults of its data.
func New@MCore(params @MParams) @MCore {
	return @MCore{Params: params` + c.defaults() + `}
}
`)
}

// defaults are the values that the fields of a run have from the start.
func (c *corePrinter) defaults() string {
	x := &exprs{c: c}
	var fields []string
	for _, f := range c.m.src.Fields {
		if d := f.Default; d != nil && d.Kind != ir.List {
			fields = append(fields, exported(f.Name)+": "+x.literal(d, f.Type, 0)+",\n")
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return ", Data: @MData{\n" + strings.Join(fields, "") + "}"
}

// timersOf are the timers that run in a leaf, in their places: the outermost
// first.
func timersOf(leaf *ir.State) []*ir.Timer {
	var out []*ir.Timer
	for _, s := range path(nil, leaf) {
		out = append(out, s.Timers...)
	}
	return out
}
