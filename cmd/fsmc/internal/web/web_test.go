package web

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

const approval = `// Publishes what a person has approved.
machine Approval(title string) {
    context { note string = "" }
    // Says yes.
    event Approve { note string, level int 1..5, why json? }
    event Reject
    event Comment { text string }
    initial Waiting
    state Waiting {
        on Approve when event.level > 1 -> Approved { note = event.note }
                   else reject
        on Reject -> Rejected
        on Comment { note = event.text }
        after 2d -> Rejected
    }
    terminal Approved
    terminal Rejected failure
}
`

// site is a server over a store in memory.
type site struct {
	t      *testing.T
	engine *runtime.Engine
	store  runtime.Store
	site   *Site
	http.Handler
}

func newSite(t *testing.T, source string, change func(*Options)) *site {
	t.Helper()
	s := &site{t: t, store: memstore.New()}
	s.engine = runtime.NewEngine(s.store)
	s.register(source)
	o := Options{Store: s.store, Engine: s.engine}
	if change != nil {
		change(&o)
	}
	s.site = New(o)
	s.Handler = (&httpapi.Guard{Hosts: []string{"example.com"}, User: "serve:ada", ReadOnly: o.ReadOnly}).Wrap(s.site)
	return s
}

// around has a site use a store that stands around its own.
func around(outer runtime.Store, own *runtime.Store) func(*Options) {
	return func(o *Options) {
		*own = o.Store
		o.Store, o.Engine = outer, runtime.NewEngine(outer)
	}
}

// register makes the engine know the machines of a text.
func (s *site) register(source string) {
	s.t.Helper()
	for _, m := range tabletest.Machines(s.t, source) {
		if err := s.engine.Register(m, source, runtime.Handlers{}); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *site) start(id, params string) {
	s.t.Helper()
	if _, err := s.engine.Start(context.Background(), "Approval", id, json.RawMessage(params)); err != nil {
		s.t.Fatal(err)
	}
}

// get reads a page, which must have a status.
func (s *site) get(path string, status int) string {
	s.t.Helper()
	return s.answer(httptest.NewRequest(http.MethodGet, path, nil), status)
}

func (s *site) answer(r *http.Request, status int) string {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Body)
	if w.Code != status {
		s.t.Fatalf("%s %s: status %d, not %d\n%s", r.Method, r.URL, w.Code, status, body)
	}
	return string(body)
}

// post sends a form.
func (s *site) post(path string, form url.Values, status int) string {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.answer(r, status)
}

// has fails unless a page has all texts.
func (s *site) has(page string, texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			s.t.Errorf("the page has no %q", text)
		}
	}
}

func (s *site) hasNot(page string, texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			s.t.Errorf("the page has %q", text)
		}
	}
}

func TestRunPage(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	page := s.get("/runs/doc-1", 200)
	s.has(page,
		"doc-1 is in Waiting since", "until ", // the sentence of fsmc show
		`id="state-Waiting" class="state current"`, `id="arrow-(start)-Waiting" class="arrow initial taken"`,
		`<button class="primary" name="event" value="Approve">Approve</button>`, "Says yes.", `name="f.level"`, "int 1..5", "json?",
		`name="if_seq" value="1"`, "Waiting after 2d", `title="fsmc pause doc-1"`, `name="reason" required`,
		`href="/machines/Approval"`)
}

func TestSendFromPage(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	form := url.Values{"event": {"Approve"}, "if_seq": {"1"}, "f.note": {"well </script> done"}, "f.level": {"7"}, "f.why": {""}}

	page := s.post("/runs/doc-1/send", form, 422) // the level is out of range
	s.has(page, "well &lt;/script&gt; done", `value="7"`, `aria-invalid="true"`, `data-feed="-"`)
	s.hasNot(page, "</script> done")

	form.Set("f.level", "1")
	s.has(s.post("/runs/doc-1/send", form, 409), "level")

	form.Set("f.level", "3")
	s.post("/runs/doc-1/send", form, 303)
	page = s.get("/runs/doc-1", 200)
	s.has(page, "doc-1 ended in Approved with success", "sent by serve:ada", `id="arrow-Waiting-Approved" class="arrow normal taken"`)
	s.hasNot(page, `class="primary"`, `id="ask-cancel"`)

	s.has(s.post("/runs/doc-1/send", form, 409), "doc-1") // it has ended
}

