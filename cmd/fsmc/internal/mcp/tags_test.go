package mcp_test

import (
	"strings"
	"testing"
)

func TestTags(t *testing.T) {
	b := newBench(t)
	b.takes("start_run", strings.TrimSuffix(started, "}")+`, "tags": {"team": "pay"}}`)
	b.takes("start_run", strings.Replace(started, "p1", "p2", 1))
	for _, c := range []struct{ tool, args string }{
		{"get_run", `{"run": "p1"}`},
		{"list_runs", `{"where": "tag.team=pay"}`},
	} {
		text := string(b.json(c.tool, c.args))
		if !strings.Contains(text, `"tags":{"team":"pay"}`) || strings.Contains(text, `"p2"`) {
			t.Errorf("%s: %s", c.tool, text)
		}
	}
}
