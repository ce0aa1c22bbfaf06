package cli

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

// logHandler prints what goes wrong in the engine, but for what run says in its
// own words.
func (r *runner) logHandler() slog.Handler {
	var said []string
	if !r.asJSON {
		said = append(said, "a worker was lost", "run halted") // printer
	}
	return &unsaidLog{slog.NewTextHandler(r.err, &slog.HandlerOptions{Level: slog.LevelWarn}), r, said}
}

// leftInPart is what the engine says of a version that it meets, and does not do all of.
// At the start sayVersion says it; what comes after that is a run that has been migrated.
const leftInPart = "another version of a machine is left in part to other engines"

// sayMigrated says that the run under way is of another version now.
func (r *runner) sayMigrated(record *slog.Record) {
	run := r.begun.Load()
	if run == nil {
		return
	}
	record.Attrs(func(a slog.Attr) bool {
		if left, ok := a.Value.Any().([]string); ok {
			what, them := undone(left)
			fmt.Fprintf(r.err, "fsmc: %s was migrated to another version of its machine, and this file does not declare its %s in the same way, so %s: name the file of that version, or no file\n",
				*run, what, them)
		}
		return true
	})
}

// unsaidLog passes over records with some messages.
type unsaidLog struct {
	slog.Handler
	runner *runner
	said   []string
}

func (l *unsaidLog) Handle(ctx context.Context, record slog.Record) error {
	switch {
	case record.Message == leftInPart:
		l.runner.sayMigrated(&record)
		return nil
	case slices.Contains(l.said, record.Message):
		return nil
	}
	return l.Handler.Handle(ctx, record)
}

func (l *unsaidLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &unsaidLog{l.Handler.WithAttrs(attrs), l.runner, l.said}
}

func (l *unsaidLog) WithGroup(name string) slog.Handler {
	return &unsaidLog{l.Handler.WithGroup(name), l.runner, l.said}
}
