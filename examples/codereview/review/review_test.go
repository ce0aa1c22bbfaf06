package review

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const diff = `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -1,0 +3,2 @@ package a
+	fmt.Println("here")
+++ counts as added text
@@ -9 +12 @@ func f()
-	old()
+	_ = f()
diff --git a/b.py b/b.py
--- a/b.py
+++ b/b.py
@@ -0,0 +1 @@
+token = "0123456789"
`

func TestAdded(t *testing.T) {
	want := []Line{
		{"a.go", 3, `	fmt.Println("here")`},
		{"a.go", 4, `++ counts as added text`},
		{"a.go", 12, `	_ = f()`},
		{"b.py", 1, `token = "0123456789"`},
	}
	if d := cmp.Diff(want, Added(diff)); d != "" {
		t.Error(d)
	}
}

// TestPatches: the patches of the files are the whole diff, and what is found in them is the same.
func TestPatches(t *testing.T) {
	patches := Patches(diff)
	if len(patches) != 2 || strings.Join(patches, "") != diff || Patches("") != nil {
		t.Errorf("%q", patches)
	}
	if d := cmp.Diff(Analyze(diff), append(Analyze(patches[0]), Analyze(patches[1])...)); d != "" {
		t.Error(d)
	}
}

func TestAnalyze(t *testing.T) {
	var got []string
	for _, c := range Analyze(diff) {
		got = append(got, fmt.Sprintf("%s:%d %s", c.File, c.Line, c.Rule))
	}
	want := []string{"a.go:3 debug-print", "a.go:12 swallowed-error", "b.py:1 secret"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestLoad: the comments of all files, but not of one whose writer died in the middle of it.
func TestLoad(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "comments")
	if _, err := Load(folder, 0); err != nil {
		t.Errorf("nothing was changed: %v", err)
	}
	for i := range 2 {
		if err := Save(filepath.Join(folder, fmt.Sprintf("%d.json", i)), Analyze(diff)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "2.json.new"), []byte("[{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if comments, err := Load(folder, 6); err != nil || len(comments) != 6 {
		t.Errorf("%v, %v", comments, err)
	}
	if comments, err := Load(folder, 7); err == nil {
		t.Errorf("one is missing, and there is no error: %v", comments)
	}
}

// TestTornLine has a thread whose writer died in the middle of a line: the
// comment counts as not posted, and posting again does not glue to the rest.
func TestTornLine(t *testing.T) {
	thread := Thread{Path: filepath.Join(t.TempDir(), "review.md")}
	a, b := NewComment("a.go", 1, "r", "one"), NewComment("a.go", 2, "r", "two")
	if err := thread.Post(a); err != nil {
		t.Fatal(err)
	}
	torn, err := os.ReadFile(thread.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(thread.Path, append(torn, torn[:len(torn)-8]...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := thread.Post(b); err != nil {
		t.Fatal(err)
	}
	got, err := thread.Posted()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]int{a.ID: 1, b.ID: 1}, got); d != "" {
		t.Error(d)
	}
}

func TestModel(t *testing.T) {
	answers := map[string]struct {
		status  int
		content string
		want    int // comments; -1 for an error
	}{
		"fenced":    {200, "```json\n[{\"file\": \"a.go\", \"line\": 3, \"rule\": \"r\", \"text\": \"t\"}]\n```", 1},
		"none":      {200, "[]", 0},
		"prose":     {200, "Looks good to me!", -1},
		"broken":    {200, "[{]", -1},
		"throttled": {429, "", -1},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer key" {
					t.Error("the key is not sent")
				}
				w.WriteHeader(answer.status)
				json.NewEncoder(w).Encode(map[string]any{ //nolint:errcheck // the client sees it
					"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": answer.content}}},
					"usage":   map[string]any{"total_tokens": 1234}})
			}))
			defer server.Close()
			comments, tokens, err := Model{URL: server.URL, Name: "m", Key: "key"}.Analyze(context.Background(), diff)
			if answer.status == http.StatusOK && tokens != 1234 {
				t.Errorf("%d tokens", tokens)
			}
			switch {
			case answer.want < 0 && err == nil:
				t.Errorf("no error, but %v", comments)
			case answer.want >= 0 && (err != nil || len(comments) != answer.want):
				t.Errorf("%v, %v", comments, err)
			}
		})
	}
}
