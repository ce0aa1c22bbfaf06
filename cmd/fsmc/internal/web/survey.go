package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// survey is what is known of all runs together.
type survey struct {
	health   runtime.Health
	counts   store.Counts
	stats    runtime.Stats
	versions []runtime.Version
	ofEach   map[string]store.VersionCount // by hash
	hour     *store.Throughput             // nil where it is not known
	longest  []runtime.RunRow              // in the state in which they are, the longest first
	at       time.Time
}

// surveyAge is how old it may be: it is looked up by one, whoever asks.
const surveyAge = 2 * time.Second

// statsDays is how far back failures, retries and costs are shown.
const statsDays = 7

// look gives a survey. Who waits for another's look has its answer.
func (s *Site) look(ctx context.Context) (*survey, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	now := s.now()
	if s.last != nil && now.Sub(s.last.at) < surveyAge {
		return s.last, nil
	}
	v := &survey{at: now}
	since := v.at.AddDate(0, 0, -statsDays)
	var err error
	if v.health, err = s.Engine.Health(ctx, s.Health); err != nil {
		return nil, err
	}
	if v.counts, err = s.Store.Counts(ctx, "", since); err != nil {
		return nil, err
	}
	if v.stats, err = s.Engine.StatsOf(ctx, &v.counts); err != nil {
		return nil, err
	}
	if hour, err := s.Engine.Throughput(ctx); err == nil { // a standby has no feed, and yet all else
		v.hour = &hour
	}
	if v.longest, err = s.Engine.Longest(ctx); err != nil {
		return nil, err
	}
	if v.ofEach, err = s.Engine.VersionCounts(ctx); err != nil {
		return nil, err
	}
	if v.versions, err = s.Engine.Versions(ctx); err != nil {
		return nil, err
	}
	s.last = v
	return v, nil
}

// forget makes the next look a real one.
func (s *Site) forget() {
	s.looking.Lock()
	s.last = nil
	s.looking.Unlock()
}

// noMachine says that there is none of that name, and which one may be meant.
func (v *survey) noMachine(name string) error {
	var names []string
	for i := range v.versions {
		names = append(names, v.versions[i].Name)
	}
	return &fault{http.StatusNotFound, fmt.Sprintf("there is no machine %q%s", describe.Plain(name, 300), machine.DidYouMean(name, names))}
}
