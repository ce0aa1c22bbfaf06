package runtime

import "github.com/fsmc-dev/fsmc/runtime/store"

// WithStandIns lets functions do the work of children, for tests. Find gives the function for a
// machine that is called, by its name, or nil if a child should run. The function is called like
// an activity, and the Event of its Result is a terminal of the machine. Find is asked whenever
// there may be work.
func WithStandIns(find func(machine string) ActivityFunc) Option {
	return func(e *Engine) { e.standIns = find }
}

// standIn is the function that does what a child would; nil for none.
func (e *Engine) standIn(machine string) ActivityFunc {
	if e.standIns == nil {
		return nil
	}
	return e.standIns(machine)
}

// withoutChildren divides calls of machines into those that children do, and those that functions do.
func (e *Engine) withoutChildren(calls []store.Claimable) (children, standIns []store.Claimable) {
	for _, c := range calls {
		if e.standIn(c.Activity) != nil {
			standIns = append(standIns, c)
		} else {
			children = append(children, c)
		}
	}
	return children, standIns
}
