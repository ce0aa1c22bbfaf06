package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime/httpapi"
)

// TestHostileIDs: whatever a run is called, each door finds it, and says its name as it is.
func TestHostileIDs(t *testing.T) {
	s := newServer(t, WithFrontEnd(front{}))
	for _, id := range []string{"..\\x?y#z", "?", "#", "%2e", "%", ".", "..", "a b", "</script><script>alert(1)</script>", "\u202eevil", "a\u2028b", "ä\u0308", `"\`, "a;b&c=d+e", strings.Repeat("x", 200)} {
		if strings.Contains(id, "/") { // which only runs from before that rule have
			id = strings.ReplaceAll(id, "/", "\u2215")
		}
		body, _ := json.Marshal(map[string]any{"machine": "Review", "id": id, "params": map[string]int{"pr": 1}})
		w := s.do("POST", "/api/v1/runs", string(body))
		if w.Code != 201 {
			t.Errorf("%q: %d %s", id, w.Code, w.Body)
			continue
		}
		at := w.Header().Get("Location")
		for _, path := range []string{at, at + "/history", at + "/at/1", at + "/diagram.svg"} {
			status, text := s.ask("GET", path, "")
			if status != 200 {
				t.Errorf("%q at %s: %d %s", id, path, status, text)
			}
			if path != at {
				continue
			}
			if v := decode(t, []byte(text)).(map[string]any); v["run"] != id {
				t.Errorf("%q is called %q", id, v["run"])
			}
		}
		if status, text := s.ask("POST", at+"/pause", `{}`); status != 200 {
			t.Errorf("%q: %d %s", id, status, text)
		}
		if status, text := s.ask("GET", "/api/v1/runs?after="+url.QueryEscape(id), ""); status != 200 {
			t.Errorf("after %q: %d %s", id, status, text)
		}
	}
	for _, id := range []string{"a/b", "../x", "a\x00b", "a\nb", " ", strings.Repeat("x", 201), "\xff"} {
		body, _ := json.Marshal(map[string]any{"machine": "Review", "id": id, "params": map[string]int{"pr": 1}})
		if id == "\xff" {
			body = []byte("{\"machine\":\"Review\",\"id\":\"\xff\",\"params\":{\"pr\":1}}")
		}
		if status, text := s.ask("POST", "/api/v1/runs", string(body)); status != 400 {
			t.Errorf("%q: %d %s", id, status, text)
		}
		if status, _ := s.ask("GET", "/api/v1/runs/"+PathOf(id), ""); status != 404 {
			t.Errorf("%q: %d", id, status)
		}
	}
}

// TestHostileBodies: a body that is too large, too deep or of another kind is refused, and so are
// payloads of a MiB.
func TestHostileBodies(t *testing.T) {
	s := newServer(t)
	s.startRun(t, "r")
	long := strings.Repeat("x", MaxBody)
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"a MiB of a name":   {`{"event":"` + long + `"}`, 413},
		"a MiB of blanks":   {strings.Repeat(" ", MaxBody) + "{}", 413},
		"a long name":       {`{"event":"` + long[:MaxBody/2] + `"}`, 409},
		"a long note":       {`{"event":"Ask","data":{"verdict":"good","wait":"1m","note":"` + long[:MaxBody/2] + `"},"reason":"` + long[:5000] + `"}`, 409},
		"a deep payload":    {`{"event":"Ask","data":` + deep + `}`, 400},
		"a script":          {`{"event":"</script><script>alert(1)</script>"}`, 409},
		"NUL in a payload":  {`{"event":"Ask","data":{"verdict":"\u0000","wait":"1m"}}`, 422},
		"NUL in the reason": {`{"event":"Ask","data":{"verdict":"good","wait":"1m"},"reason":"a\u0000b"}`, 200},
	} {
		status, text := s.ask("POST", "/api/v1/runs/r/events", c.body)
		if status != c.want {
			t.Errorf("%s: %d, want %d: %.200s", name, status, c.want, text)
		}
	}
	for kind, want := range map[string]int{"": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "application/json; charset=utf-8": 200, "APPLICATION/JSON": 200} {
		r := httptest.NewRequest("POST", "/api/v1/runs/r/pause", strings.NewReader("{}"))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%q: %d %s", kind, w.Code, w.Body)
		}
	}
}

// TestAllow: what is refused for its method says which ones there are.
func TestAllow(t *testing.T) {
	s := newServer(t)
	for path, want := range map[string]string{"/api/v1/runs": "GET, HEAD, POST", "/api/v1/runs/r/events": "POST"} {
		if w := s.do("DELETE", path, ""); w.Code != 405 || w.Header().Get("Allow") != want {
			t.Errorf("%s: %d, Allow: %s, want %s", path, w.Code, w.Header().Get("Allow"), want)
		}
	}
}

// TestHiddenData: with it no answer has what a run carries.
func TestHiddenData(t *testing.T) {
	s := newServer(t, WithHiddenData(), WithFrontEnd(front{}))
	s.startRun(t, "r")
	const secret = "secret-of-a-run"
	s.ask("POST", "/api/v1/runs/r/events", `{"event":"Ask","data":{"verdict":"good","wait":"7m","note":"`+secret+`"}}`)
	s.ask("POST", "/api/v1/runs/r/complete", `{"activity":"read","event":"Read","data":{"comments":73}}`)
	for _, path := range []string{"/runs/r", "/runs/r/history", "/runs/r/at/2", "/runs", "/machines/Review"} {
		status, text := s.ask("GET", "/api/v1"+path, "")
		if status != 200 || strings.Contains(text, secret) || strings.Contains(text, ":73") || strings.Contains(text, "7m0s") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if status, text := s.ask("POST", "/api/v1/simulate", `{"run":"r","at":2,"inputs":[]}`); status != 403 || strings.Contains(text, secret) {
		t.Error(status, text)
	}
}

// fuzzServer is one server for many requests.
func fuzzServer(f *testing.F) *server {
	s := newServer(f, WithFrontEnd(front{}))
	if _, err := s.engine.Start(context.Background(), "Review", "r", json.RawMessage(`{"pr":1}`)); err != nil {
		f.Fatal(err)
	}
	return s
}

// FuzzBody: whatever stands in a body, the answer is a good one or a problem that says why.
func FuzzBody(f *testing.F) {
	s := fuzzServer(f)
	routes := s.Routes()
	for _, body := range []string{`{}`, `{"machine":"Review","params":{"pr":1}}`, `{"event":"Ask","data":{"verdict":"good","wait":"1m"}}`, `{"command":"pause","where":"machine=Review"}`,
		`{"machine":"Review","params":{"pr":1},"inputs":[{"event":"Close"},{"wait":"2h"}]}`, `{"activity":"read","event":"Read","data":{"comments":1},"reason":"x"}`, `{"reason":"x"}`,
		`{"machine":"Review","source":"machine M {","inputs":[]}`, `{"run":"r","at":1,"inputs":[{"fails":"busy"}]}`, `{"apply":true,"token":"x","command":"cancel","where":"id=r*"}`,
		`[`, `{"a":`, "\x00", `{"force":1}`} {
		for i := range routes { // each takes each, so that no body goes to a route that does not read it alone
			f.Add(uint(i), body)
		}
	}
	f.Fuzz(func(t *testing.T, n uint, body string) {
		to := routes[n%uint(len(routes))]
		if to.Method != "POST" {
			return
		}
		s := *s
		s.t = t
		w := s.do("POST", strings.NewReplacer("{run}", "r").Replace(to.Path), body)
		if why := s.undescribed("POST", strings.NewReplacer("{run}", "r").Replace(to.Path), w); why != "" || w.Code == 500 {
			t.Errorf("%s %q: %d %s: %s", to.Path, body, w.Code, why, w.Body)
		}
	})
}

// FuzzRequest: whatever stands in a path, a query or a header, the guard and the API answer.
func FuzzRequest(f *testing.F) {
	s := fuzzServer(f)
	guard := (&Guard{Hosts: HostsOf("127.0.0.1:1"), User: "x"}).Wrap(s)
	f.Add("GET", "/api/v1/runs", "where=machine%3DReview", "Origin", "null")
	f.Add("GET", "/api/v1/runs/%2e%2e/history", "after=1&limit=2", "Host", "127.0.0.1")
	f.Add("GET", "/health/workflows", "stuck=Idle%3D1h&share=Idle%3D3%25", "Sec-Fetch-Site", "cross-site")
	f.Add("GET", "/api/v1/machines/Review/diagram.svg", "theme=dark&counts=1", "If-None-Match", "*")
	for _, to := range s.Routes() { // each with what any of them may be asked
		for _, query := range []string{"", "where=tag.a%3Db+older+than+2h&limit=1&after=r", "version=abc", "since=7d", "counts=1&compact=1&theme=light", "after=1&before=3&limit=2", "stuck=1h&late=1m&limit=3", "x=%zz"} {
			f.Add(to.Method, strings.NewReplacer("{machine}", "Review", "{run}", "r", "{seq}", "1").Replace(to.Path), query, "Accept", "*/*")
		}
	}
	f.Fuzz(func(t *testing.T, method, path, query, header, value string) {
		if !strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/feed") {
			return
		}
		r, err := http.NewRequest(method, "http://127.0.0.1", nil)
		if err != nil {
			return
		}
		u, err := url.Parse(path)
		if err != nil {
			return
		}
		r.URL.Path, r.URL.RawPath, r.URL.RawQuery = u.Path, u.RawPath, query
		r.Header[http.CanonicalHeaderKey(header)] = []string{value}
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		w := httptest.NewRecorder()
		guard.ServeHTTP(w, r.WithContext(ctx))
		if w.Code == 500 || w.Code < 200 || w.Code > 599 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
