package fsmtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Run is one run of the machine.
type Run struct {
	t  *T
	ID string
}

// Child is a child of the run, which must have started, by its id without the id of the run:
// "Reviewing.review.1.1" is the first attempt in the first visit.
func (r *Run) Child(name string) *Run {
	r.t.Helper()
	child := &Run{t: r.t, ID: r.ID + "/" + name}
	child.View()
	return child
}

// Send sends an event, with data as for Raises, and gives the run as it then is.
// A refusal fails the test.
func (r *Run) Send(event string, data any) runtime.View {
	r.t.Helper()
	return r.must(r.send(event, data))
}

// WantRefused sends an event that must be refused, and gives the refusal.
func (r *Run) WantRefused(event string, data any) *runtime.Rejected {
	r.t.Helper()
	v, err := r.send(event, data)
	refused, is := errors.AsType[*runtime.Rejected](err)
	if !is {
		r.t.Fatalf("event %q is to be refused, and was not: the run is in %q, %v", event, v.State, err)
	}
	return refused
}

func (r *Run) send(event string, data any) (runtime.View, error) {
	encoded, err := encode(data)
	if err != nil {
		return runtime.View{}, err
	}
	return r.t.Engine.Send(r.t.Context(), r.ID, runtime.NewEvent(event, encoded))
}

// Cancel cancels the run.
func (r *Run) Cancel() runtime.View {
	r.t.Helper()
	return r.must(r.t.Engine.Cancel(r.t.Context(), r.ID, runtime.CancelOptions{}))
}

// must is the run as it is, if there is no error.
func (r *Run) must(v runtime.View, err error) runtime.View {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// Wait lets time pass until the run has ended, is halted, or waits only for events from outside,
// and gives the run as it then is. If a run never reaches that point, the test ends at its time
// limit; fsmc check finds such machines.
func (r *Run) Wait() runtime.View {
	r.t.Helper()
	v := r.must(r.t.Engine.Wait(r.t.Context(), r.ID))
	synctest.Wait() // what follows from the last step, such as its messages
	return v
}

// Sleep lets d pass, and gives the run as it then is.
func (r *Run) Sleep(d time.Duration) runtime.View {
	time.Sleep(d)
	synctest.Wait()
	return r.View()
}

// View gives the run as it is.
func (r *Run) View() runtime.View {
	r.t.Helper()
	return r.must(r.t.Engine.Get(r.t.Context(), r.ID))
}

// Data reads the run's data into v, a pointer to a struct or a map.
func (r *Run) Data(v any) {
	r.t.Helper()
	if err := runtime.DecodeFields(r.View().Data, v); err != nil {
		r.t.Fatal(err)
	}
}

// Returns reads into v, a pointer to a struct or a map, what the run has returned. If the run has
// not ended in a terminal that returns values, the test fails.
func (r *Run) Returns(v any) {
	r.t.Helper()
	view := r.View()
	if view.Returns == nil {
		r.t.Fatalf("the run is in %q and has returned nothing%s", view.State, r.lastSteps())
	}
	if err := runtime.DecodeFields(view.Returns, v); err != nil {
		r.t.Fatal(err)
	}
}

// Path is every state that the run has entered, in order. A state that it has entered twice is
// there twice.
func (r *Run) Path() []string {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	var path []string
	for i := range r.t.steps {
		s := &r.t.steps[i]
		if s.Run == r.ID && (s.Effect == machine.Moved || s.From == "") {
			path = append(path, s.To)
		}
	}
	return path
}

// WantPath fails the test if the run has taken another path.
func (r *Run) WantPath(states ...string) {
	r.t.Helper()
	if got := r.Path(); !slices.Equal(got, states) {
		r.t.Errorf("the run took\n\t%s\nand not\n\t%s%s", strings.Join(got, " -> "), strings.Join(states, " -> "), r.lastSteps())
	}
}

// WantState fails the test if the run is not in a state.
func (r *Run) WantState(state string) {
	r.t.Helper()
	if got := r.View().State; got != state {
		r.t.Errorf("the run is in %q and not in %q%s", got, state, r.lastSteps())
	}
}

// lastSteps is what led to where the run is, for a test that fails.
func (r *Run) lastSteps() string {
	messages := r.messages()
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	var lines []string
	for i := range r.t.steps {
		if s := &r.t.steps[i]; s.Run == r.ID {
			lines = append(lines, fmt.Sprintf("\t%s: %s -> %s (%s)%s", s.Input, s.From, s.To, s.Effect, messages[s.Seq]))
		}
	}
	if n := len(lines) - shown; n > 0 {
		lines = append([]string{fmt.Sprintf("\t… %d before", n)}, lines[n:]...)
	}
	return "\nits steps:\n" + strings.Join(lines, "\n")
}

// shown is how many steps lastSteps prints, and shownMessage how much of what
// each has to say.
const (
	shown        = 12
	shownMessage = 200
)

// messages are those of the last steps by their numbers, each on one line: why an
// attempt failed, or the run is halted. An observer is not told them.
func (r *Run) messages() map[int64]string {
	messages := map[int64]string{}
	ctx := context.Background() // that of the test may be over
	v, err := r.t.Engine.Get(ctx, r.ID)
	if err != nil {
		return nil
	}
	steps, _ := r.t.Engine.History(ctx, r.ID, max(0, v.Seq-shown), shown)
	for _, s := range steps {
		message := []rune(strings.Join(strings.Fields(s.Message), " "))
		if len(message) > shownMessage {
			message = append(message[:shownMessage-1], '…')
		}
		if len(message) > 0 {
			messages[s.Seq] = ": " + string(message)
		}
	}
	return messages
}
