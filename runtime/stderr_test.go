package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// saying plays a run whose activity says something and fails, and gives the lines of the
// log that have it, and the line of history.
func saying(t *testing.T, options []string, f ActivityFunc) (logged string, failed machine.StepView) {
	t.Helper()
	var out bytes.Buffer
	bubble(t, func(t *testing.T) {
		m := job(t, options, On("Found", GoTo("Done")), On("failed", GoTo("Broken")))
		w := work(t, memstore.New(), m, f, WithLogger(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			},
		}))))
		defer w.stop()
		begin(t, w.Engine, "r")
		await(t, w.Engine, "r")
		steps, err := w.History(t.Context(), "r", 0, 100)
		must(t, err)
		failed = steps[len(steps)-1]
	})
	return out.String(), failed
}

const ofFirst = "level=INFO msg=stderr run=r machine=M activity=work attempt=1 "

func TestStderr(t *testing.T) {
	logged, failed := saying(t, nil, func(_ context.Context, a *Attempt) (Result, error) {
		fmt.Fprint(a.Stderr(), "one\n\ntwo \r\nthr")
		fmt.Fprint(a.Stderr(), "ee\x00\xff\n  four")
		return Result{}, Fail("flaky", "no luck")
	})
	if want := ofFirst + "line=one\n" + ofFirst + "line=two\n" + ofFirst + `line="three\x00` + "\uFFFD" + "\"\n" + ofFirst + "line=\"  four\"\n"; logged != want {
		t.Errorf("got\n%s\nwant\n%s", logged, want)
	}
	if want := "one\n\ntwo \r\nthree\x00\uFFFD\n  four"; failed.Stderr != want || failed.Message != "no luck" {
		t.Errorf("%q, %q", failed.Stderr, failed.Message)
	}
}

// TestStderrOfAllFailures has it stored however an attempt fails, and with no result.
func TestStderrOfAllFailures(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(context.Context) (Result, error)
		stored string
	}{
		"a panic":                  {func(context.Context) (Result, error) { panic("oh") }, "why"},
		"time":                     {func(ctx context.Context) (Result, error) { <-ctx.Done(); return Result{}, ctx.Err() }, "why"},
		"a result":                 {func(context.Context) (Result, error) { return found, nil }, ""},
		"a result that is no good": {func(context.Context) (Result, error) { return Result{Event: "Fund"}, nil }, "why"},
		"a result that does not fit": {func(context.Context) (Result, error) {
			return Result{Event: "Found", Data: map[string]string{"n": "x"}}, nil
		}, "why"},
	} {
		_, failed := saying(t, []string{"timeout 1m"}, func(ctx context.Context, a *Attempt) (Result, error) {
			fmt.Fprintln(a.Stderr(), "why")
			return c.end(ctx)
		})
		if failed.Stderr != c.stored {
			t.Errorf("%s: %q, want %q", name, failed.Stderr, c.stored)
		}
	}
}

// TestStderrEndless holds what is kept and logged of a flood to its limits.
func TestStderrEndless(t *testing.T) {
	for name, piece := range map[string]string{
		"lines":        strings.Repeat("a line of it\n", 5000),
		"one line":     strings.Repeat("€", 20_000),
		"empty lines":  strings.Repeat("\n", 50_000),
		"single bytes": "x",
	} {
		logged, failed := saying(t, nil, func(_ context.Context, a *Attempt) (Result, error) {
			for range max(100, 20_000/len(piece)) {
				if n, err := a.Stderr().Write([]byte(piece)); n != len(piece) || err != nil {
					t.Errorf("%s: %d, %v", name, n, err)
				}
			}
			return Result{}, Fail("flaky", "no luck")
		})
		if len(logged) > 1<<20 || len(failed.Stderr) > machine.MaxStderr || !utf8.ValidString(failed.Stderr) {
			t.Errorf("%s: %d bytes logged, %d stored", name, len(logged), len(failed.Stderr))
		}
		if whole := failed.Stderr == ""; whole != (name == "empty lines") || !whole && !strings.HasPrefix(failed.Stderr, "…") {
			t.Errorf("%s: %q", name, failed.Stderr)
		}
		if name == "lines" && !strings.Contains(logged, ofFirst+"left_out=") || strings.HasPrefix(name, "one") && !strings.HasSuffix(logged, " cut=true\n") {
			t.Errorf("%s: it ends in %q", name, logged[max(0, len(logged)-200):])
		}
	}
}

// TestStderrGoesOn logs again in the next second, and says what it has left out.
func TestStderrGoesOn(t *testing.T) {
	logged, _ := saying(t, nil, func(_ context.Context, a *Attempt) (Result, error) {
		for range 3000 {
			fmt.Fprintln(a.Stderr(), "flood")
		}
		time.Sleep(2 * time.Second)
		fmt.Fprintln(a.Stderr(), "after it")
		return Result{}, Fail("flaky", "no luck")
	})
	if n := strings.Count(logged, "line=flood"); n != (256<<10)/(len("flood")+128) || !strings.HasSuffix(logged, fmt.Sprintf("left_out=%d\n%sline=\"after it\"\n", 3000-n, ofFirst)) {
		t.Errorf("%d lines, then %q", n, logged[len(logged)-300:])
	}
}

// TestStderrWhilePaused has it once in history: with the line that came first.
func TestStderrWhilePaused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := job(t, nil, On("Found", GoTo("Done")), On("failed", GoTo("Broken")))
		begun, goOn := make(chan bool), make(chan bool)
		w := work(t, memstore.New(), m, func(_ context.Context, a *Attempt) (Result, error) {
			fmt.Fprintln(a.Stderr(), "why")
			begun <- true
			<-goOn
			return Result{}, Fail("flaky", "no luck")
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		<-begun
		must(t, errOf(w.Pause(t.Context(), "r", Operator{})))
		goOn <- true
		synctest.Wait()
		must(t, errOf(w.Resume(t.Context(), "r", Operator{})))
		await(t, w.Engine, "r")
		steps, err := w.History(t.Context(), "r", 0, 100)
		must(t, err)
		var got []string
		for _, s := range steps {
			if s.Kind == machine.FailureInput {
				got = append(got, fmt.Sprintf("%s %q", s.Effect, s.Stderr))
			}
		}
		if s := strings.Join(got, ", "); s != `queued "why", moved ""` {
			t.Error(s)
		}
	})
}
