package httpapi_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// TestMetricsAreStats: the columns of the histogram are those of Engine.Stats, with the time in all.
func TestMetricsAreStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		s.startRun(t, "r")
		time.Sleep(3 * time.Second)
		if _, err := s.engine.Send(t.Context(), "r", runtime.ExternalEvent{Name: "Close"}); err != nil {
			t.Fatal(err)
		}
		stats, err := s.engine.Stats(t.Context(), runtime.StatsQuery{})
		if err != nil || len(stats.Histograms) != 1 {
			t.Fatalf("%+v, %v", stats.Histograms, err)
		}
		h := scrape(t, s)["fsmc_state_seconds"].Metric[0].GetHistogram()
		if sum := h.GetSampleSum(); sum < 2.9 || sum > 3.1 {
			t.Errorf("the visits lasted %g s", sum)
		}
		below := int64(0)
		for i, border := range stats.Histograms[0].LE {
			d, _ := time.ParseDuration(border)
			below += stats.Histograms[0].Counts[i]
			if b := h.Bucket[i]; b.GetUpperBound() != d.Seconds() || b.GetCumulativeCount() != uint64(below) {
				t.Errorf("column %d is %v, and not %d up to %s", i, b, below, border)
			}
		}
	})
}
