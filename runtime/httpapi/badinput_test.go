package httpapi_test

import (
	"strings"
	"testing"

	. "github.com/fsmc-dev/fsmc/runtime/httpapi"
)

// TestBadInput sends what is wrong in each way that there is, and wants the status, the type and
// the words that help. Where a member of the problem says which, it has to be there.
func TestBadInput(t *testing.T) {
	s := newServer(t, WithFrontEnd(front{}))
	s.startRun(t, "run-1")
	s.startRun(t, "ended")
	if status, text := s.ask("POST", "/api/v1/runs/ended/cancel", `{"reason":"x"}`); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	const ask = `"event":"Ask","data":{"verdict":"good","wait":"20m"}`
	s.startRun(t, "sent")
	if status, text := s.ask("POST", "/api/v1/runs/sent/events", `{`+ask+`,"event_id":"e1"}`); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	for _, c := range []struct {
		what, request, body string
		status              int
		kind, detail        string
		has                 string // of the problem
	}{
		{"no JSON", "POST /api/v1/runs", `{"machine":`, 400, "body", "the body is no JSON: it ends too early (byte 11)", ""},
		{"an unknown member", "POST /api/v1/runs", `{"machin":"Review"}`, 400, "body", `there is no member "machin" (did you mean "machine"?) (byte 9)`, `"field":"machin"`},
		{"an unknown member deep below", "POST /api/v1/simulate", `{"machine":"Review","inputs":[{"evnt":"x"}]}`, 400, "body", `unknown field "evnt"`, ""},
		{"a member twice", "POST /api/v1/runs", `{"machine":"Review","machine":"Review"}`, 400, "body", `"machine" is given twice (byte 29)`, `"field":"machine"`},
		{"a wrong type of ours", "POST /api/v1/runs/run-1/events", `{"event":7}`, 400, "body", `"event" is a string, and not a number (byte 10)`, `"field":"event"`},
		{"no UTF-8", "POST /api/v1/runs", "{\"machine\":\"\xff\"}", 400, "body", "the body is not valid UTF-8", ""},
		{"no run", "GET /api/v1/runs/run-2", "", 404, "not-found", `there is no run "run-2" in the database (did you mean "run-1"?)`, `"run":"run-2"`},
		{"no run of a history", "GET /api/v1/runs/run-2/history", "", 404, "not-found", `there is no run "run-2" in the database (did you mean "run-1"?)`, ""},
		{"no run of a drawing", "GET /api/v1/runs/run-2/diagram.svg", "", 404, "not-found", `(did you mean "run-1"?)`, ""},
		{"no run of a command", "POST /api/v1/runs/run-2/pause", "{}", 404, "not-found", `(did you mean "run-1"?)`, ""},
		{"no run of an event", "POST /api/v1/runs/run-2/events", `{"event":"Ask"}`, 404, "not-found", `(did you mean "run-1"?)`, ""},
		{"no run to simulate", "POST /api/v1/simulate", `{"run":"run-2","inputs":[]}`, 404, "not-found", `(did you mean "run-1"?)`, ""},
		{"no machine", "GET /api/v1/machines/Revew", "", 404, "not-found", `no machine "Revew" in the database (did you mean "Review"?)`, ""},
		{"no machine of figures", "GET /api/v1/machines/Revew/stats", "", 404, "not-found", `(did you mean "Review"?)`, ""},
		{"no machine of a drawing", "GET /api/v1/machines/Revew/diagram.svg", "", 404, "not-found", `(did you mean "Review"?)`, ""},
		{"no machine to start", "POST /api/v1/runs", `{"machine":"Revew"}`, 404, "not-found", `(did you mean "Review"?)`, ""},
		{"no machine to simulate", "POST /api/v1/simulate", `{"machine":"Revew","inputs":[]}`, 404, "not-found", `(did you mean "Review"?)`, ""},
		{"no version", "GET /api/v1/machines/Review?version=abc", "", 404, "not-found", `machine "Review" has no version "abc"`, `"allowed":["`},
		{"no step", "GET /api/v1/runs/run-1/at/9", "", 404, "not-found", `9`, `"seq":1`},
		{"a step that is no number", "GET /api/v1/runs/run-1/at/x", "", 404, "not-found", `x`, ""},
		{"an event that is not allowed", "POST /api/v1/runs/run-1/events", `{"event":"Read"}`, 409, "rejected", `"Read" is refused in state "Idle": activities alone raise it; allowed there: Ask`, `"allowed":["Ask"`},
		{"an event that there is not", "POST /api/v1/runs/run-1/events", `{"event":"Aks"}`, 409, "rejected", `did you mean "Ask"?`, `"state":"Idle"`},
		{"if_seq passed", "POST /api/v1/runs/sent/events", `{"event":"Close","if_seq":1}`, 409, "rejected", "", `"seq":2`},
		{"a run that has ended", "POST /api/v1/runs/ended/events", `{` + ask + `}`, 409, "rejected", "", `"run":"ended"`},
		{"an event id with other data", "POST /api/v1/runs/sent/events", `{"event":"Ask","data":{"verdict":"good","wait":"21m"},"event_id":"e1"}`, 409, "rejected", `"e1"`, `"run":"sent"`},
		{"a payload that does not fit", "POST /api/v1/runs/run-1/events", `{"event":"Ask","data":{"verdict":"fine","wait":"20m"}}`, 422, "payload", `verdict`, `"field":"verdict"`},
		{"parameters that do not fit", "POST /api/v1/runs", `{"machine":"Review","params":{"pr":"x"}}`, 422, "payload", `"pr"`, `"field":"pr"`},
		{"over 1 MiB", "POST /api/v1/runs", `{"machine":"` + strings.Repeat("x", MaxBody) + `"}`, 413, "too-large", "a body has at most 1048576 bytes", ""},
		{"a wrong where", "GET /api/v1/runs?where=colour%3Dred", "", 400, "query", `write machine=, state=, status=`, `"field":"where"`},
		{"a wrong where of many", "POST /api/v1/bulk", `{"command":"pause","where":"colour=red"}`, 400, "", `write machine=, state=, status=`, `"field":"where"`},
		{"a command that there is not", "POST /api/v1/bulk", `{"command":"stop","where":"machine=Review"}`, 400, "body", `"stop"`, `"allowed":["`},
		{"a wrong since", "GET /api/v1/machines/Review/stats?since=soon", "", 400, "query", `"soon" is no age: write it like 90s, 1h30m or 30d`, `"field":"since"`},
		{"a wrong after", "GET /api/v1/runs?after=none", "", 400, "query", `there is no run "none" in the database`, `"field":"after"`},
		{"a wrong after of steps", "GET /api/v1/runs/run-1/history?after=x", "", 400, "query", `after is a number from 0`, `"field":"after"`},
		{"a wrong before of steps", "GET /api/v1/runs/run-1/history?before=0", "", 400, "query", `before is a number from 1`, `"field":"before"`},
		{"a wrong limit", "GET /api/v1/runs?limit=0", "", 400, "query", `limit is a number from 1 to 1000, and not "0"`, `"field":"limit"`},
		{"a wrong position", "GET /api/v1/feed?after=-1", "", 400, "query", `after`, `"field":"after"`},
		{"a wrong pace", "GET /api/v1/feed?pace=x", "", 400, "query", `pace`, `"field":"pace"`},
		{"a body that is empty", "POST /api/v1/runs/run-1/pause", "", 400, "body", `the body is empty: write {} at least`, ""},
		{"a parameter that there is not", "GET /api/v1/machines?x=1", "", 400, "query", `there is no parameter "x"`, `"field":"x"`},
		{"a wrong age of health", "GET /health/workflows?stuck=soon", "", 400, "query", `"soon" is no age`, `"field":"stuck"`},
		{"a wrong share of health", "GET /health/workflows?share=Idle", "", 400, "query", `"Idle" is no share`, `"field":"share"`},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		status, text := s.ask(method, path, c.body)
		p, _ := decode(t, []byte(text)).(map[string]any)
		kind, _ := p["type"].(string)
		detail, _ := p["detail"].(string)
		if status != c.status || !strings.HasSuffix(kind, "/"+c.kind) && c.kind != "" || !strings.Contains(detail, c.detail) || !strings.Contains(text, c.has) {
			t.Errorf("%s: %d, want %d %s, %q and %s: %s", c.what, status, c.status, c.kind, c.detail, c.has, text)
		}
	}
}