// TestNothingIsChosen: a form says yes or no only where a person has chosen that.
func TestNothingIsChosen(t *testing.T) {
	s := newSite(t, `
machine Approval {
    event Decide { approved bool }
    initial Waiting
    state Waiting { on Decide when event.approved -> Out else -> Waiting unbounded }
    terminal Out
}
`, nil)
	s.start("r", "")
	chosen := `name="f.approved"><option value="">–</option><option>true</option><option>false</option>`
	s.has(s.get("/runs/r", 200), chosen)
	form := url.Values{"event": {"Decide"}, "if_seq": {"1"}, "f.approved": {""}}
	s.has(s.post("/runs/r/send", form, 422), "approved", "missing")
	form.Set("f.approved", "true")
	s.post("/runs/r/send", form, 303)
}

func TestIfSeqOfPage(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	form := url.Values{"event": {"Comment"}, "if_seq": {"1"}, "f.text": {"one"}}
	s.post("/runs/doc-1/send", form, 303)
	s.has(s.post("/runs/doc-1/send", form, 409), `value="one"`, `name="if_seq" value="2"`)
}

func TestSteerFromPage(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	s.post("/runs/doc-1/pause", nil, 303)
	s.has(s.get("/runs/doc-1", 200), "doc-1 is in Waiting", "paused", `action="/runs/doc-1/resume"`)
	s.post("/runs/doc-1/resume", nil, 303)
	s.post("/runs/doc-1/cancel", url.Values{"reason": {"not needed"}}, 303)
	s.has(s.get("/runs/doc-1", 200), "doc-1 was cancelled", "not needed", "sent by serve:ada")
	s.post("/runs/doc-1/retry", nil, 409)
	s.post("/runs/doc-1/explode", nil, 404)
	s.post("/runs/doc-2/pause", nil, 404)
}

func TestTimeTravel(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	for _, text := range []string{"one", "two"} {
		s.post("/runs/doc-1/send", url.Values{"event": {"Comment"}, "f.text": {text}}, 303)
	}
	s.post("/runs/doc-1/send", url.Values{"event": {"Reject"}}, 303)
	page := s.get("/runs/doc-1/at/2", 200)
	s.has(page, `action="/runs/doc-1"`, `name="at" min="1" max="4" value="2"`, "<output for=\"at\">2 of 4</output>")
	s.has(s.get("/runs/doc-1?at=2", 200), "Step 2 of 4", `value="2"`) // where the form of the slider leads
	s.has(s.get("/runs/doc-1", 200), `min="1" max="4" value="4"`)
	now := s.site.now
	s.site.now = func() time.Time { return time.Now().Add(time.Hour) }
	s.has(s.get("/runs/doc-1/at/2", 200), "<title>Waiting: ")
	s.hasNot(s.get("/runs/doc-1/at/2", 200), "<title>Waiting: 1h") // nor had it been there for so long then
	s.site.now = now
	s.start("..", `{"title": "A"}`)
	s.post("/run/send?id=..", url.Values{"event": {"Reject"}}, 303)
	s.has(s.get("/run?id=..", 200), `id="time" action="/run"><input type="hidden" name="id" value="..">`)
	s.has(s.get("/run?id=..&at=1", 200), "Step 1 of 2")
	s.start("new", `{"title": "A"}`)
	s.hasNot(s.get("/runs/new", 200), `type="range"`) // there is no other time
	s.has(page, "Step 2 of 4", `{"note":"one"}`, `id="state-Waiting" class="state current"`, `href="/runs/doc-1/at/1"`, `href="/runs/doc-1/at/3"`)
	s.hasNot(page, `class="primary"`, "two", `id="arrow-Waiting-Rejected" class="arrow cancel taken"`)
	s.has(s.get("/runs/doc-1/at/9", 404), "steps 1 to 4")
	s.get("/runs/doc-1/at/0", 404)
	s.get("/runs/doc-1/at/x", 404)
}

