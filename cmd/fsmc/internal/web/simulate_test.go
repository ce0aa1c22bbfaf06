package web

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
)

// follow asks for a simulation with one input more, and gives the page to which that leads.
func (s *site) follow(page, number string, form url.Values) string {
	s.t.Helper()
	_, rest, found := strings.Cut(page, `class="choice"><input`)
	if !found {
		s.t.Fatal("the page offers no choice")
	}
	hidden, _, _ := strings.Cut(rest, "<button")
	q := url.Values{"take": {number}}
	for name, values := range form {
		q[name] = values
	}
	for part := range strings.SplitSeq(hidden, `name="`) {
		name, after, ok := strings.Cut(part, `" value="`)
		if value, _, closed := strings.Cut(after, `"`); ok && closed {
			q.Add(name, html.UnescapeString(value))
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/machines/Approval/simulate?"+q.Encode(), nil))
	if w.Code != http.StatusSeeOther {
		s.t.Fatalf("choice %s: status %d\n%s", number, w.Code, w.Body)
	}
	return s.get(w.Header().Get("Location"), 200)
}

func TestSimulateMachine(t *testing.T) {
	s := newSite(t, approval, nil)
	page := s.get("/machines/Approval/simulate", 200)
	s.has(page, `name="f.title"`, "Start")
	page = s.get("/machines/Approval/simulate?begin=1&f.title=A", 200)
	s.has(page, "simulated is in Waiting", ">Approve</button>", `could`)
	page = s.follow(page, "3", url.Values{"f.text": {"<b>"}})
	s.has(page, `"note":"&lt;b&gt;"`, "2 steps")
	page = s.follow(page, "wait", url.Values{"wait": {"49h"}})
	s.has(page, "simulated ended in Rejected", "the run has ended", "wait 49h")
	if rows, err := s.engine.List(t.Context(), runtime.RunFilter{}); err != nil || len(rows) != 0 {
		t.Errorf("a simulation is stored: %v %v", rows, err)
	}
}

// TestSimulateBack: the slider goes back and forward; a choice that is taken there forgets what came behind it.
func TestSimulateBack(t *testing.T) {
	s := newSite(t, approval, nil)
	page := s.follow(s.get("/machines/Approval/simulate?begin=1&f.title=A", 200), "3", url.Values{"f.text": {"one"}})
	page = s.follow(page, "3", url.Values{"f.text": {"two"}})
	s.has(page, `name="back" min="0" max="2" value="2"`, `note":"two`)
	s.hasNot(page, "Forward →")
	_, back, _ := strings.Cut(page, `data-key="[" href="`)
	back, _, _ = strings.Cut(back, `"`)
	page = s.get(html.UnescapeString(back), 200)
	s.has(page, `max="2" value="1"`, "1 of 2", `note":"one`, "Forward →")
	page = s.follow(page, "3", url.Values{"f.text": {"three"}})
	s.has(page, `max="2" value="2"`, `note":"three`)
	s.hasNot(page, "two")
	for _, wrong := range []string{"3", "-1", "x"} {
		s.get(strings.ReplaceAll(html.UnescapeString(back), "back=1", "back="+wrong), 400)
	}
}

func TestSimulateRun(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	s.post("/runs/doc-1/send", url.Values{"event": {"Reject"}}, 303)
	s.has(s.get("/runs/doc-1/simulate?at=1", 200), "doc-1 is in Waiting", ">Approve</button>")
	s.has(s.get("/runs/doc-1/simulate", 200), "the run has ended")
	s.has(s.get("/runs/doc-1/at/1", 200), "/runs/doc-1/simulate?at=1")
	s.get("/runs/doc-1/simulate?at=7", 404)
	s.get("/runs/nobody/simulate", 404)
	s.get("/machines/Nope/simulate", 404)
}

func TestSimulateNonsense(t *testing.T) {
	s := newSite(t, approval, nil)
	base := "/machines/Approval/simulate?params=" + url.QueryEscape(`{"title":"A"}`) + "&start=0"
	for query, status := range map[string]int{
		"&input=x": 400, "&input={}": 422, `&input={"event":"Nope"}`: 422, "&take=99": 422, "&take=yes": 422,
		"&take=wait&wait=soon": 422, "&take=1&f.level=x": 422, strings.Repeat("&input={}", mostInputs+1): 400,
	} {
		s.get(base+strings.ReplaceAll(query, `"`, "%22"), status)
	}
	s.get("/machines/Approval/simulate?params={}&start=0", 422)
	s.get("/machines/Approval/simulate?params="+url.QueryEscape(`{"title":"A"}`)+"&start=-1", 400)
	s.has(s.get("/machines/Approval/simulate?begin=1", 200), "title")
}
