package postgres

import (
	"context"
	"fmt"
)

// Migrated is what Migrate has done to a database, or would do.
type Migrated struct {
	Before  int         `json:"before"` // the format that it had; 0 for no tables
	After   int         `json:"after"`
	Steps   []Migration `json:"steps"`
	Applied bool        `json:"applied"`
}

// Migration is one step of the tables.
type Migration struct {
	Format   int    `json:"format"` // after it
	Name     string `json:"name"`
	Contract bool   `json:"contract"` // older versions cannot work with the database after it
}

// Migrate brings the tables at a URL up to date: also by what contracts them, which Open leaves
// out. That is refused with ErrOlderHosts while a process of an older version has the database
// open. Each step is a transaction, so that those before one that fails stay. Without apply it
// says what is missing. ErrMissing where there are no tables.
func Migrate(ctx context.Context, url string, apply bool, opts ...Option) (Migrated, error) {
	s, err := connect(ctx, url, opts...)
	if err != nil {
		return Migrated{}, err
	}
	defer s.pool.Close()
	if err := s.once(ctx, s.checkServer); err != nil {
		return Migrated{}, err
	}
	done := Migrated{Steps: []Migration{}, Applied: apply}
	if err := s.once(ctx, func(ctx context.Context, t *tx) (err error) {
		done.Before, err = s.format(ctx, t)
		return err
	}); err != nil {
		return done, err
	}
	if done.Before == 0 {
		return done, fmt.Errorf("schema %q: %w", s.schema, ErrMissing)
	}
	done.After = done.Before
	steps := s.steps()
	for format := done.Before; format < len(steps); format++ {
		if apply {
			if _, err := writing(ctx, s, func(ctx context.Context, t *tx) (int, error) {
				return s.advance(ctx, t, true)
			}); err != nil {
				return done, err
			}
		}
		done.After = format + 1
		done.Steps = append(done.Steps, Migration{done.After, steps[format].name, steps[format].contract})
	}
	return done, nil
}
