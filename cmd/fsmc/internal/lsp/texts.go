package lsp

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
)

func (s *server) opened(p proto.DidOpenTextDocumentParams) error {
	t := p.TextDocument
	d := newDocument(t.URI, t.Version, []byte(t.Text))
	s.docs[t.URI] = d
	f := s.folderOf(d)
	var edits []edit
	if old := f.file(d.path); old != nil { // before it was opened, in which rules may have found something
		edits = []edit{difference(old.Src, string(d.file.Src))}
	}
	f.renew(s.docs, d.path, edits...)
	s.renewOthers(f, d.path)
	return nil
}

// edited takes edits of an open text. Where they cannot be read, the text is lost.
func (s *server) edited(req *jsonrpc2.Request) error {
	var p proto.DidChangeTextDocumentParams
	err := decode(req.Params, &p)
	if err == nil {
		return s.changed(p)
	}
	if d := s.docs[p.TextDocument.URI]; d != nil {
		lost := d.losing("an edit that cannot be read: " + err.Error())
		lost.version = p.TextDocument.Version
		s.docs[lost.uri] = lost
		s.folderOf(lost).renew(s.docs, lost.path)
	}
	return err
}

// changed takes edits of an open text.
func (s *server) changed(p proto.DidChangeTextDocumentParams) error {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return errors.New("the text is not open: " + p.TextDocument.URI)
	}
	f := s.folderOf(d)
	var edits []edit
	for _, c := range p.ContentChanges {
		if d.lost != "" && c.Range != nil {
			continue
		}
		next, e, err := d.changed(c, s.encoding)
		if err != nil {
			d = d.losing(err.Error())
			continue
		}
		edits = append(edits, e)
		d = next
	}
	known := *d
	known.version = p.TextDocument.Version
	s.docs[known.uri] = &known
	f.renew(s.docs, d.path, edits...)
	s.renewOthers(f, d.path)
	return nil
}

// renewOthers makes the text at path the latest in the folders, beside f, that import it.
func (s *server) renewOthers(f *folder, path string) {
	for _, other := range s.allFolders() {
		if other != f && other.file(path) != nil {
			other.renew(s.docs, "")
		}
	}
}

// closed forgets an open text; the file counts from here on.
func (s *server) closed(p proto.DidCloseTextDocumentParams) error {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil
	}
	delete(s.docs, d.uri)
	f := s.folderOf(d)
	s.renewOthers(f, d.path)
	for _, other := range s.docs {
		if s.keyOf(other) == f.key {
			f.renew(s.docs, "")
			return nil
		}
	}
	s.mu.Lock()
	delete(s.folders, f.key)
	s.mu.Unlock()
	f.close()
	return nil
}

// reread looks at all files again: one that is not open has changed.
func (s *server) reread() {
	for _, f := range s.allFolders() {
		f.renew(s.docs, "")
	}
}

func (s *server) byPath() map[string]*document {
	open := make(map[string]*document, len(s.docs))
	for _, d := range s.docs {
		open[d.path] = d
	}
	return open
}

func (s *server) allFolders() []*folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.folders))
}

// keyOf is the folder of d; of a text that is no file it is the text itself.
func (s *server) keyOf(d *document) string {
	if !d.isFile() {
		return d.uri
	}
	return filepath.Dir(d.path)
}

// folderOf is the folder of d, which is begun if need be.
func (s *server) folderOf(d *document) *folder {
	key := s.keyOf(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.folders[key]
	if f == nil {
		f = newFolder(s, key)
		s.folders[key] = f
	}
	return f
}

func (s *server) closeFolders() {
	for _, f := range s.allFolders() {
		f.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.folders)
}
