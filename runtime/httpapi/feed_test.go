package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime/httpapi"
)

// listener is a reader of a stream, over a pipe.
type listener struct {
	*io.PipeWriter
	header http.Header
	events chan string // "step 1 r>Idle", "reset 7", "bye", "beat"
	leave  context.CancelFunc
	status int
}

func (l *listener) Header() http.Header    { return l.header }
func (l *listener) WriteHeader(status int) { l.status = status }
func (l *listener) Flush()                 {}

// listen opens a stream in a bubble.
func listen(t *testing.T, h http.Handler, query, last string) *listener {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	out, in := io.Pipe()
	l := &listener{PipeWriter: in, header: http.Header{}, events: make(chan string, 20_000), leave: leave}
	r := httptest.NewRequest("GET", "/api/v1/feed"+query, nil).WithContext(ctx)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	go func() {
		defer in.Close()
		h.ServeHTTP(l, r)
	}()
	go func() {
		defer close(l.events)
		for lines := bufio.NewScanner(out); ; {
			if event, ok := nextEvent(lines); !ok {
				return
			} else if event != "" {
				l.events <- event
			}
		}
	}()
	t.Cleanup(leave)
	return l
}

// nextEvent reads one event; that of the beginning is empty.
func nextEvent(lines *bufio.Scanner) (event string, ok bool) {
	fields := map[string]string{}
	for lines.Scan() {
		if lines.Text() == "" {
			switch fields["event"] {
			case "step":
				var s struct{ Run, To string }
				if json.Unmarshal([]byte(fields["data"]), &s) != nil {
					return "no JSON: " + fields["data"], true
				}
				return fmt.Sprintf("step %s %s>%s", fields["id"], s.Run, s.To), true
			case "":
				if _, first := fields["retry"]; first {
					return "", true
				}
				return "beat", true
			}
			return strings.TrimSpace(fields["event"] + " " + fields["id"]), true
		}
		name, value, _ := strings.Cut(lines.Text(), ":")
		fields[name] = strings.TrimPrefix(value, " ")
	}
	return "", false
}

// heard are the events so far, once nothing more is under way.
func (l *listener) heard() string {
	time.Sleep(time.Second)
	synctest.Wait()
	var all []string
	for len(l.events) > 0 {
		all = append(all, <-l.events)
	}
	return strings.Join(all, " ")
}

func (s *server) startRun(t *testing.T, id string) {
	t.Helper()
	if _, err := s.engine.Start(t.Context(), "Review", id, json.RawMessage(`{"pr":1}`)); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %.300q, want %q", what, got, want)
	}
}

// TestFeedPace: who asks for a pace has a step at once, and of what follows the last, when the time is over.
func TestFeedPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		paced := listen(t, s, "?pace=5000", "")
		synctest.Wait()
		s.startRun(t, "a")
		want(t, "first", paced.heard(), "step 1 a>Idle")
		for _, id := range []string{"b", "c", "d"} {
			s.startRun(t, id)
			time.Sleep(200 * time.Millisecond)
		}
		want(t, "meanwhile", paced.heard(), "")
		time.Sleep(5 * time.Second)
		want(t, "then", paced.heard(), "step 4 d>Idle")
		s.Close()
		time.Sleep(5 * time.Second)
		want(t, "bye", paced.heard(), "bye")
		for _, pace := range []string{"5001", "-1", "fast"} {
			if status, _ := s.ask("GET", "/api/v1/feed?pace="+pace, ""); status != 400 {
				t.Errorf("%s: %d", pace, status)
			}
		}
	})
}

// TestFeedPacedAndMany: of many steps at once, who asks for a pace has none: it is told to look again. Who reads a
// run is not, where nothing has happened to that. As soon as someone wants each step, all have them.
func TestFeedPacedAndMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		s.startRun(t, "still")
		all, machine := listen(t, s, "?pace=200", ""), listen(t, s, "?pace=200&machine=Review", "")
		still, other := listen(t, s, "?pace=200&run=still", ""), listen(t, s, "?pace=200&run=r3", "")
		none := listen(t, s, "?pace=200&run=none", "")
		synctest.Wait()
		many := func(prefix string) {
			for i := range 150 {
				s.startRun(t, fmt.Sprint(prefix, i))
			}
		}
		many("r")
		for _, l := range []*listener{all, machine, other, still} { // who reads still hears of it for the first time
			want(t, "many", l.heard(), "reset 151")
		}
		want(t, "of no run", none.heard(), "")
		late := listen(t, s, "?pace=200&after=1", "")
		want(t, "behind a position far back", late.heard(), "reset 151")
		late.leave()
		many("s")
		want(t, "many again", all.heard(), "reset 301")
		want(t, "of a run that stands still", still.heard(), "")
		s.startRun(t, "one")
		want(t, "one", all.heard(), "step 302 one>Idle")

		whole := listen(t, s, "", "")
		synctest.Wait()
		many("t")
		if got := whole.heard(); strings.Count(got, "step") != 150 || strings.Contains(got, "reset") {
			t.Errorf("who wants each step: %.200s", got)
		}
		want(t, "beside it", all.heard(), "step 452 t149>Idle")
	})
}

