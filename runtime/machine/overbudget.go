package machine

import (
	"cmp"
	"errors"
	"slices"
)

// A machine with an `on over_budget` is held to the costs of its budget while it runs. An
// attempt of an activity that declares such a cost begins with a step of its own, BeginInput,
// in which what has been spent, and may be by attempts under way, is compared with the
// budget. What an attempt says on its way comes as SpentInput. A call of an activity that
// says nothing of a declared cost counts with what is declared.
//
// A child begins in the same way, and reserves nothing: what it and those below it use comes as
// ToldInput while it runs, and with its end.
//
// The input over_budget is due in the step after which the cost has first passed the budget,
// or in which an attempt would; such an attempt does not begin. Once it was taken, the cost
// holds nothing back.

// A run below one that is held to a budget keeps the same book of those costs, so that its silence
// counts for the runs above it, too. It compares nothing.

// Begins reports whether an attempt of do begins with a BeginInput.
func (m *Machine) Begins(s *Snapshot, do int) bool { return len(m.heldTo(s, do)) > 0 }

// keepsBook reports whether the run notes what its attempts may still use.
func (m *Machine) keepsBook(s *Snapshot) bool { return m.enforces || len(s.Above) > 0 }

// HeldBelow are the costs to whose budgets the runs are held that s is above of, by name.
func (m *Machine) HeldBelow(s *Snapshot) []string {
	names := s.Above
	if m.enforces {
		for _, c := range m.def.Budget.Costs {
			names = withName(names, c.Name)
		}
	}
	return names
}

// heldTo are the declared costs of do's activity that the budget has, or one of a run above,
// with what is declared: 0 for those of a machine that is called, which reserves nothing.
func (m *Machine) heldTo(s *Snapshot, do int) (costs []Cost) {
	if !m.keepsBook(s) {
		return nil
	}
	for _, c := range m.def.Activities[m.dos[do].Activity].Costs {
		if m.enforces && m.line(c.Name) >= 0 || slices.Contains(s.Above, c.Name) {
			costs = append(costs, c)
		}
	}
	return costs
}

// line is the index of a cost among those of the budget, or -1.
func (m *Machine) line(cost string) int {
	return slices.IndexFunc(m.def.Budget.Costs, func(c Cost) bool { return c.Name == cost })
}

func amountOf(costs []Cost, name string) string {
	for _, c := range costs {
		if c.Name == name {
			return c.Amount
		}
	}
	return "0"
}

func hasCost(costs []Cost, name string) bool {
	return slices.ContainsFunc(costs, func(c Cost) bool { return c.Name == name })
}

// withCosts is a, with more added to it, sorted by name; a itself stays as it is.
func withCosts(a, more []Cost) []Cost {
	sum := slices.Clone(a)
	for _, c := range more {
		i, found := slices.BinarySearchFunc(sum, c.Name, func(c Cost, name string) int { return cmp.Compare(c.Name, name) })
		switch {
		case found:
			sum[i].Amount = AddAmounts(sum[i].Amount, c.Amount)
		case len(sum) < MaxCosts:
			sum = slices.Insert(sum, i, c)
		}
	}
	return sum
}

// withName is a sorted list with one more name.
func withName(list []string, name string) []string {
	if i, found := slices.BinarySearch(list, name); !found {
		return slices.Insert(slices.Clone(list), i, name)
	}
	return list
}

// silent are the declared costs of an attempt that has begun and said nothing of them.
func (m *Machine) silent(s *Snapshot, t *Task, said []Cost) (costs []Cost) {
	if t.Begun == "" || m.dos[t.Do].calls {
		return nil
	}
	for _, c := range m.heldTo(s, t.Do) {
		if !hasCost(t.Reported, c.Name) && !hasCost(said, c.Name) {
			costs = append(costs, c)
		}
	}
	return costs
}

