package replay

import (
	"bytes"
	"encoding/json"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// childrenOf are the runs of machines that end with in, or that it cancels. Before is the
// run as it was when in came.
func (r *run) childrenOf(in *input, before *run) []witness.Child {
	var list []witness.Child
	sayer := -1
	if in.silent == nil && in.Do != nil && in.Do.Activity.Machine != nil {
		for i := range before.s.Tasks {
			if t := &before.s.Tasks[i]; t.Do == in.Do.ID && (in.Do.Fan == nil || t.Index == in.element) {
				sayer = i
				c := before.child(t)
				c.Ends, c.Exit = witness.EndsBy(in.Case)
				list = append(list, c)
			}
		}
	}
	if r.s.State == before.s.State && r.s.Visit == before.s.Visit && !r.s.Status.Over() {
		return list
	}
	for _, i := range before.running() {
		if i != sayer {
			c := before.child(&before.s.Tasks[i])
			c.Ends = witness.Cancelled
			list = append(list, c)
		}
	}
	return list
}

// running are the tasks that run a machine now, by place.
func (r *run) running() []int {
	if !r.book.calls {
		return nil
	}
	var places []int
	for i := range r.s.Tasks {
		t := &r.s.Tasks[i]
		if r.book.m.Dos[t.Do].Activity.Machine != nil && t.State == machine.TaskOpen && r.startOf(t) <= r.now {
			places = append(places, i)
		}
	}
	return places
}

// childrenOpen are the runs of machines that have not ended.
func (r *run) childrenOpen() []witness.Child {
	var list []witness.Child
	r.noteGiven()
	for _, i := range r.running() {
		c := r.child(&r.s.Tasks[i])
		c.Ends = witness.RunsOn
		list = append(list, c)
	}
	return list
}

// attemptKey tells the runs of machines apart that a run starts.
type attemptKey struct {
	do, index, attempt int
	key                string
}

func keyOf(t *machine.Task) attemptKey { return attemptKey{t.Do, t.Index, t.Attempt, t.Key} }

// noteGiven reads what those machines are given that have started since the last input: the
// arms that come later may change that.
func (r *run) noteGiven() {
	for _, i := range r.running() {
		t := &r.s.Tasks[i]
		if _, known := r.handed[keyOf(t)]; known {
			continue
		}
		if r.handed == nil {
			r.handed = map[attemptKey]map[string]any{}
		}
		r.handed[keyOf(t)] = r.arguments(t)
	}
}

// arguments are what task t is given now; nil where that does not fit.
func (r *run) arguments(t *machine.Task) (given map[string]any) {
	no := func(int, []machine.Value) (bool, error) { return false, nil }
	args, err := r.book.x.TaskArgs(r.s, t, r.clock(), no)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(args))
	decoder.UseNumber()
	if decoder.Decode(&given) != nil {
		return nil
	}
	return given
}

// child is what task t runs.
func (r *run) child(t *machine.Task) witness.Child {
	c := witness.Child{Do: r.book.m.Dos[t.Do], Given: r.handed[keyOf(t)]}
	if c.Do.Fan != nil {
		c.Element = t.Index + 1
	}
	return c
}
