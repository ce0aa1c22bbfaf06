package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"gopkg.in/yaml.v3"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const observability = "../../docs/observability.md"

// documentedLabels are those of each metric in the table of the docs.
func documentedLabels(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(observability)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(fsmc_\\w+)` \\| ([a-z, ]*)\\|").FindAllStringSubmatch(string(text), -1) {
		all[row[1]] = strings.FieldsFunc(row[2], func(r rune) bool { return r == ',' || r == ' ' })
	}
	return all
}

// scrape reads the metrics as Prometheus does, and looks at whether the docs have each, with its labels.
func scrape(t *testing.T, s *server) map[string]*dto.MetricFamily {
	t.Helper()
	time.Sleep(3 * time.Second) // what is kept is then too old
	status, text := s.ask("GET", "/metrics", "")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if status != 200 || err != nil {
		t.Fatalf("%d %v: %s", status, err, text)
	}
	documented := documentedLabels(t)
	for name, f := range families {
		want, known := documented[name]
		for _, m := range f.Metric {
			var labels []string
			for _, l := range m.Label {
				labels = append(labels, l.GetName())
			}
			if !known || !slices.Equal(labels, want) {
				t.Errorf("%s has the labels %q, and in the docs %q", name, labels, want)
			}
		}
	}
	return families
}

// counters are the samples of counters and histograms, which must never fall.
func counters(families map[string]*dto.MetricFamily) map[string]float64 {
	all := map[string]float64{}
	for name, f := range families {
		for _, m := range f.Metric {
			switch key := name + fmt.Sprint(m.Label); f.GetType() {
			case dto.MetricType_COUNTER:
				all[key] = m.GetCounter().GetValue()
			case dto.MetricType_HISTOGRAM:
				all[key] = float64(m.GetHistogram().GetSampleCount())
				for _, b := range m.GetHistogram().Bucket {
					all[fmt.Sprint(key, b.GetUpperBound())] = float64(b.GetCumulativeCount())
				}
			}
		}
	}
	return all
}

// value is one sample, by its name and the values of its labels.
func value(t *testing.T, families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	t.Helper()
	for _, m := range families[name].GetMetric() {
		var values []string
		for _, l := range m.Label {
			values = append(values, l.GetValue())
		}
		if strings.Join(values, " ") == strings.Join(labels, " ") {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	t.Errorf("no %s of %v", name, labels)
	return 0
}

// TestMetrics: the figures are those of the steps, and no counter falls, whatever is pruned.
func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memstore.New()
		s := newServerOver(t, db)
		send := func(run, event, data string) {
			t.Helper()
			if _, err := s.engine.Send(t.Context(), run, runtime.ExternalEvent{Name: event, Data: json.RawMessage(data)}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 4 {
			s.startRun(t, fmt.Sprint("r", i))
		}
		time.Sleep(time.Minute)
		send("r0", "Close", "")
		if _, err := s.engine.Cancel(t.Context(), "r1", runtime.CancelOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.engine.Cancel(t.Context(), "r2", runtime.CancelOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
		before := scrape(t, s)
		for want, of := range map[string][]string{
			"1 of fsmc_runs":               {"Review", "Idle", "running"},
			"4 of fsmc_steps_total":        {"Review", "", "Idle", "start", "moved"},
			"1 of fsmc_runs_ended_total":   {"Review", "success"},
			"2 of fsmc_runs_ended_total":   {"Review", "cancelled"},
			"3 of fsmc_state_seconds":      {"Review", "Idle"},
			"0 of fsmc_series_left_out":    nil,
			"0 of fsmc_outbox_lag_seconds": nil,
		} {
			var n float64
			var name string
			fmt.Sscanf(want, "%g of %s", &n, &name)
			if got := value(t, before, name, of...); got != n {
				t.Errorf("%s %v: %g", want, of, got)
			}
		}
		if n, err := db.Prune(t.Context(), runtime.PruneQuery{Before: time.Now().Add(time.Hour), Limit: 10, Now: time.Now()}); err != nil || n.Runs != 3 {
			t.Fatalf("%+v, %v", n, err)
		}
		send("r3", "Close", "")
		now := counters(scrape(t, s))
		for key, was := range counters(before) {
			if now[key] < was {
				t.Errorf("%s fell from %g to %g", key, was, now[key])
			}
		}
	})
}

// manyStates is a store whose counts have more states than there may be series.
type manyStates struct{ runtime.Store }

func (m manyStates) Counts(ctx context.Context, name string, since time.Time) (store.Counts, error) {
	c, err := m.Store.Counts(ctx, name, since)
	for i := range 9_000 {
		c.Runs = append(c.Runs, store.RunCount{Machine: "M\"\n\\", State: fmt.Sprint("S", i), Status: runtime.Running, Runs: 1})
		c.Stays = append(c.Stays, store.StayCount{Machine: "M", State: fmt.Sprint("S", i), Bucket: 3000, Visits: 1 << 40})
	}
	return c, err
}

// TestMetricsAreNotTooMany: what is left out is counted.
func TestMetricsAreNotTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServerOver(t, manyStates{memstore.New()})
		families := scrape(t, s)
		lines := strings.Count(s.do("GET", "/metrics", "").Body.String(), "\n")
		if left := value(t, families, "fsmc_series_left_out"); left < 200_000 || lines > 10_100 {
			t.Errorf("%g are left out, and %d lines are there", left, lines)
		}
		value(t, families, "fsmc_runs", "M\"\n\\", "S8999", "running")
	})
}

// TestRulesAndDashboard: each metric that the rules and the dashboard of the docs name is one, with the
// labels that they ask for.
func TestRulesAndDashboard(t *testing.T) {
	text, err := os.ReadFile(observability)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	body := s.do("GET", "/metrics", "").Body.String()
	blocks := regexp.MustCompile("(?s)```(yaml|json)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	named, asked, labels := 0, 0, documentedLabels(t)
	for _, block := range blocks {
		if block[1] == "json" && !json.Valid([]byte(block[2])) {
			t.Errorf("a dashboard is no JSON: %.100s", block[2])
		}
		if err := yaml.Unmarshal([]byte(block[2]), new(struct {
			Scrapes []map[string]any `yaml:"scrape_configs"`
			Groups  []struct {
				Name  string
				Rules []struct {
					Alert, Expr, For string
					Annotations      map[string]string
				}
			}
			Rest map[string]any `yaml:",inline"`
		})); err != nil { // JSON is YAML
			t.Error(err)
		}
		for _, name := range regexp.MustCompile(`\bfsmc_[a-z_]+`).FindAllString(block[2], -1) {
			named++
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				if whole := strings.TrimSuffix(name, suffix); strings.Contains(body, "# TYPE "+whole+" histogram\n") {
					name = whole
				}
			}
			if !strings.Contains(body, "# TYPE "+name+" ") {
				t.Errorf("there is no %s", name)
			}
		}
	}
	// A metric with what it is selected by, and what is summed by labels, or looked up of them.
	selected := regexp.MustCompile(`(fsmc_[a-z_]+)\{([^}]*)\}`)
	summed := regexp.MustCompile(`by \(([a-z, ]+)\) \(+(?:[a-z]+\()?(fsmc_[a-z_]+)`)
	looked := regexp.MustCompile(`label_values\((fsmc_[a-z_]+), ([a-z]+)\)`)
	hasLabels := func(name, list string) {
		name = strings.TrimSuffix(name, "_bucket")
		for _, label := range regexp.MustCompile(`[a-z]+(\b|$)`).FindAllString(regexp.MustCompile(`\\?"[^"]*"`).ReplaceAllString(list, ""), -1) {
			asked++
			if label != "le" && !slices.Contains(labels[name], label) {
				t.Errorf("%s has no label %q", name, label)
			}
		}
	}
	for _, block := range blocks {
		for _, m := range selected.FindAllStringSubmatch(block[2], -1) {
			hasLabels(m[1], m[2])
		}
		for _, m := range summed.FindAllStringSubmatch(block[2], -1) {
			hasLabels(m[2], m[1])
		}
		for _, m := range looked.FindAllStringSubmatch(block[2], -1) {
			hasLabels(m[1], m[2])
		}
	}
	if len(blocks) < 2 || named < 15 || asked < 40 {
		t.Errorf("%d blocks name %d metrics and %d labels: the test sees nothing", len(blocks), named, asked)
	}
}
