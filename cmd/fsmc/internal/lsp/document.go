package lsp

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// document is one version of an open text. It never changes.
type document struct {
	uri, path string // path is the URI where that names no file
	version   int32
	file      *token.File
	lost      string // why the text is not the one of the editor; empty where it is
}

// AsOpened is the text of a file as an editor opens it: without the byte order mark, which no position counts.
func AsOpened(text []byte) []byte { return bytes.TrimPrefix(text, []byte(token.ByteOrderMark)) }

// maxText is how many bytes of a text are read: the trees of one of short lines take a hundred
// times as much, and a server that needs more than there is takes all findings with it.
const maxText = 4 << 20

// newDocument is a text as it was sent. Of one that is too large nothing is kept.
func newDocument(uri string, version int32, text []byte) *document {
	d := &document{uri: uri, path: pathOf(uri), version: version}
	if len(text) > maxText {
		d.lost = fmt.Sprintf("fsmc does not read this text: it has %d MiB, and in an editor at most %d are read\nDivide it, or check it with `fsmc check`.", len(text)>>20, maxText>>20)
		text = nil
	}
	d.file = token.NewFile(d.path, text)
	return d
}

// losing is d after something that its editor sent, by which its text is unknown.
func (d *document) losing(sent string) *document {
	lost := *d
	lost.lost = "fsmc has lost this text: the editor sent " + sent + "\nClose the file and open it again."
	return &lost
}

// pathOf is the path of the file that uri names, or uri where it names none.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path))
}

func uriOf(path string) string {
	if strings.Contains(path, "://") || strings.HasPrefix(path, "untitled:") {
		return path
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// isFile reports whether the text has a place among files.
func (d *document) isFile() bool { return d.path != d.uri }

// edit is a change of a text, in bytes: those from start to end become so many others.
type edit struct{ start, end, size int }

// moved is where the byte at an offset is after e; one within it is at its start, or at
// its end where last.
func (e edit) moved(offset int, last bool) int {
	switch {
	case offset <= e.start:
		return offset
	case offset >= e.end:
		return offset + e.size - (e.end - e.start)
	case last:
		return e.start + e.size
	}
	return e.start
}

// changed is d after a change, with what that does to places.
func (d *document) changed(c proto.TextDocumentContentChangeEvent, in proto.PositionEncodingKind) (*document, edit, error) {
	old := d.file.Src
	if c.Range == nil {
		return newDocument(d.uri, d.version, []byte(c.Text)), difference(old, c.Text), nil
	}
	start, ok := offsetOf(d.file, c.Range.Start, in)
	end, fits := offsetOf(d.file, c.Range.End, in)
	if !ok || !fits || end < start {
		return nil, edit{}, fmt.Errorf("an edit from line %d to line %d of a text of %d lines", c.Range.Start.Line+1, c.Range.End.Line+1, d.file.Lines())
	}
	text := make([]byte, 0, len(old)-(end-start)+len(c.Text))
	text = append(append(append(text, old[:start]...), c.Text...), old[end:]...)
	return newDocument(d.uri, d.version, text), edit{start, end, len(c.Text)}, nil
}

// difference is the smallest one edit that makes text of old.
func difference(old []byte, text string) edit {
	start := 0
	for start < len(old) && start < len(text) && old[start] == text[start] {
		start++
	}
	end, size := len(old), len(text)
	for end > start && size > start && old[end-1] == text[size-1] {
		end--
		size--
	}
	return edit{start, end, size - start}
}

// offsetOf is the byte at p. A character behind the end of its line is that end, as the
// protocol says; a line that the text does not have is refused.
func offsetOf(f *token.File, p proto.Position, in proto.PositionEncodingKind) (int, bool) {
	if int64(p.Line) >= int64(f.Lines()) {
		return len(f.Src), false
	}
	n := int(p.Line) + 1
	line, begin := f.Line(n), f.LineStart(n)
	if in == proto.UTF8 {
		at := min(int(p.Character), len(line))
		for at > 0 && at < len(line) && !utf8.RuneStart(line[at]) {
			at--
		}
		return begin + at, true
	}
	left := int64(p.Character)
	for at, r := range line {
		width := int64(1)
		if r > 0xFFFF {
			width = 2
		}
		if left < width { // within a rune is before it
			return begin + at, true
		}
		left -= width
	}
	return begin + len(line), true
}

// positionOf is p as the protocol counts.
func positionOf(f *token.File, p token.Pos, in proto.PositionEncodingKind) proto.Position {
	if !p.IsValid() || f == nil {
		return proto.Position{}
	}
	column := p.Column
	if in == proto.UTF16 {
		column = f.UTF16Column(p)
	}
	return proto.Position{Line: uint32(p.Line - 1), Character: uint32(column - 1)}
}

// rangeOf is s as the protocol counts.
func rangeOf(f *token.File, s token.Span, in proto.PositionEncodingKind) proto.Range {
	return proto.Range{Start: positionOf(f, s.Start, in), End: positionOf(f, s.End, in)}
}