// Ids that mean something in addresses lead to their runs all the same.
func TestHostileIDs(t *testing.T) {
	s := newSite(t, approval, nil)
	for _, id := range []string{"..", ".", "a?b=c#d", "<script><b>", "%2e%2e", "a b", "x\u202ey", "&amp;", `"'`, "%", "~"} {
		s.start(id, `{"title": "A"}`)
		s.post("/"+postOf(id), url.Values{"event": {"Comment"}, "f.text": {id}}, 303)
		page := s.get("/"+runPath(id), 200)
		s.has(page, "is in Waiting", "Step", `id="s2"`)
		s.hasNot(page, "<b>", "\u202e")
		at := (&runData{Path: runPath(id)}).AtPath(1)
		s.has(s.get("/"+at, 200), "Step 1 of 2")
	}
	s.has(s.get("/runs", 200), "%252e%252e", "a%3Fb=c%23d", `href="/run?id=.."`)
}

func postOf(id string) string { return (&runData{ID: id, Path: runPath(id)}).Post("send") }

func TestRunsPage(t *testing.T) {
	s := newSite(t, approval, nil)
	for _, id := range strings.Fields("a b c") {
		s.start(id, `{"title": "A"}`)
	}
	s.post("/runs/b/send", url.Values{"event": {"Reject"}}, 303)
	page := s.get("/runs?where="+url.QueryEscape("status=finished"), 200)
	s.has(page, `href="/runs/b"`, `value="status=finished"`, `href="/api/v1/runs?where=status%3dfinished">as JSON`)
	s.hasNot(page, `href="/runs/a"`)
	page = s.get("/runs?where="+url.QueryEscape("colour=red"), 400)
	s.has(page, "The filter is not used", "colour", `href="/runs/a"`)
	s.has(s.get("/runs?after=zz", 400), "This is the first page: there is no run", `href="/runs/`)
}

func TestPagesOfRuns(t *testing.T) {
	s := newSite(t, approval, nil)
	for range runsShown + 5 {
		s.start("", `{"title": "A"}`)
	}
	page := s.get("/runs?where=machine%3DApproval+status%3Drunning", 200)
	if n := strings.Count(page, `class="status running"`); n != runsShown {
		t.Errorf("the first page has %d runs", n)
	}
	_, next, _ := strings.Cut(page, `rel="next" href="`)
	next, _, _ = strings.Cut(next, `"`)
	page = s.get(html.UnescapeString(next), 200)
	if n := strings.Count(page, `class="status running"`); n != 5 {
		t.Errorf("the second page has %d runs", n)
	}
	s.hasNot(page, `rel="next"`)
}

func TestReadOnly(t *testing.T) {
	s := newSite(t, approval, func(o *Options) { o.ReadOnly = true })
	s.start("doc-1", `{"title": "A"}`)
	page := s.get("/runs/doc-1", 200)
	s.has(page, "What it takes now", "read-only")
	s.hasNot(page, `method="post"`)
	s.has(s.post("/runs/doc-1/pause", nil, 403), "read")
}

func TestHideData(t *testing.T) {
	s := newSite(t, approval, func(o *Options) { o.HideData = true })
	s.start("doc-1", `{"title": "secret-title"}`)
	s.post("/runs/doc-1/send", url.Values{"event": {"Comment"}, "f.text": {"secret-text"}}, 303)
	for _, path := range []string{"/runs/doc-1", "/runs/doc-1/at/2", "/runs", "/"} {
		s.hasNot(s.get(path, 200), "secret")
	}
	s.hasNot(s.get("/runs/doc-1/at/2", 200), "Simulate")
	for _, path := range []string{"/runs/doc-1/simulate", "/runs/doc-1/simulate?at=2"} {
		s.hasNot(s.get(path, 403), "secret")
	}

	const job = `machine Job { activity work()
    initial Working
    state Working { do work()
        on failed -> Failed }
    terminal Failed failure }`
	fails := func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		fmt.Fprintln(a.Stderr(), "secret-stderr")
		return runtime.Result{}, runtime.Fail("unknown", "secret-message")
	}
	m := tabletest.Machines(t, job)[0]
	if err := s.engine.Register(m, job, runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": fails}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.engine.Start(t.Context(), "Job", "job-1", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	if v, err := s.engine.RunUntilDone(t.Context(), "job-1"); err != nil || v.State != "Failed" {
		t.Fatal(v.State, err)
	}
	for _, path := range []string{"/runs/job-1", "/runs/job-1/at/2"} {
		page := s.get(path, 200)
		s.has(page, "ended in Failed with failure")
		s.hasNot(page, "secret")
	}
}

