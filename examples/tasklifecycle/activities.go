package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// The activities are the swarm's side of the machine. Those that take long are
// done by agents; the rest by the host that has claimed them.
var _ TaskLifecycleActivities = hosted{}

// hosted is the swarm as the engine of one host calls it.
type hosted struct {
	*swarm
	host *host
}

// random is for what befalls a task under some name: the same with every run of
// the program, whoever comes first.
func (s *swarm) random(task, what string, n int) *rand.Rand {
	h := fnv.New64a()
	io.WriteString(h, fmt.Sprint(task, what, n)) //nolint:errcheck // a hash takes all
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

// SendOffers offers the task to three agents that have not said that they are
// full, of those that live on hosts of this process. It does not know who is dead.
func (s *swarm) SendOffers(_ context.Context, _ *runtime.Attempt, task string, number int64) error {
	r := s.random(task, "offer", int(number))
	sent := 0
	for _, i := range r.Perm(len(s.agents)) {
		a := s.agents[i]
		if a.home == nil || !a.available() {
			continue
		}
		own := rand.New(rand.NewPCG(r.Uint64(), 0))
		s.work.Go(func() { a.consider(s.ctx, offer{task: task, number: number}, own) })
		if sent++; sent == 3 {
			break
		}
	}
	return nil
}

// Work hands the task to the agent that accepted it.
func (s hosted) Work(ctx context.Context, attempt *runtime.Attempt, id, name, _, _ string) (TaskLifecycleWorkDone, error) {
	a := s.byName[name]
	j := &job{agent: a, host: s.host, id: id, attempt: attempt, random: s.random(id, "work", attempt.Number)}
	if a.dead() { // it died after it had accepted
		<-ctx.Done()
		return TaskLifecycleWorkDone{}, context.Cause(ctx)
	}
	if a.reserve() { // who has begun goes on, with room or without
		defer a.free()
	}
	return j.work(ctx)
}

// Release tells an agent to stop. A dead one does not hear it.
func (s *swarm) Release(ctx context.Context, _ *runtime.Attempt, _, name string) error {
	if s.byName[name].dead() {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return nil
}

// RotateCredentials gives an agent new ones.
func (s *swarm) RotateCredentials(ctx context.Context, _ *runtime.Attempt, _ string) (TaskLifecycleRotated, error) {
	sleep(ctx, s.clock, 20*time.Second)
	return TaskLifecycleRotated{}, ctx.Err()
}

// WritePatch has another agent fix the bug.
func (s *swarm) WritePatch(ctx context.Context, a *runtime.Attempt, task, problem string) (TaskLifecyclePatchWritten, error) {
	sleep(ctx, s.clock, time.Minute)
	return TaskLifecyclePatchWritten{Patch: "a patch for " + problem}, ctx.Err()
}

// TestPatch tries it.
func (s *swarm) TestPatch(ctx context.Context, a *runtime.Attempt, task, _ string) (TaskLifecycleTestPatchResult, error) {
	sleep(ctx, s.clock, 30*time.Second)
	if s.hopeless[task] {
		return TaskLifecycleTestsFailed{}, ctx.Err()
	}
	return TaskLifecycleTestsPassed{}, ctx.Err()
}

// CleanUp rolls back what a cancelled task has left. Nobody may be at work on
// it any more, but for who is cut off: the table refuses what they write.
func (s *swarm) CleanUp(ctx context.Context, _ *runtime.Attempt, id string) error {
	s.world.ask(question{What: cleans, Task: id})
	sleep(ctx, s.clock, 5*time.Second)
	return ctx.Err()
}
