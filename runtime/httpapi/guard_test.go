package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime/httpapi"
)

const (
	readToken  = "read-0123456789abcdef0123456789abcdef"
	writeToken = "write-0123456789abcdef0123456789abcde"
)

func tokens(t testing.TB) Tokens {
	t.Helper()
	all, err := ParseTokens("# who may what\nread: " + readToken + "\n\nwrite: ci " + writeToken + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestGuard asks every route of the API, with all that must not be let through. The table is
// made of the routes, so that a new one is in it.
func TestGuard(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		status int // 0 for whatever the route answers, and none of the guard's
		writes int // the same of routes that change something; status where it is 0
	}{
		{name: "a good one", change: func(*http.Request) {}},
		{name: "as localhost", change: func(r *http.Request) { r.Host = "localhost:99" }},
		{name: "another host", change: func(r *http.Request) { r.Host = "evil.example" }, status: 421},
		{name: "another host that looks like it", change: func(r *http.Request) { r.Host = "127.0.0.1.evil.example:8376" }, status: 421},
		{name: "no host", change: func(r *http.Request) { r.Host = "" }, status: 421},
		{name: "a port that is none", change: func(r *http.Request) { r.Host = "127.0.0.1:8376@evil" }, status: 421},
		{name: "another origin", change: func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, writes: 403},
		{name: "no origin", change: func(r *http.Request) { r.Header.Set("Origin", "null") }, writes: 403},
		{name: "from another site", change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, status: 403},
		{name: "a link on another site", change: func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}, status: 403}, // these are for programs
		{name: "from another port", change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, writes: 403},
		{name: "no token", change: func(r *http.Request) { r.Header.Del("Authorization") }, status: 401},
		{name: "a wrong token", change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+writeToken[1:]) }, status: 401},
		{name: "a token of another kind", change: func(r *http.Request) { r.Header.Set("Authorization", "Digest "+writeToken) }, status: 401},
		{name: "a token to read", change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+readToken) }, writes: 403},
		{name: "a token as a password", change: func(r *http.Request) { r.SetBasicAuth("me", writeToken) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t)
				guard := &Guard{Hosts: HostsOf("127.0.0.1:8376"), Tokens: tokens(t)}
				h := guard.Wrap(s)
				for _, to := range s.Routes() {
					want := c.status
					if to.Method == "POST" && c.writes != 0 && (to.Effect || c.writes == 403 && !strings.Contains(c.name, "token")) {
						want = c.writes
					}
					r := httptest.NewRequest(to.Method, strings.NewReplacer("{machine}", "Review", "{run}", "r", "{seq}", "1").Replace(to.Path), strings.NewReader("{}"))
					r.Host = "127.0.0.1:8376"
					r.Header.Set("Authorization", "Bearer "+writeToken)
					r.Header.Set("Content-Type", "application/json")
					c.change(r)
					within, stop := context.WithTimeout(t.Context(), time.Second) // a stream has no end
					r = r.WithContext(within)
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					stop()
					guarded := w.Code == 401 || w.Code == 403 || w.Code == 421
					if want == 0 && guarded || want != 0 && w.Code != want {
						t.Errorf("%s %s: %d, want %d: %s", to.Method, to.Path, w.Code, want, w.Body)
					}
					if h := w.Header(); !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") || h.Get("X-Content-Type-Options") != "nosniff" ||
						h.Get("Access-Control-Allow-Origin") != "" || h.Get("Cache-Control") == "" {
						t.Errorf("%s %s: headers %v", to.Method, to.Path, h)
					}
				}
			})
		})
	}
}