// Reserved is what attempts under way may still use of a cost by what they declare, beyond
// what they have said.
func (m *Machine) Reserved(s *Snapshot, cost string) string {
	sum := "0"
	declared := map[int]string{} // by do, of which a list has many elements
	for _, list := range [][]Task{s.Tasks, s.Stopping} {
		for i := range list {
			t := &list[i]
			if t.Begun == "" {
				continue
			}
			amount, known := declared[t.Do]
			if !known {
				amount = LessAmounts(amountOf(m.heldTo(s, t.Do), cost), "0")
				declared[t.Do] = amount
			}
			if amount != "0" {
				sum = AddAmounts(sum, LessAmounts(amount, amountOf(t.Reported, cost)))
			}
		}
	}
	return sum
}

// admitBegin refuses the beginning of an attempt that is not the current one, or waits.
func (m *Machine) admitBegin(s *Snapshot, in *Input) error {
	i := s.openTask(in)
	switch {
	case i < 0 || s.inQueue(&s.Tasks[i]):
		return ErrFenced
	case !m.Begins(s, in.Do) || in.Worker == "":
		return errors.New("it does not begin with a step")
	case !s.PausedAt.IsZero():
		return m.Reject(s, in, "the run is paused", nil)
	}
	return nil
}

// takeBegin lets an attempt begin, unless a cost would pass the budget with it.
func (t *step) takeBegin() error {
	n := t.next
	t.idle = false
	for i := range n.Stopping { // attempts begin only when those have stopped
		n.Spent = withCosts(n.Spent, t.m.silent(n, &n.Stopping[i], nil))
	}
	n.Stopping = nil
	own(&t.ownsTasks, &t.next.Tasks)
	task := &n.Tasks[n.openTask(t.in)]
	task.Begun, task.Reported = "", nil
	if t.m.enforces {
		for _, c := range t.m.heldTo(n, t.in.Do) {
			t.raiseIfOver(c.Name, AddAmounts(AddAmounts(amountOf(n.Spent, c.Name), t.m.Reserved(n, c.Name)), c.Amount))
		}
	}
	t.record.Effect = Held
	if len(n.OverDue) == 0 {
		task.Begun = t.in.Worker
		t.record.Effect = Begun
	}
	return nil
}

// takeOverBudget takes over_budget of the cost for which it is due.
func (t *step) takeOverBudget() error {
	t.passBudget()
	return t.handle(inputKey{kind: OverBudgetInput, a: t.m.line(t.in.Over)})
}

// passBudget notes that the next over_budget was taken.
func (t *step) passBudget() {
	t.next.OverDone = withName(t.next.OverDone, t.next.OverDue[0])
	t.next.OverDue = without(t.next.OverDue, 0)
}

// account keeps the book of attempts that have begun: which of them is over, and what it
// counts for.
func (t *step) account() {
	if t.in.Kind == BeginInput || t.in.Kind == ToldInput {
		return
	}
	t.closeAccount()
	gone := func(old *Task) bool {
		return !slices.ContainsFunc(t.next.Tasks, func(task Task) bool { return task.Key == old.Key && task.Attempt == old.Attempt })
	}
	over := -1 // the one that has ended with the input
	if t.in.Kind == ResultInput || t.in.Kind == FailureInput {
		over = t.old.openTask(t.in)
	}
	for i := range t.old.Tasks {
		if old := &t.old.Tasks[i]; i != over && old.Begun != "" && !t.m.dos[old.Do].calls && gone(old) {
			t.next.Stopping = append(slices.Clone(t.next.Stopping), *old)
		}
	}
	if len(t.next.Above) > 0 && t.next.Status.Over() {
		t.assume()
	}
}

// assume counts the attempts that the run leaves behind as it ends with what they may still
// use by what they declare, for the runs above go on. What one reports later counts as far as
// it is more.
func (t *step) assume() {
	n := t.next
	n.Stopping = slices.Clone(n.Stopping)
	for i := range n.Stopping {
		if task := &n.Stopping[i]; task.Assumed == nil {
			task.Assumed = beyond(t.m.heldTo(n, task.Do), task.Reported)
			slices.SortFunc(task.Assumed, func(a, b Cost) int { return cmp.Compare(a.Name, b.Name) })
			n.Spent = withCosts(n.Spent, task.Assumed)
		}
	}
}

