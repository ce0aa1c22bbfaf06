// Package lines takes apart what is written, line by line.
package lines

import "bytes"

// Writer tells Each of the lines that are written to it. It does not grow with what is written.
type Writer struct {
	Most int                         // bytes of a line; what is longer is cut
	Each func(line []byte, cut bool) // the line has no end, and is the Writer's own

	line []byte // the beginning of the line under way
	cut  bool   // that is longer
}

// Write never fails.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		if room := w.Most - len(w.line); len(line) > room {
			line, w.cut = line[:room], true
		}
		w.line = append(w.line, line...)
		if !ended {
			return n, nil
		}
		w.End()
		p = rest
	}
}

// End ends the line under way.
func (w *Writer) End() {
	w.Each(w.line, w.cut)
	w.line, w.cut = w.line[:0], false
}
