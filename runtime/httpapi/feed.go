package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// mostStreams is how many may listen at once.
const mostStreams = 1024

// slowest is the slowest pace for which a reader can ask.
const slowest = 5 * time.Second

// beatEvery is how often a stream on which nothing happens says that it is there.
const beatEvery = 15 * time.Second

// getFeed gives steps as they happen, as Server-Sent Events, until the reader leaves or the
// server stops.
func (a *API) getFeed(w http.ResponseWriter, r *http.Request) error {
	after, err := lastEventID(r)
	if err != nil {
		return err
	}
	pace, err := number(r, "pace", 0, 0, slowest.Milliseconds())
	if err != nil {
		return err
	}
	if !a.streams.take(mostStreams) {
		p := later("streams", "too many streams", fmt.Sprintf("%d streams are open, and no more are allowed", mostStreams))
		p.retryAfter = "10"
		return p
	}
	defer a.streams.leave()
	sub, err := a.hub.Subscribe(r.Context(), after)
	if errors.Is(err, errBye) {
		return later("stopped", "the server is about to stop", err.Error())
	}
	if err != nil {
		return err
	}
	defer sub.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep it back
	s := &stream{w: w, to: http.NewResponseController(w), pace: time.Duration(pace) * time.Millisecond}
	s.to.SetReadDeadline(time.Time{}) // which would end a stream that goes on
	s.begin(sub.Position())
	query := r.URL.Query()
	s.follow(r.Context(), sub, query.Get("run"), query.Get("machine"))
	return nil
}

// lastEventID is the position behind which a reader wants to go on.
func lastEventID(r *http.Request) (int64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return fromNow, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0, badQuery("Last-Event-ID", "Last-Event-ID is a number that an event had as its id, and not %q", text)
	}
	return id, nil
}

// stream is one reader.
type stream struct {
	w   http.ResponseWriter
	to  *http.ResponseController
	err error // nothing more reaches the reader

	// pace is how long the stream waits behind a step. Of those that were taken meanwhile it then has only the
	// last: enough for who looks again at each, as a page does. Zero is for all steps.
	pace time.Duration
}

// begin sends the headers, and where the stream begins, so that a reader that loses it at once
// misses nothing.
func (s *stream) begin(position int64) { s.write("id: %d\nretry: 1000\n\n", position) }

// write sends text. A reader that takes none of it for long is gone.
func (s *stream) write(format string, args ...any) {
	if s.err != nil {
		return
	}
	s.to.SetWriteDeadline(time.Now().Add(answerWithin))
	if _, s.err = fmt.Fprintf(s.w, format, args...); s.err == nil {
		s.err = s.to.Flush()
	}
}

// follow sends the steps of a run, or of a machine's runs, or where both are empty of all.
func (s *stream) follow(ctx context.Context, sub *subscription, run, machine string) {
	for s.err == nil {
		within, stop := context.WithTimeout(ctx, beatEvery)
		steps, err := sub.Next(within)
		stop()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errMissed):
			s.write("id: %d\nevent: reset\ndata: {}\n\n", sub.Position())
		case errors.Is(err, errBye):
			s.write("event: bye\ndata: {}\n\n")
			return
		case err != nil:
			s.write(":\n\n")
		default:
			s.steps(ctx, steps, run, machine)
		}
	}
}

func (s *stream) steps(ctx context.Context, steps []feedStep, run, machine string) {
	var text []byte
	var last *feedStep // where it alone is wanted
	for i := range steps {
		step := &steps[i]
		switch {
		case run != "" && step.Run != run || machine != "" && step.Machine != machine:
		case s.pace > 0:
			last = step
		default:
			text = step.line(text)
		}
	}
	if last != nil {
		text = last.line(nil)
	}
	if len(text) > 0 {
		s.write("%s", text)
		if s.pace > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(s.pace):
			}
		}
	}
}

// line appends a step as an event of a stream.
func (f *feedStep) line(text []byte) []byte {
	return fmt.Appendf(text, "id: %d\nevent: step\ndata: %s\n\n", f.ID, f.Text())
}