// counts is what the costs of the input add to those of the run.
func (t *step) counts() []Cost {
	if t.in.Kind != LateInput {
		return t.in.Cost
	}
	for i := range t.old.Stopping {
		if s := &t.old.Stopping[i]; s.Assumed != nil && t.isOf(s) {
			return beyond(t.in.Cost, s.Assumed)
		}
	}
	return t.in.Cost
}

// isOf reports whether the input is of an attempt that stops.
func (t *step) isOf(s *Task) bool {
	return s.Key == t.in.Key && s.Attempt == t.in.Attempt && s.Begun == t.in.Worker
}

// beyond is what costs have more than others.
func beyond(costs, others []Cost) (more []Cost) {
	for _, c := range costs {
		if c.Amount = LessAmounts(c.Amount, amountOf(others, c.Name)); c.Amount != "0" {
			more = append(more, c)
		}
	}
	return more
}

// closeAccount is account of the attempt that the input is of.
func (t *step) closeAccount() {
	in, n := t.in, t.next
	var was *Task // as it stood, if it had begun
	if i := t.old.openTask(in); i >= 0 && t.old.Tasks[i].Begun != "" {
		was = &t.old.Tasks[i]
	}
	current := was != nil && was.Begun == in.Worker
	switch in.Kind {
	case ResultInput, FailureInput, LostInput:
		if current || was != nil && in.Kind != LostInput { // who is lost may be an attempt before; what has ended is this one
			n.Spent = withCosts(n.Spent, t.m.silent(n, was, in.Cost))
			t.rewriteBegun("", nil)
		}
	case ReturnInput:
		if current {
			t.rewriteBegun("", nil)
		}
	case SpentInput, LateInput:
		if current {
			t.rewriteBegun(in.Worker, withCosts(was.Reported, in.Cost))
			return
		}
		for i := range n.Stopping {
			if s := &n.Stopping[i]; in.Kind == LateInput && t.isOf(s) {
				n.Spent = withCosts(n.Spent, t.m.silent(n, s, withCosts(in.Cost, s.Assumed)))
				n.Stopping = without(n.Stopping, i)
				return
			}
		}
	}
}

// rewriteBegun writes what is known of the attempt that the input is of, where it still stands.
func (t *step) rewriteBegun(worker string, reported []Cost) {
	for i := range t.next.Tasks {
		if task := &t.next.Tasks[i]; task.says(t.in) {
			own(&t.ownsTasks, &t.next.Tasks)
			t.next.Tasks[i].Begun, t.next.Tasks[i].Reported = worker, reported
			return
		}
	}
}

// raiseOverBudget makes over_budget due for the costs that have passed their budget, as far
// as the activity that the input is of declares them; after a pause, those that run do.
func (t *step) raiseOverBudget() {
	n := t.next
	if n.Status != Running || !n.PausedAt.IsZero() {
		return
	}
	switch t.in.Kind {
	case SpentInput, ResultInput, FailureInput:
		t.raise(t.in.Do)
	case ToldInput:
		if t.in.Key != "" && n.openTask(t.in) >= 0 {
			t.raise(t.in.Do)
		}
	case ResumeInput:
		for i := range n.Tasks {
			if task := &n.Tasks[i]; task.State == TaskOpen && task.Begun != "" && !n.inQueue(task) {
				t.raise(task.Do)
			}
		}
	}
}

func (t *step) raise(do int) {
	for _, c := range t.m.heldTo(t.next, do) {
		t.raiseIfOver(c.Name, amountOf(t.next.Spent, c.Name))
	}
}

// raiseIfOver makes over_budget due for a cost of which that much passes the budget.
func (t *step) raiseIfOver(cost, amount string) {
	line, n := t.m.line(cost), t.next
	if line >= 0 && !slices.Contains(n.OverDone, cost) && compareAmounts(amount, t.m.def.Budget.Costs[line].Amount) > 0 {
		n.OverDue = withName(n.OverDue, cost)
	}
}