func TestBulk(t *testing.T) {
	s := newSite(t, approval, nil)
	for _, id := range strings.Fields("a b c d") {
		s.start(id, `{"title": "A"}`)
	}
	s.post("/runs/d/send", url.Values{"event": {"Reject"}}, 303)
	form := url.Values{"command": {"cancel"}, "run": {"a", "b", "d", "gone"}}
	page := s.post("/bulk", form, 200)
	s.has(page, "2 runs are meant", "2 would refuse", "there is no such run", "Nothing has been done yet")
	s.has(s.get("/runs?where=outcome%3Dcancelled", 200), "No runs match")
	form.Set("token", tokenOf(page))
	form.Set("reason", "superseded")
	s.has(s.post("/bulk", form, 200), "2 runs have taken it, 2 refused")
	s.has(s.get("/runs/a", 200), "a was cancelled", "superseded")

	all := url.Values{"command": {"pause"}, "all": {"1"}, "where": {"status=running"}}
	page = s.post("/bulk", all, 200)
	s.has(page, "1 run is meant")
	all.Set("token", tokenOf(page))
	s.start("e", `{"title": "A"}`)
	s.has(s.post("/bulk", all, 409), "others by now", "2 runs are meant") // and is confirmed again
	s.has(s.get("/runs?where=status%3Dpaused", 200), "No runs match")

	s.post("/bulk", url.Values{"command": {"pause"}}, 400)
	s.post("/bulk", url.Values{"command": {"pause"}, "all": {"1"}}, 400)
	s.post("/bulk", url.Values{"command": {"explode"}, "run": {"a"}}, 400)
}

func tokenOf(page string) string {
	_, token, _ := strings.Cut(page, `name="token" value="`)
	token, _, _ = strings.Cut(token, `"`)
	return token
}

// A run whose record cannot be read is shown as far as it can be.
func TestOtherPages(t *testing.T) {
	s := newSite(t, approval, nil)
	s.has(s.get("/", 200), "Nothing is stuck", "There are no runs yet", "Approval")
	s.start("doc-1", `{"title": "A"}`)
	page := s.get("/machines/Approval", 200)
	s.has(page, `<a href="/runs?where=machine%3dApproval%20state%3dWaiting">Waiting</a>`, "Publishes what a person has approved.", `id="state-Waiting"`, `where=machine%3DApproval+state%3DWaiting`)
	s.has(s.get("/problems", 200), "Nothing is stuck")
	s.get("/machines/Nope", 404)
	s.has(s.get("/nowhere", 404), "no such page")
	s.has(s.get("/runs/doc-7", 404), `There is no run &#34;doc-7&#34; (did you mean &#34;doc-1&#34;?)`)
	s.has(s.get("/runs/doc-7/simulate", 404), `(did you mean &#34;doc-1&#34;?)`)
	s.has(s.get("/machines/Aproval", 404), `There is no machine &#34;Aproval&#34; (did you mean &#34;Approval&#34;?)`)
	s.has(s.get("/machines/Aproval/simulate", 404), `(did you mean &#34;Approval&#34;?)`)
}

func TestHeaders(t *testing.T) {
	s := newSite(t, approval, nil)
	for _, path := range []string{"/", "/runs", "/asset/app.css", "/asset/none", "/nowhere"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+assetPath("app.css"), nil))
	if got := w.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("a sheet with its version is not kept: %q", got)
	}
}
