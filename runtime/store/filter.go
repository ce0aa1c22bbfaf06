package store

import (
	"context"
	"strings"
	"time"
)

// Matches reports whether the fields that filter let a run through, whatever page it is on.
func (f *RunFilter) Matches(r *RunRow) bool {
	for name, value := range f.Tags {
		if has, ok := r.Tags[name]; !ok || has != value {
			return false
		}
	}
	return (f.Run == "" || f.Run == r.Run) && strings.HasPrefix(r.Run, f.RunPrefix) &&
		(f.Machine == "" || f.Machine == r.Machine) &&
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

// Begins is the run behind which the page begins; nil for the first page.
func (f *RunFilter) Begins(ctx context.Context, s interface {
	Load(ctx context.Context, run string) (RunRow, error)
}) (*RunRow, error) {
	if f.After == "" {
		return nil, nil
	}
	row, err := s.Load(ctx, f.After)
	if err != nil {
		return nil, err
	}
	return &row, nil
}
