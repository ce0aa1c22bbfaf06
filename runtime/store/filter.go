package store

import "time"

// Matches reports whether the fields that filter let a run through, whatever page it is on.
func (f *RunFilter) Matches(r *RunRow) bool {
	return (f.Machine == "" || f.Machine == r.Machine) &&
		(f.State == "" || f.State == r.State) &&
		(f.Status == "" || f.Status == r.Status) &&
		(f.Outcome == "" || f.Outcome == r.Outcome) &&
		(f.Definition == "" || f.Definition == r.Definition) &&
		(f.Parent == "" || f.Parent == r.Parent) &&
		(f.Root == "" || f.Root == r.Root) &&
		(f.StartedFrom.IsZero() || !r.Started.Before(f.StartedFrom)) &&
		(!f.Paused || r.Paused) &&
		before(r.Started, f.StartedTo) && before(r.Entered, f.EnteredTo) && before(r.Updated, f.UpdatedTo)
}

// before reports whether t lies before limit, where there is one.
func before(t, limit time.Time) bool { return limit.IsZero() || t.Before(limit) }