// TestFeedBeats: who reads a run that stands still hears each 15 s that the stream is there, however much
// happens to other runs.
func TestFeedBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		s.startRun(t, "still")
		paced, none := listen(t, s, "?pace=200&run=still", ""), listen(t, s, "?pace=200&run=none", "")
		busy := func(prefix string, each int) {
			for look := range 31 {
				for i := range each {
					s.startRun(t, fmt.Sprint(prefix, look, "-", i))
				}
				time.Sleep(time.Second)
			}
		}
		synctest.Wait()
		busy("many", 101) // more than one look reads for these two
		want(t, "of no run", none.heard(), "beat beat")
		if got := paced.heard(); !strings.HasPrefix(got, "reset") || !strings.HasSuffix(got, " beat beat") || strings.Count(got, " ") > 3 {
			t.Errorf("many steps of other runs: %q", got)
		}
		whole := listen(t, s, "?run=still", "")
		synctest.Wait()
		busy("few", 1)
		want(t, "who wants each step", whole.heard(), "beat beat")
	})
}

func TestFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		s.startRun(t, "a")
		all, ofB := listen(t, s, "", ""), listen(t, s, "?run=b", "")
		ofMachine, other := listen(t, s, "?machine=Review", "0"), listen(t, s, "?machine=Else", "0")
		synctest.Wait()
		s.startRun(t, "b")
		s.startRun(t, "c")
		want(t, "all", all.heard(), "step 2 b>Idle step 3 c>Idle")
		want(t, "of b", ofB.heard(), "step 2 b>Idle")
		want(t, "of the machine", ofMachine.heard(), "step 1 a>Idle step 2 b>Idle step 3 c>Idle")
		want(t, "of another machine", other.heard(), "")
		time.Sleep(15 * time.Second)
		want(t, "beats", all.heard(), "beat")
		all.leave()

		sub, err := NewHub(s.engine).Subscribe(t.Context(), 1, false) // which has read nothing yet
		if err != nil || sub.Position() != 1 {
			t.Errorf("a stream begins behind %d, which it has not given: %v", sub.Position(), err)
		}
		if steps, err := sub.Next(t.Context()); len(steps) != 2 || sub.Position() != 3 {
			t.Errorf("%d steps, then behind %d: %v", len(steps), sub.Position(), err)
		}
		sub.Close()
		again := listen(t, s, "", "1") // on where it stopped
		want(t, "again", again.heard(), "step 2 b>Idle step 3 c>Idle")
		want(t, "behind a position", listen(t, s, "?after=2&pace=5", "").heard(), "step 3 c>Idle")
		want(t, "of another database", listen(t, s, "", "99").heard(), "reset 3")
		s.startRun(t, "d")
		want(t, "after that", again.heard(), "step 4 d>Idle")

		s.Close()
		want(t, "bye", again.heard(), "bye")
		if status, _ := s.ask("GET", "/api/v1/feed", ""); status != 503 {
			t.Errorf("%d after the end", status)
		}
		for _, l := range []*listener{ofB, ofMachine, other} {
			l.heard()
		}
		if n := s.Streams(); n != 0 {
			t.Errorf("%d streams are open", n)
		}
		if s.Hub().Listening() {
			t.Error("the hub looks on for nobody")
		}
	})
}

// TestFeedMissed: a reader that has missed too much is told so, and goes on.
func TestFeedMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		sub, err := s.Hub().Subscribe(t.Context(), FromNow, false)
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		for i := range 5_500 {
			s.startRun(t, fmt.Sprint(i))
		}
		time.Sleep(time.Second) // for the hub to read them
		fromZero := listen(t, s, "", "0")
		want(t, "from zero", fromZero.heard(), "reset 5500")
		for i := range 700 {
			s.startRun(t, fmt.Sprint("x", i))
		}
		time.Sleep(time.Second)
		if _, err := sub.Next(t.Context()); !errors.Is(err, ErrMissed) {
			t.Errorf("%v", err)
		}
		s.startRun(t, "last")
		steps, err := sub.Next(t.Context())
		if err != nil || len(steps) != 1 || steps[0].Run != "last" || steps[0].ID != 6201 {
			t.Errorf("%d steps, %v", len(steps), err)
		}
	})
}

func TestFeedRefuses(t *testing.T) {
	s := newServer(t)
	for last, want := range map[string]int{"x": 400, "-1": 400, "9999999999999999999": 400} {
		r := httptest.NewRequest("GET", "/api/v1/feed", nil)
		r.Header.Set("Last-Event-ID", last)
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%q: %d", last, w.Code)
		}
	}
}

// TestFeedOverHTTP: real connections that are cut leave nothing behind, and a shutdown ends those that are not.
func TestFeedOverHTTP(t *testing.T) {
	s := newServer(t)
	web := httptest.NewUnstartedServer(nil)
	web.Config = Server(s)
	web.Config.RegisterOnShutdown(s.Close)
	web.Start()
	defer web.Close()
	var cut []context.CancelFunc
	var bodies []io.ReadCloser
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, "GET", web.URL+"/api/v1/feed", nil)
		answer, err := web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		cut, bodies = append(cut, cancel), append(bodies, answer.Body)
	}
	for _, cancel := range cut[1:] {
		cancel()
	}
	for s.Streams() != 1 {
		time.Sleep(time.Millisecond)
	}
	s.startRun(t, "r")
	lines := bufio.NewScanner(bodies[0])
	for _, want := range []string{"", "step 1 r>Idle"} {
		if got, ok := nextEvent(lines); !ok || got != want {
			t.Fatalf("%q, %v, want %q", got, ok, want)
		}
	}
	if err := web.Config.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if got, _ := nextEvent(lines); got != "bye" {
		t.Errorf("%q", got)
	}
	cut[0]()
	if s.Hub().Listening() {
		t.Error("the hub looks on for nobody")
	}
}
