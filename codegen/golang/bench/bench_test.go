package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// perStep reports the time of one of the steps of which each round has n.
func perStep(b *testing.B, rounds, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds*n), "ns/step")
}

var start = Data{PR: "42", Wait: time.Minute}

func BenchmarkRun(b *testing.B) {
	b.Run("impl=fsmc", func(b *testing.B) {
		var m Core
		first := NewCodeReviewCore(CodeReviewParams{Pr: "42"})
		inputs := make([]CodeReviewStepInput, len(script))
		for i := range script {
			inputs[i] = input(&script[i], CodeReviewDoTask{})
		}
		rounds := 0
		for b.Loop() {
			m.Review = first
			for i := range inputs {
				if _, err := m.Handle(&inputs[i]); err != nil {
					b.Fatal(err)
				}
			}
			rounds++
		}
		perStep(b, rounds, len(script))
	})
	b.Run("impl=switch", func(b *testing.B) {
		var m Switch
		rounds := 0
		for b.Loop() {
			m = Switch{Data: start}
			for i := range script {
				if _, err := m.Handle(&script[i]); err != nil {
					b.Fatal(err)
				}
			}
			rounds++
		}
		perStep(b, rounds, len(script))
	})
	b.Run("impl=table", func(b *testing.B) {
		var m Table
		rounds := 0
		for b.Loop() {
			m = Table{Data: start}
			for i := range script {
				if _, err := m.Handle(&script[i]); err != nil {
					b.Fatal(err)
				}
			}
			rounds++
		}
		perStep(b, rounds, len(script))
	})
	b.Run("impl=fsmc-durable", func(b *testing.B) {
		var m Durable
		first, inputs, times := durableScript(b)
		rounds := 0
		for b.Loop() {
			m.Run = first
			for i := range inputs {
				if err := m.Handle(&inputs[i], times[i]); err != nil {
					b.Fatal(err)
				}
			}
			rounds++
		}
		perStep(b, rounds, len(script))
	})
	b.Run("impl=fsmc-interpreter", func(b *testing.B) {
		machine, first, inputs, times := interpreterScript(b)
		rounds := 0
		for b.Loop() {
			s := first
			for i := range inputs {
				next, _, _, err := machine.Step(s, inputs[i], times[i], nil)
				if err != nil {
					b.Fatal(err)
				}
				s = next
			}
			rounds++
		}
		perStep(b, rounds, len(script))
	})
	b.Run("impl=stateless", func(b *testing.B) {
		m := NewStateless()
		rounds := 0
		for b.Loop() {
			m.State, m.Used, m.Data = Idle, Used{}, start
			for i := range script {
				if _, err := m.Handle(&script[i]); err != nil {
					b.Fatal(err)
				}
			}
			rounds++
		}
		perStep(b, rounds, len(script))
	})
	b.Run("impl=looplab", func(b *testing.B) {
		m := NewLooplab()
		rounds := 0
		for b.Loop() {
			m.machine.SetState("Idle")
			m.Used, m.Data = Used{}, start
			for i := range script {
				if _, err := m.Handle(&script[i]); err != nil {
					b.Fatal(err)
				}
			}
			rounds++
		}
		perStep(b, rounds, len(script))
	})
}

// BenchmarkRefusal is an event that the state does not take.
func BenchmarkRefusal(b *testing.B) {
	b.Run("impl=fsmc", func(b *testing.B) {
		m := Core{Review: NewCodeReviewCore(CodeReviewParams{Pr: "42"})}
		in := input(&refused, CodeReviewDoTask{})
		for b.Loop() {
			if _, err := m.Handle(&in); err == nil {
				b.Fatal("taken")
			}
		}
	})
	b.Run("impl=switch", func(b *testing.B) {
		m := Switch{Data: start}
		for b.Loop() {
			if _, err := m.Handle(&refused); err == nil {
				b.Fatal("taken")
			}
		}
	})
	b.Run("impl=table", func(b *testing.B) {
		m := Table{Data: start}
		for b.Loop() {
			if _, err := m.Handle(&refused); err == nil {
				b.Fatal("taken")
			}
		}
	})
	b.Run("impl=stateless", func(b *testing.B) {
		m := NewStateless()
		for b.Loop() {
			if _, err := m.Handle(&refused); err == nil {
				b.Fatal("taken")
			}
		}
	})
	b.Run("impl=looplab", func(b *testing.B) {
		m := NewLooplab()
		for b.Loop() {
			if _, err := m.Handle(&refused); err == nil {
				b.Fatal("taken")
			}
		}
	})
}

