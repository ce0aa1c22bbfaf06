package lsp

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// snapshot is what the files of a folder are together, at one moment. It never changes;
// what is asked of it is found out when it is first asked for.
type snapshot struct {
	server *server
	folder *folder
	key    string
	docs   map[string]*document // open ones of the folder, by path
	open   map[string]*document // open ones, by path: the folder may import others
	beyond []string             // paths, where more files than those of the folder are looked at together

	unit  func() *lang.Unit
	names func() *names
}

func newSnapshot(f *folder, docs map[string]*document) *snapshot {
	s := &snapshot{server: f.server, folder: f, key: f.key, docs: map[string]*document{}, open: map[string]*document{}}
	for _, d := range docs {
		s.open[d.path] = d
		if f.server.keyOf(d) == f.key {
			s.docs[d.path] = d
		}
	}
	s.unit = sync.OnceValue(s.load)
	s.names = sync.OnceValue(func() *names { return namesOf(s.unit()) })
	return s
}

// load reads and resolves the unit: the files of the folder, and open texts in place of
// what these files have in them. Where that fails it is the open texts alone.
func (s *snapshot) load() *lang.Unit {
	if paths := s.paths(); paths != nil {
		if unit, err := s.server.Load(paths, s.texts()); err == nil {
			return unit
		}
	}
	var sources []lang.Source
	for _, path := range slices.Sorted(maps.Keys(s.docs)) {
		sources = append(sources, lang.Source{Name: path, Src: s.docs[path].file.Src})
	}
	return lang.Load(sources)
}

func (s *snapshot) texts() map[string][]byte {
	out := map[string][]byte{}
	for path, d := range s.open {
		out[path] = d.file.Src
	}
	return out
}

// paths are the files of the folder, those that only the editor has too; nil for a text
// that is no file.
func (s *snapshot) paths() []string {
	if s.beyond != nil {
		return s.beyond
	}
	var paths []string
	for path, d := range s.docs {
		if !d.isFile() {
			return nil
		}
		paths = append(paths, path)
	}
	entries, err := os.ReadDir(s.key)
	if err != nil {
		entries = nil // of a folder that is not there yet
	}
	for _, e := range entries {
		path := filepath.Join(s.key, e.Name())
		if !e.IsDir() && filepath.Ext(path) == ".fsm" && s.docs[path] == nil {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// view is an open text in its snapshot: what a request is about.
type view struct {
	*snapshot
	doc *document
	now map[string]*document // open ones, by path; the snapshot may be older than those that its folder does not read
}

// file is the text called path, as it is in the snapshot; nil for one that is not there.
func (s *snapshot) file(path string) *token.File { return s.unit().File(path) }

// rangeOf is a span as the protocol counts.
func (s *snapshot) rangeOf(span token.Span) proto.Range {
	return rangeOf(s.file(span.Start.Filename), span, s.server.encoding)
}

// locationOf is where a span stands.
func (s *snapshot) locationOf(span token.Span) proto.Location {
	return proto.Location{URI: s.uriOf(span.Start.Filename), Range: s.rangeOf(span)}
}

// uriOf is the URI of a text: of an open one as the editor wrote it.
func (s *snapshot) uriOf(path string) string {
	if d := s.open[path]; d != nil {
		return d.uri
	}
	return uriOf(path)
}

// offset is the byte at a place of the text; past its end it is the end.
func (v *view) offset(p proto.Position) int {
	at, _ := offsetOf(v.doc.file, p, v.server.encoding)
	return at
}

// span is a stretch of the text.
func (v *view) span(start, end int) proto.Range {
	return rangeOf(v.doc.file, v.doc.file.Span(start, end), v.server.encoding)
}

// machineAt is the machine of the text around a place; nil for none.
func (v *view) machineAt(offset int) *ir.Machine {
	for _, m := range v.unit().Program.Machines {
		if m.Body.Start.Filename == v.doc.path && m.Body.Start.Offset <= offset && offset <= m.Body.End.Offset {
			return m
		}
	}
	return nil
}
