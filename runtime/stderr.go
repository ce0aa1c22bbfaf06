package runtime

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/lines"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

const (
	// maxStderrLine is how much of a line of an attempt's standard error is logged.
	maxStderrLine = 8 << 10
	// maxStderrRate is how much of it is logged in a second, of each attempt.
	maxStderrRate = 256 << 10
	// stderrLineCost is what a line counts for that besides its bytes: what stands around it.
	stderrLineCost = 128
)

// Stderr takes text for people, like the standard error of an executable. Each line is logged,
// and if the attempt fails, the last machine.MaxStderr bytes are in the history of the run. A
// write never fails, and several goroutines may write. What exceeds 256 KiB in a second is
// counted, and not logged; a line is cut after 8 KiB.
func (a *Attempt) Stderr() io.Writer {
	if a.hooks.Stderr == nil {
		return io.Discard
	}
	return a.hooks.Stderr
}

// stderrLog is the Stderr of an attempt that an engine runs. What it holds does not grow
// with what is written.
type stderrLog struct {
	logger *slog.Logger
	of     []slog.Attr // the attempt
	clock  Clock

	mu     sync.Mutex
	end    []byte // the last bytes of all
	lines  lines.Writer
	second time.Time // since when room counts
	room   int       // what may still be logged in that second
	missed int       // lines that were not
}

func (r *running) newStderr() *stderrLog {
	t := &r.task
	s := &stderrLog{logger: r.engine.logger, clock: r.engine.own, of: []slog.Attr{
		slog.String("run", t.Run), slog.String("machine", t.Machine), slog.String("activity", t.Activity), elementAttr(t.Do), slog.Int("attempt", t.Attempt),
	}}
	s.lines = lines.Writer{Most: maxStderrLine, Each: s.log}
	return s
}

func (s *stderrLog) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(p)
	if now := s.clock.Now(); now.Sub(s.second) >= time.Second {
		s.sayMissed()
		s.second, s.room = now, maxStderrRate
	}
	return s.lines.Write(p)
}

// keep keeps the end of what has been written: twice as much as is wanted, so that it is
// moved seldom.
func (s *stderrLog) keep(p []byte) {
	const most = 2 * machine.MaxStderr
	p = p[max(0, len(p)-most):]
	if over := len(s.end) + len(p) - most; over > 0 {
		kept := s.end[max(over, len(s.end)-machine.MaxStderr):]
		s.end = append(s.end[:0], kept...)
	}
	s.end = append(s.end, p...)
}

func (s *stderrLog) log(line []byte, cut bool) {
	text := strings.TrimRight(string(line), " \t\r")
	if text == "" {
		return
	}
	if s.room -= len(text) + stderrLineCost; s.room < 0 {
		s.missed++
		return
	}
	said := []slog.Attr{slog.String("line", strings.ToValidUTF8(text, "\uFFFD"))}
	if cut {
		said = append(said, slog.Bool("cut", true))
	}
	s.say(said...)
}

func (s *stderrLog) say(what ...slog.Attr) {
	s.logger.LogAttrs(context.Background(), slog.LevelInfo, "stderr", append(slices.Clip(s.of), what...)...)
}

func (s *stderrLog) sayMissed() {
	if s.missed > 0 {
		s.say(slog.Int("left_out", s.missed))
		s.missed = 0
	}
}

// over logs what has not been logged when the attempt has ended.
func (s *stderrLog) over() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines.End()
	s.sayMissed()
}

// text is the end of what has been written, as history has it.
func (s *stderrLog) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return machine.CleanStderr(string(s.end))
}