// durableScript is the script for a run with activities and timers, whose
// inputs name the attempts that they are of.
func durableScript(tb testing.TB) (first CodeReviewSnapshot, inputs []CodeReviewStepInput, times []time.Time) {
	tb.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var t CodeReviewStepper
	s := NewCodeReviewSnapshot("r", 7)
	in := CodeReviewStartInput(CodeReviewParams{Pr: "42"})
	if err := t.Step(&s, &in, now); err != nil {
		tb.Fatal(err)
	}
	first = s
	for i := range script {
		now = now.Add(time.Minute)
		in := input(&script[i], s.Tasks[0])
		if err := t.Step(&s, &in, now); err != nil {
			tb.Fatal(err)
		}
		inputs, times = append(inputs, in), append(times, now)
	}
	if s.State != CodeReviewStateCompleted || s.Seq != int64(len(script))+1 {
		tb.Fatalf("the run came to %s in %d steps", s.State, s.Seq)
	}
	return first, inputs, times
}

// interpreterScript is the same for the interpreter.
func interpreterScript(tb testing.TB) (m *runtime.Machine, first *runtime.Snapshot, inputs []runtime.Input, times []time.Time) {
	tb.Helper()
	m = runtime.MustCompile(definition(tb))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	step := func(s *runtime.Snapshot, in runtime.Input) *runtime.Snapshot {
		next, _, _, err := m.Step(s, in, now, nil)
		if err != nil {
			tb.Fatal(err)
		}
		return next
	}
	first = step(m.NewSnapshot("r", 7), runtime.Input{Kind: runtime.StartInput, Data: []runtime.Value{runtime.StringValue("42")}})
	s := first
	for i := range script {
		now = now.Add(time.Minute)
		in := interpreted(m.Definition(), &script[i], s)
		s = step(s, in)
		inputs, times = append(inputs, in), append(times, now)
	}
	if m.Definition().States[s.State].Path != "Completed" {
		tb.Fatalf("the run came to %s", m.Definition().States[s.State].Path)
	}
	return m, first, inputs, times
}

// TestTokenIsRead: the core reads and writes a snapshot of the runtime that has a token.
func TestTokenIsRead(t *testing.T) {
	m := runtime.MustCompile(definition(t))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	in := runtime.Input{Kind: runtime.StartInput, Token: "abc1", Data: []runtime.Value{runtime.StringValue("42")}}
	s, _, _, err := m.Step(m.NewSnapshot("r", 7), in, now, nil)
	if err == nil {
		s, _, _, err = m.Step(s, runtime.Input{Kind: runtime.EventInput, Event: slices.IndexFunc(m.Definition().Events, func(e runtime.Event) bool {
			return e.Name == StartReview.String()
		})}, now, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := m.EncodeSnapshot(s)
	var core CodeReviewSnapshot
	if err := json.Unmarshal(want, &core); err != nil {
		t.Fatal(err)
	}
	if got := core.AppendJSON(nil); string(got) != string(want) {
		t.Errorf("the core writes\n%s, the runtime\n%s", got, want)
	}
	if got := core.Tasks[0].Key(core.Keys()); got != s.Tasks[0].Key || !strings.HasPrefix(got, "r@abc1/") {
		t.Errorf("the core's key is %q, the runtime's %q", got, s.Tasks[0].Key)
	}
}

// interpreted is an event as the interpreter takes it.
func interpreted(def *runtime.Definition, e *Event, s *runtime.Snapshot) runtime.Input {
	in := runtime.Input{Kind: runtime.ResultInput, Event: -1}
	if len(s.Tasks) > 0 {
		in.Do, in.Key, in.Attempt = s.Tasks[0].Do, s.Tasks[0].Key, s.Tasks[0].Attempt
	}
	for i := range def.Events {
		if def.Events[i].Name == e.Kind.String() {
			in.Event = i
		}
	}
	switch e.Kind {
	case StartReview:
		return runtime.Input{Kind: runtime.EventInput, Event: in.Event}
	case DiffLoaded:
		in.Data = []runtime.Value{runtime.StringValue(e.Diff)}
	case AnalysisReady:
		in.Data = []runtime.Value{runtime.IntValue(e.Comments)}
	case RateLimited:
		in.Data = []runtime.Value{runtime.DurationValue(e.RetryAfter)}
	case ActivityFailed:
		in.Kind, in.Message = runtime.FailureInput, "it failed"
		for i, name := range def.Categories {
			if name == categories[e.Category].String() {
				in.Category = i
			}
		}
	case WaitOver:
		return runtime.Input{Kind: runtime.TimerInput, Timer: 1}
	}
	return in
}
