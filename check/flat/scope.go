package flat

import "github.com/fsmc-dev/fsmc/lang/ir"

// RefilledBy is the state whose being entered from outside sets a's counter back to
// zero; nil for one that counts for the run, and for a retry's own visit.
func RefilledBy(a *ir.Arm) *ir.State {
	switch {
	case a.Scope.Kind == ir.PerState:
		return a.Scope.State
	case a.Scope.Kind == ir.PerVisit && a.Kind == ir.Goto:
		return a.State
	}
	return nil
}

// CountsBeyondVisit reports whether the configuration holds a's counter while
// the run is elsewhere.
func CountsBeyondVisit(a *ir.Arm) bool {
	return a.Max != nil && *a.Max > 0 && !(a.Kind == ir.Retry && a.Scope.Kind == ir.PerVisit)
}