// TestReadOnly: nothing that has an effect is done, whoever asks, by a guard and by an API.
func TestReadOnly(t *testing.T) {
	guarded := (&Guard{AnyHost: true, User: "serve:ada", ReadOnly: true}).Wrap(newServer(t))
	for name, h := range map[string]http.Handler{"guard": guarded, "api": newServer(t, WithReadOnly())} {
		for _, to := range newServer(t).Routes() {
			r := httptest.NewRequest(to.Method, strings.NewReplacer("{run}", "r", "{machine}", "Review").Replace(to.Path), strings.NewReader(`{"apply":true}`))
			r.Header.Set("Content-Type", "application/json")
			gone, leave := context.WithCancel(t.Context())
			if leave(); to.Stream {
				r = r.WithContext(gone)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if refused := to.Effect || strings.HasSuffix(to.Path, "/bulk"); refused != (w.Code == 403) {
				t.Errorf("%s: %s %s: %d", name, to.Method, to.Path, w.Code)
			}
		}
	}
}

// TestActor: who acts is the caller, whatever a body says, and it is a line of history.
func TestActor(t *testing.T) {
	s := newServer(t)
	h := (&Guard{AnyHost: true, Tokens: tokens(t)}).Wrap(s)
	post := func(path, body string) {
		t.Helper()
		r := httptest.NewRequest("POST", "/api/v1/runs"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+writeToken)
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code >= 300 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	post("", `{"machine":"Review","id":"r","params":{"pr":1}}`)
	post("/r/pause", `{"actor":"ada","reason":"wait"}`)
	post("/r/resume", `{}`)
	steps, err := s.engine.History(t.Context(), "r", 1, 10)
	if err != nil || len(steps) != 2 || steps[0].Actor != "ci/ada" || steps[0].Reason != "wait" || steps[1].Actor != "ci" {
		t.Errorf("%+v, %v", steps, err)
	}
}

// TestWrongTokensWait: who tries tokens waits, and no more than some at once.
func TestWrongTokensWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := (&Guard{AnyHost: true, Tokens: tokens(t)}).Wrap(http.NotFoundHandler())
		answers := make(chan int, 100)
		began := time.Now()
		for range 100 {
			go func() {
				r := httptest.NewRequest("GET", "/", nil)
				r.Header.Set("Authorization", "Bearer guess")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				answers <- w.Code
			}()
		}
		counts := map[int]int{}
		for range 100 {
			counts[<-answers]++
		}
		if took := time.Since(began); took != time.Second || counts[401] != 32 || counts[429] != 68 {
			t.Errorf("%v after %v", counts, took)
		}
	})
}

func TestHostsOf(t *testing.T) {
	for listen, c := range map[string]struct{ yes, no string }{
		"127.0.0.1:8376": {"127.0.0.1:1 localhost LOCALHOST. [::1]:8376 fsmc.internal", "10.0.0.1 evil.example 0.0.0.0"},
		":8376":          {"10.0.0.1:8376 [fe80::1] localhost fsmc.internal", "evil.example 10.0.0.1.evil.example"},
		"10.0.0.1:80":    {"10.0.0.1 fsmc.internal", "10.0.0.2 127.0.0.1"},
	} {
		h := (&Guard{Hosts: HostsOf(listen, "fsmc.internal"), User: "x"}).Wrap(http.NotFoundHandler())
		for hosts, want := range map[string]int{c.yes: 404, c.no: 421} {
			for _, host := range strings.Fields(hosts) {
				r := httptest.NewRequest("GET", "/", nil)
				r.Host = host
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code != want {
					t.Errorf("%s asked as %s: %d", listen, host, w.Code)
				}
			}
		}
	}
}

func TestParseTokens(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "there is no token",
		"read:":                    `write it as "read: TOKEN"`,
		"admin: " + readToken:      `begins with "read:" or "write:"`,
		"write: short":             "fewer than 32",
		"write: a b " + writeToken: `"write: NAME TOKEN"`,
		"read: a/b " + readToken:   "no slash",
		"\nread: x " + readToken + "\nwrite: " + readToken: "line 3: the token stands there twice",
	} {
		_, err := ParseTokens(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), readToken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
