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

func (s *Site) look(ctx context.Context) (*survey, error) {
	return s.overview.get(ctx, s.now(), surveyAge, func(ctx context.Context) (*survey, error) {
		v := &survey{at: s.now()}
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
		v.versions, err = s.Engine.Versions(ctx)
		return v, err
	})
}

// noMachine says that there is none of that name, and which one may be meant.
func (v *survey) noMachine(name string) error {
	var names []string
	for i := range v.versions {
		names = append(names, v.versions[i].Name)
	}
	return &fault{http.StatusNotFound, fmt.Sprintf("there is no machine %q%s", describe.Plain(name, 300), machine.DidYouMean(name, names))}
}
