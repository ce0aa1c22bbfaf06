package lsp

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
)

var update = flag.Bool("update", false, "write what the scripts print")

// TestScripts plays the conversations of testdata. An archive has files, and lines of a
// script in its comment:
//
//	open FILE             the editor opens a file of the archive
//	replace FILE "A" "B"  the first A becomes B
//	findings              what is found in the end
//	METHOD FILE "A" [N]   a request about the N-th A of a file; or about the file alone
//	rename FILE "A" NAME
//	fixAll FILE           what an editor asks for before it saves
//
// What they print is the file "want".
func TestScripts(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("there are no scripts", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p := &player{client: begin(t, Options{}), files: map[string]string{}}
			p.s.Load = loadBelow(p.dir)
			want := -1
			for i, f := range a.Files {
				if f.Name == "want" {
					want = i
					continue
				}
				p.files[f.Name] = string(f.Data)
				if err := os.MkdirAll(filepath.Dir(p.path(f.Name)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p.path(f.Name), f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for line := range strings.Lines(string(a.Comment)) {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
					fmt.Fprintf(&p.out, "> %s\n", line)
					p.play(words(line))
				}
			}
			got := strings.ReplaceAll(p.out.String(), uriOf(p.dir), "file://DIR")
			if *update {
				if want < 0 {
					a.Files = append(a.Files, txtar.File{Name: "want"})
					want = len(a.Files) - 1
				}
				a.Files[want].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want < 0 {
				t.Fatal("there is no file want; run with -update")
			}
			if diff := cmp.Diff(string(a.Files[want].Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

type player struct {
	*client
	files map[string]string
	out   bytes.Buffer
}

var word = regexp.MustCompile(`"(?:\\.|[^"\\])*"|\S+`)

func words(line string) []string {
	list := word.FindAllString(line, -1)
	for i, w := range list {
		if w[0] == '"' {
			if text, err := strconv.Unquote(w); err == nil {
				list[i] = text
			}
		}
	}
	return list
}

func (p *player) play(w []string) {
	p.t.Helper()
	switch w[0] {
	case "open":
		p.open(w[1], p.files[w[1]])
		p.settle()
	case "replace":
		at := strings.Index(p.texts[w[1]], w[2])
		if at < 0 {
			p.t.Fatalf("%s has no %q", w[1], w[2])
		}
		p.edit(w[1], at, at+len(w[2]), w[3])
		p.settle()
	case "findings":
		p.out.WriteString(p.findings())
	case "rename":
		at := p.at(w[1], w[2], 1)
		p.ask("textDocument/rename", proto.RenameParams{TextDocumentPositionParams: at, NewName: w[3]})
	case "fixAll":
		p.ask("textDocument/codeAction", map[string]any{
			"textDocument": proto.TextDocumentIdentifier{URI: p.uri(w[1])}, "range": proto.Range{},
			"context": map[string]any{"diagnostics": []any{}, "only": []string{"source.fixAll"}},
		})
	case "command":
		args := []json.RawMessage{}
		for _, text := range append([]string{p.uri(w[2])}, w[3:]...) {
			arg, _ := json.Marshal(text)
			args = append(args, arg)
		}
		p.ask("workspace/executeCommand", proto.ExecuteCommandParams{Command: w[1], Arguments: args})
	case "workspace/symbol":
		p.ask(w[0], proto.WorkspaceSymbolParams{Query: w[1]})
	default:
		p.request(w)
	}
}

func (p *player) request(w []string) {
	document := proto.TextDocumentIdentifier{URI: p.uri(w[1])}
	method := "textDocument/" + w[0]
	if strings.Contains(w[0], "/") {
		method = w[0]
	}
	d := newDocument(p.uri(w[1]), 0, []byte(p.texts[w[1]]))
	whole := rangeOf(d.file, d.file.Span(0, len(d.file.Src)), p.s.encoding)
	if len(w) == 2 {
		p.ask(method, map[string]any{"textDocument": document, "range": whole, "context": map[string]any{"diagnostics": []any{}}})
		return
	}
	n := 1
	if len(w) > 3 {
		n, _ = strconv.Atoi(w[3])
	}
	at := p.at(w[1], w[2], n)
	p.ask(method, map[string]any{
		"textDocument": document, "position": at.Position, "positions": []proto.Position{at.Position},
		"range": proto.Range{Start: at.Position, End: at.Position}, "context": map[string]any{"includeDeclaration": true, "diagnostics": []any{}},
	})
}

// ask prints the answer, one line for each element of a list.
func (p *player) ask(method string, params any) {
	var answer any
	if err := p.call(method, params, &answer); err != nil {
		fmt.Fprintf(&p.out, "refused: %v\n", err)
		return
	}
	list, ok := answer.([]any)
	if !ok {
		list = []any{answer}
	}
	for _, item := range list {
		p.out.WriteString(short(item) + "\n")
	}
}

var places = regexp.MustCompile(`\{"end":\{"character":(\d+),"line":(\d+)\},"start":\{"character":(\d+),"line":(\d+)\}\}`)

// short is JSON in which ranges are written as LINE:CHARACTER-LINE:CHARACTER, from 0.
func short(v any) string {
	text, _ := json.Marshal(v)
	return places.ReplaceAllString(string(text), "$4:$3-$2:$1")
}
