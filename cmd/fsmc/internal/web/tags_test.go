package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
)

// TestTags: pages show the tags of runs as links to the runs that have the same, and nothing else.
func TestTags(t *testing.T) {
	s := newSite(t, approval, nil)
	tags := runtime.WithTags(map[string]string{"team": "pay", "for": `<b>'Ada' & "Eve"`})
	if _, err := s.engine.Start(context.Background(), "Approval", "a", json.RawMessage(`{"title": "x"}`), tags); err != nil {
		t.Fatal(err)
	}
	s.start("b", `{"title": "y"}`)
	for _, path := range []string{"/runs", "/runs/a", "/runs?where=tag.team%3Dpay", "/runs?where=tag.for%3D%27%3Cb%3E%27%27Ada%27%27%20%26%20%22Eve%22%27"} {
		text := s.get(path, http.StatusOK)
		if !strings.Contains(text, `href="/runs?where=tag.team%3dpay"`) || !strings.Contains(text, "for=&lt;b&gt;&#39;Ada&#39; &amp; &#34;Eve&#34;") {
			t.Errorf("%s: %s", path, text)
		}
		if path != "/runs" && strings.Contains(text, `href="/runs/b"`) {
			t.Errorf("%s shows the other run", path)
		}
	}
	if text := s.get("/runs/b", http.StatusOK); strings.Contains(text, `class="tag"`) {
		t.Error("a run without tags has some")
	}
}
