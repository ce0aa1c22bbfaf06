package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// printJSON writes v indented, with a newline, and without escaping < > &. What could
// do something to a terminal stands there by its number.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, describe.MapUnprintable(b.String(), func(r rune) string { return fmt.Sprintf(`\u%04x`, r) }))
	return err
}

// ofStored are the streams of a command that prints what others have stored.
func (s *streams) ofStored() *streams {
	stored := *s
	stored.out = printableOnly{s.out}
	return &stored
}

// printableOnly writes what is printable. Each write is of whole characters.
type printableOnly struct{ io.Writer }

func (p printableOnly) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.Writer, describe.Printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// output is standard output, and keeps the first error of writing there, which
// stands for those that follow and ends the command, see Main: what only prints does not
// ask for it. What goes on printing without end does.
type output struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.mu.Lock()
		o.err = cmp.Or(o.err, err)
		err = o.err
		o.mu.Unlock()
	}
	return n, err
}

func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// color reports whether w is a terminal that wants colours: NO_COLOR, set to
// anything, turns them off (https://no-color.org).
func color(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// write puts content where -o says: into a file, or for "" and "-" on standard
// output.
func (s *streams) write(output string, content []byte) error {
	if output == "" || output == "-" {
		_, err := s.out.Write(content)
		return err
	}
	if err := replaceFile(output, content); err != nil {
		return fmt.Errorf("file %q cannot be written: %w", output, reason(err))
	}
	return nil
}

// writeMade is write for what is made of a machine: no machine is replaced by it.
func (s *streams) writeMade(output string, content []byte) error {
	if filepath.Ext(output) == ".fsm" {
		return fmt.Errorf("file %q is left alone: a name that ends in .fsm is for machines, so write to another file", output)
	}
	return s.write(output, content)
}

// replaceFile gives the file at path new content: all of it or, where anything
// fails, none. Its permissions stay; a symbolic link stays a link. What is no
// regular file (a pipe, a terminal) is written to.
func replaceFile(path string, content []byte) error {
	mode := os.FileMode(0o644)
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("it is a directory")
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(path, content, mode)
	case err == nil:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// createFile makes the file at path. That there is one is an error.
func createFile(path string, content []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// reason is err without the name of the file, which the caller has said.
func reason(err error) error {
	if e := new(os.PathError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) {
		return e.Err
	}
	return err
}
