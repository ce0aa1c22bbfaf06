package cli

import (
	"context"
	"log/slog"
	"slices"
)

// logHandler prints what goes wrong in the engine, but for what run says in its
// own words.
func (r *runner) logHandler() slog.Handler {
	said := []string{"another version of a machine is left in part to other engines"} // sayVersion
	if !r.asJSON {
		said = append(said, "a worker was lost", "run halted") // printer
	}
	return &unsaidLog{slog.NewTextHandler(r.err, &slog.HandlerOptions{Level: slog.LevelWarn}), said}
}

// unsaidLog passes over records with some messages.
type unsaidLog struct {
	slog.Handler
	said []string
}

func (l *unsaidLog) Handle(ctx context.Context, record slog.Record) error {
	if slices.Contains(l.said, record.Message) {
		return nil
	}
	return l.Handler.Handle(ctx, record)
}

func (l *unsaidLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &unsaidLog{l.Handler.WithAttrs(attrs), l.said}
}

func (l *unsaidLog) WithGroup(name string) slog.Handler {
	return &unsaidLog{l.Handler.WithGroup(name), l.said}
}
