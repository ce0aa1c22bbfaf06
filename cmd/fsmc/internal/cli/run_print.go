package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// printer shows the steps of runs as they are made. It is called by several
// goroutines; what it prints at once stays together, and the start of a run
// comes before its other steps.
type printer struct {
	mu     sync.Mutex
	out    io.Writer
	quiet  bool // nothing but the starts of runs that are no children: their ids may be new
	silent bool // nothing at all

	// said is what attempts were released for, until something else becomes of them:
	// while a worker cannot start processes that is so each second.
	said map[string]string
}

func (p *printer) OnStep(i runtime.StepInfo) {
	switch {
	case i.From == "":
		p.print(p.quiet && strings.Contains(i.Run, "/"), "%s started in %s\n", i.Run, i.To)
	case i.From != i.To || i.Effect == machine.Moved:
		p.print(p.quiet, "%s  %s  %s -> %s  (%s)\n", clock(i.At), i.Run, i.From, i.To, i.Input)
	case i.Input == string(i.Effect): // an activity that had nothing to say has ended
		p.print(p.quiet, "%s  %s  %s  (%s)\n", clock(i.At), i.Run, i.To, i.Input)
	default:
		p.print(p.quiet, "%s  %s  %s  (%s, %s)\n", clock(i.At), i.Run, i.To, i.Input, i.Effect)
	}
}

func (p *printer) OnAttempt(a runtime.AttemptInfo) {
	if p.repeats(&a) || a.Message == "" {
		return
	}
	what := string(a.End)
	switch {
	case a.Category != "":
		what = a.Category
	case a.End == runtime.AttemptReturned:
		what = "released"
	}
	p.print(p.quiet, "          %s  %s, attempt %d: %s: %s\n", a.Run, describe.Attempt(a.Activity, a.Do), a.Attempt, what, describe.Plain(a.Message, 200))
}

// repeats reports whether an attempt is released as it was the last time.
func (p *printer) repeats(a *runtime.AttemptInfo) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	attempt := a.Run + " " + a.Key
	if a.End != runtime.AttemptReturned {
		delete(p.said, attempt)
		return false
	}
	if p.said == nil {
		p.said = map[string]string{}
	}
	again := p.said[attempt] == a.Message
	p.said[attempt] = a.Message
	return again
}

// print prints, unless that is to be omitted.
func (p *printer) print(omit bool, format string, args ...any) {
	if omit || p.silent {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, format, args...)
}

// clock is a time of day, for lines that are printed as things happen.
func clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// say prints a line about a run as a whole. No steps are made meanwhile.
func (r *runner) say(format string, args ...any) {
	switch {
	case r.log != nil:
		r.log.Info(fmt.Sprintf(format, args...))
	case !r.asJSON:
		fmt.Fprintf(r.out, format+"\n", args...)
	}
}

// writeHow writes how a run stands, and what it has returned.
func writeHow(w io.Writer, v *runtime.View) {
	fmt.Fprintln(w, describe.Sentence(v, time.Now()))
	if text := describe.Returned(v); text != "" {
		fmt.Fprintln(w, text)
	}
}

func (r *runner) report(v *runtime.View) error {
	if r.asJSON {
		return printJSON(r.out, v)
	}
	r.how(v)
	return nil
}

// how says how a run stands, as text or in the log.
func (r *runner) how(v *runtime.View) {
	if r.log == nil {
		writeHow(r.out, v)
		return
	}
	said := []slog.Attr{slog.String("run", v.Run), slog.String("machine", v.Machine), slog.Int64("seq", v.Seq),
		slog.String("state", v.State), slog.String("status", string(v.Status))}
	if v.Outcome != "" {
		said = append(said, slog.String("outcome", string(v.Outcome)))
	}
	if v.Returns != nil {
		said = append(said, slog.Any("returns", v.Returns))
	}
	level := slog.LevelInfo
	if outcomeError(v) != nil {
		level = slog.LevelWarn
	}
	r.log.LogAttrs(context.Background(), level, "run", said...)
}
