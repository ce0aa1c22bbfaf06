package cli

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// logging are the engine's logger and its observer.
func (r *runner) logging() []runtime.Option {
	var said []string
	if r.logJSON || !r.asJSON && !r.quiet {
		said = append(said, "a worker was lost", "run halted") // the observer
	}
	if r.logJSON {
		return r.loggingJSON(said)
	}
	problems := slog.NewTextHandler(r.err, &slog.HandlerOptions{Level: slog.LevelWarn})
	return []runtime.Option{
		runtime.WithLogger(slog.New(&unsaidLog{problems, r, said})),
		runtime.WithObserver(&printer{out: r.out, silent: r.asJSON, quiet: r.quiet}),
	}
}

// loggingJSON is one log of all that happens, which leaves standard output to the result
// where that is JSON, too.
func (r *runner) loggingJSON(said []string) []runtime.Option {
	to := r.out
	if r.asJSON {
		to = r.err
	}
	handler := slog.NewJSONHandler(to, &slog.HandlerOptions{ReplaceAttr: durationText})
	r.log = slog.New(handler)
	if r.quiet {
		return []runtime.Option{runtime.WithLogger(slog.New(&unsaidLog{handler, r, []string{timerMessage}}))}
	}
	return []runtime.Option{
		runtime.WithLogger(slog.New(&unsaidLog{handler, r, said})),
		runtime.WithObserver(runtime.LogObserver(r.log)),
	}
}

// durationText writes durations as all JSON of fsmc does.
func durationText(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// stderrMessage is that of a record with a line of an attempt's standard error.
const stderrMessage = "stderr"

// sayStderr prints such a line.
func (r *runner) sayStderr(record *slog.Record) {
	said := attributes(record)
	line := describe.Plain(said["line"].String(), 10_000)
	if n, ok := said["left_out"]; ok {
		line = "… " + describe.Count(n.Int64(), "line") + " left out"
	}
	of := said["activity"].String()
	if do, ok := said["do"]; ok {
		of = describe.Attempt(of, do.String())
	}
	fmt.Fprintf(r.err, "%s  %s, attempt %s: %s\n", said["run"], of, said["attempt"], line)
}

// timerMessage is that of a record about a run that waits long for a timer.
const timerMessage = "waiting for a timer"

// sayTimer prints such a record.
func (r *runner) sayTimer(record *slog.Record) {
	if r.quiet {
		return
	}
	said := attributes(record)
	timer := strings.TrimPrefix(said["timer"].String(), said["state"].String()+" ")
	fmt.Fprintf(r.err, "%s waits in %s for %q (until %s)\n", said["run"], said["state"], timer, describe.When(said["due"].Time(), record.Time))
}

// attributes are those of a record, by name.
func attributes(record *slog.Record) map[string]slog.Value {
	said := map[string]slog.Value{}
	record.Attrs(func(a slog.Attr) bool {
		said[a.Key] = a.Value
		return true
	})
	return said
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
	if left, ok := attributes(record)["changed"].Any().([]string); ok {
		what, them := undone(left)
		fmt.Fprintf(r.err, "fsmc: %s was migrated to another version of its machine, and this file does not declare its %s in the same way, so %s: name the file of that version, or no file\n",
			*run, what, them)
	}
}

// unsaidLog passes over records with some messages.
type unsaidLog struct {
	slog.Handler
	runner *runner
	said   []string
}

// Enabled lets standard error pass, whatever the level.
func (l *unsaidLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l *unsaidLog) Handle(ctx context.Context, record slog.Record) error {
	switch {
	case l.runner.logJSON && !slices.Contains(l.said, record.Message):
	case record.Message == stderrMessage:
		l.runner.sayStderr(&record)
		return nil
	case record.Message == timerMessage:
		l.runner.sayTimer(&record)
		return nil
	case !l.Handler.Enabled(ctx, record.Level):
		return nil
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
