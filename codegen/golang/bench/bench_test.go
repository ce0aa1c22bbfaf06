package bench

import (
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// perStep reports the time of one of the steps of which each round has n.
func perStep(b *testing.B, rounds, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds*n), "ns/step")
}

var start = Data{PR: "42", Wait: time.Minute}

func BenchmarkRun(b *testing.B) {
	b.Run("impl=fsmc", func(b *testing.B) {
		var m Core
		first := started()
		inputs := make([]CodeReviewStepInput, len(script))
		for i := range script {
			inputs[i] = input(&script[i])
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
	b.Run("impl=fsmc-runtime", func(b *testing.B) {
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
		m := Core{Review: started()}
		in := input(&refused)
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

// interpreterScript is the script for the runtime's step: a run with activities and
// timers, whose inputs name the attempts that they are of.
func interpreterScript(tb testing.TB) (m *machine.Machine, first *machine.Snapshot, inputs []machine.Input, times []time.Time) {
	tb.Helper()
	m = runtime.MustCompile(definition(tb))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	step := func(s *machine.Snapshot, in machine.Input) *machine.Snapshot {
		next, _, _, err := m.Step(s, in, now, nil)
		if err != nil {
			tb.Fatal(err)
		}
		return next
	}
	first = step(m.NewSnapshot("r", 7), machine.Input{Kind: machine.StartInput, Data: []machine.Value{machine.StringValue("42")}})
	s := first
	for i := range script {
		now = now.Add(time.Minute)
		in := interpreted(m.Definition(), &script[i], s)
		s = step(s, in)
		inputs, times = append(inputs, in), append(times, now)
	}
	if m.Definition().States[s.State].Path != "Completed" {
		tb.Fatalf("the run reached %s", m.Definition().States[s.State].Path)
	}
	return m, first, inputs, times
}

// interpreted is an event as the runtime's step takes it.
func interpreted(def *machine.Definition, e *Event, s *machine.Snapshot) machine.Input {
	in := machine.Input{Kind: machine.ResultInput, Event: -1}
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
		return machine.Input{Kind: machine.EventInput, Event: in.Event}
	case DiffLoaded:
		in.Data = []machine.Value{machine.StringValue(e.Diff)}
	case AnalysisReady:
		in.Data = []machine.Value{machine.IntValue(e.Comments)}
	case RateLimited:
		in.Data = []machine.Value{machine.DurationValue(e.RetryAfter)}
	case ActivityFailed:
		in.Kind, in.Message = machine.FailureInput, "it failed"
		for i, name := range def.Categories {
			if name == categories[e.Category].String() {
				in.Category = i
			}
		}
	case WaitOver:
		return machine.Input{Kind: machine.TimerInput, Timer: 1}
	}
	return in
}
