package explore

import "github.com/fsmc-dev/fsmc/check/flat"

// MayReadUnset reports whether some run may read a field that it has not set.
// It explores the machine with neither values nor counters, and of the data only
// which fields are set: guards may be true or false, bounds open or used up, but
// `is set` is exact. That has all runs of the machine, and mostly few
// configurations; where there are more than limit the answer is true.
func MayReadUnset(t *flat.Table, limit int) bool {
	data := newTracked(t.Machine)
	data.loose = true
	for _, n := range data.nodes {
		n.read = false
	}
	p, _ := try(t, limit, data, nil)
	if p == nil {
		return true
	}
	for _, f := range p.Faults() {
		if f.Unset != nil {
			return true
		}
	}
	return false
}
