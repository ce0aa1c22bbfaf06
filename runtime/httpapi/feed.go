package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// mostStreams is how many may listen at once.
const mostStreams = 1024

// slowest is the slowest pace for which a reader can ask.
const slowest = 5 * time.Second

// beatEvery is how long after the last that it had a reader is told that the stream is there.
const beatEvery = 15 * time.Second

// getFeed gives steps as they happen, as Server-Sent Events, until the reader leaves or the
// server stops.
func (a *API) getFeed(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	after, pace := q.lastEventID(r), q.number("pace", 0, 0, slowest.Milliseconds())
	if q.err != nil {
		return q.err
	}
	if !a.streams.take(mostStreams) {
		p := later("streams", "too many streams", fmt.Sprintf("%d streams are open, and no more are allowed", mostStreams))
		p.retryAfter = "10"
		return p
	}
	defer a.streams.leave()
	sub, err := a.hub.Subscribe(r.Context(), after, pace > 0)
	if errors.Is(err, errBye) {
		return later("stopped", "the server is about to stop", err.Error())
	}
	if err != nil {
		return err
	}
	defer sub.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep it back
	s := &stream{w: w, to: http.NewResponseController(w), engine: a.engine, run: q.Get("run"), machine: q.Get("machine"),
		pace: time.Duration(pace) * time.Millisecond}
	s.to.SetReadDeadline(time.Time{})                  // which would end a stream that goes on
	s.write("id: %d\nretry: 1000\n\n", sub.Position()) // a reader that loses the stream at once misses nothing
	s.follow(r.Context(), sub)
	return nil
}

// lastEventID is the position behind which a reader wants to go on, or begin.
func (q *query) lastEventID(r *http.Request) int64 {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return q.number("after", fromNow, 0, math.MaxInt64)
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		q.wrong(badQuery("Last-Event-ID", "Last-Event-ID is a number that an event had as its id, and not %q", text))
	}
	return id
}

// stream is one reader.
type stream struct {
	w      http.ResponseWriter
	to     *http.ResponseController
	engine *runtime.Engine
	err    error // nothing more reaches the reader

	run, machine string // whose steps the reader wants; all where both are empty

	// pace is how long the stream waits behind a step. Of those that were taken meanwhile it then has only the
	// last: enough for who looks again at each, as a page does. Zero is for all steps.
	pace time.Duration
	told int64 // where there is a pace: the last step of the run of which the reader has heard

	beat time.Time // when the reader is told that the stream is there, if it has nothing until then
}

// write sends text. A reader that takes none of it for long is gone.
func (s *stream) write(format string, args ...any) {
	if s.err != nil {
		return
	}
	now := time.Now()
	s.beat = now.Add(beatEvery)
	s.to.SetWriteDeadline(now.Add(answerWithin))
	if _, s.err = fmt.Fprintf(s.w, format, args...); s.err == nil {
		s.err = s.to.Flush()
	}
}

// follow sends the steps that the reader wants. Others do not hold up its beat.
func (s *stream) follow(ctx context.Context, sub *subscription) {
	for s.err == nil {
		if !time.Now().Before(s.beat) {
			s.write(":\n\n")
		}
		within, stop := context.WithDeadline(ctx, s.beat)
		steps, err := sub.Next(within)
		stop()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errMissed):
			if s.concerned(ctx) {
				s.write("id: %d\nevent: reset\ndata: {}\n\n", sub.Position())
			}
			s.wait(ctx)
		case errors.Is(err, errBye):
			s.write("event: bye\ndata: {}\n\n")
			return
		default: // none where it is time for a beat
			s.steps(ctx, steps)
		}
	}
}

// concerned reports whether steps that were missed may be of the run that the reader wants. Only who is paced misses
// many while nothing happens to it.
func (s *stream) concerned(ctx context.Context) bool {
	if s.pace == 0 || s.run == "" {
		return true
	}
	row, err := s.engine.Row(ctx, s.run)
	if err != nil {
		return !errors.Is(err, runtime.ErrNotFound)
	}
	before := s.told
	s.told = row.Seq
	return row.Seq != before
}

// wait is for the pace.
func (s *stream) wait(ctx context.Context) {
	if s.pace > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(s.pace):
		}
	}
}

func (s *stream) steps(ctx context.Context, steps []feedStep) {
	var text []byte
	var last *feedStep
	for i := range steps {
		if step := &steps[i]; (s.run == "" || step.Run == s.run) && (s.machine == "" || step.Machine == s.machine) {
			if last = step; s.pace == 0 {
				text = step.line(text)
			}
		}
	}
	if last == nil {
		return
	}
	if s.pace > 0 {
		text, s.told = last.line(nil), last.Seq
	}
	s.write("%s", text)
	s.wait(ctx)
}

// line appends a step as an event of a stream.
func (f *feedStep) line(text []byte) []byte {
	return fmt.Appendf(text, "id: %d\nevent: step\ndata: %s\n\n", f.ID, f.Text())
}
