package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"mime"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	. "github.com/fsmc-dev/fsmc/runtime/httpapi"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

var update = flag.Bool("update", false, "write the answers of the archives")

func TestMain(m *testing.M) {
	time.Local = time.UTC // sentences have local times
	os.Exit(m.Run())
}

// front is a FrontEnd that draws a word.
type front struct{}

func (front) WorstCase(context.Context, *runtime.Version) json.RawMessage {
	return json.RawMessage(`{"steps":"12"}`)
}

func (front) Diagram(_ context.Context, v *runtime.Version, p Picture) ([]byte, error) {
	return fmt.Appendf(nil, "<svg>%s %t %s %d %d</svg>", v.Name, p.Compact, p.Theme, len(p.Steps), len(p.Counts)), nil
}

func (front) Compile(_ context.Context, source, _ string) (*runtime.Machine, error) {
	machines, err := tabletest.Compile(source)
	if err != nil {
		return nil, err
	}
	return machines[0], nil
}

// server is an API over a store in memory, with a machine and the description of its answers.
type server struct {
	*API
	t      testing.TB
	engine *runtime.Engine
	doc    map[string]any
}

func newServer(t testing.TB, options ...Option) *server {
	t.Helper()
	return newServerOver(t, memstore.New(), options...)
}

func newServerOver(t testing.TB, db runtime.Store, options ...Option) *server {
	t.Helper()
	source, err := os.ReadFile("testdata/review.fsm")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, engine: runtime.NewEngine(db)}
	guard := func(context.Context, json.RawMessage) (bool, error) { return false, nil }
	read := func(context.Context, *runtime.Attempt) (runtime.Result, error) { return runtime.Result{}, nil }
	handlers := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"read": read}, Guards: map[string]runtime.GuardFunc{"is_large": guard}}
	if err := s.engine.Register(tabletest.Machine(t, string(source)), string(source), handlers); err != nil {
		t.Fatal(err)
	}
	s.API = New(s.engine, options...)
	s.doc = decode(t, s.do("GET", "/api/v1/openapi.json", "").Body.Bytes()).(map[string]any)
	return s
}

func decode(t testing.TB, text []byte) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// do asks, without a look at the answer.
func (s *server) do(method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if method == "POST" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// ask asks, and holds the answer against the description of it.
func (s *server) ask(method, path, body string) (status int, answer string) {
	s.t.Helper()
	w := s.do(method, path, body)
	if why := s.undescribed(method, path, w); why != "" {
		s.t.Errorf("%s %s: %s\n%s", method, path, why, w.Body)
	}
	return w.Code, w.Body.String()
}

// undescribed says why an answer is none that openapi.json has.
func (s *server) undescribed(method, path string, w *httptest.ResponseRecorder) string {
	kind, _, _ := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if kind == "application/problem+json" {
		p := decode(s.t, w.Body.Bytes()).(map[string]any)
		if p["status"] != json.Number(fmt.Sprint(w.Code)) {
			return "its status is not that of the answer"
		}
		return misfit(s.doc, map[string]any{"$ref": "#/components/schemas/Problem"}, p, "problem")
	}
	path, _, _ = strings.Cut(path, "?")
	for template, of := range s.doc["paths"].(map[string]any) {
		if pattern := "^" + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(template, "[^/]+") + "$"; !regexp.MustCompile(pattern).MatchString(path) {
			continue
		}
		operation, ok := of.(map[string]any)[strings.ToLower(method)].(map[string]any)
		if !ok {
			continue
		}
		answer, ok := operation["responses"].(map[string]any)[fmt.Sprint(w.Code)].(map[string]any)
		if !ok {
			return "its status is not described"
		}
		of, ok := answer["content"].(map[string]any)[kind].(map[string]any)
		if !ok {
			return "its media type is not described: " + kind
		}
		if kind != "application/json" {
			return ""
		}
		return misfit(s.doc, of["schema"].(map[string]any), decode(s.t, w.Body.Bytes()), "answer")
	}
	return "its route is not described"
}

func TestArchives(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { playArchive(t, file) }) })
	}
}

// playArchive asks what the files of an archive are called, with their contents, and holds the
// answers against the files called "answer" behind them. The comment may name options.
func playArchive(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	options := []Option{WithFrontEnd(front{}), WithVersion("test")}
	for word, o := range map[string]Option{"hide-data": WithHiddenData(), "read-only": WithReadOnly(), "no-front": WithFrontEnd(nil)} {
		if strings.Contains(string(archive.Comment), "options:") && strings.Contains(string(archive.Comment), word) {
			options = append(options, o)
		}
	}
	s := newServer(t, options...)
	var out []txtar.File
	for i, f := range archive.Files {
		if f.Name == "answer" {
			continue
		}
		method, path, _ := strings.Cut(f.Name, " ")
		if method == "wait" {
			d, err := time.ParseDuration(path)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
			out = append(out, f)
			continue
		}
		status, body := s.ask(method, path, string(f.Data))
		got := fmt.Sprintf("%d\n%s", status, indented(body))
		if !*update && (i+1 == len(archive.Files) || archive.Files[i+1].Name != "answer") {
			t.Fatalf("%s has no answer behind it", f.Name)
		}
		if !*update {
			if diff := cmp.Diff(string(archive.Files[i+1].Data), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", f.Name, diff)
			}
		}
		out = append(out, f, txtar.File{Name: "answer", Data: []byte(got)})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: out}), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// indented is JSON for people; other text as it is.
func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return strings.TrimRight(text, "\n") + "\n"
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
