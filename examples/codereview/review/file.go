package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Save keeps the comments that are to be posted. The file is there whole or
// not at all: it is written beside its place and renamed.
func Save(path string, comments []Comment) error {
	data, err := json.Marshal(comments)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Load reads what Save kept in the files of a folder: so many comments, or it is an error.
func Load(folder string, want int64) (comments []Comment, err error) {
	files, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) { // no file was changed
		return nil, err
	}
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".json" {
			continue // not whole yet
		}
		data, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, err
		}
		var some []Comment
		if err := json.Unmarshal(data, &some); err != nil {
			return nil, err
		}
		comments = append(comments, some...)
	}
	if n := int64(len(comments)); n != want {
		return nil, fmt.Errorf("%s has %d comments, not %d", folder, n, want)
	}
	return comments, nil
}

// Thread is a review file: one line of Markdown for each posted comment, which
// ends in the comment's ID.
type Thread struct{ Path string }

const marker = " <!-- "

// Posted is how often each comment stands in the thread. A comment that was
// cut off in the middle of its line does not count.
func (t Thread) Posted() (map[string]int, error) {
	data, err := os.ReadFile(t.Path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	posted := map[string]int{}
	for line := range strings.Lines(string(data)) {
		_, id, found := strings.Cut(strings.TrimRight(line, "\n"), marker)
		if id, whole := strings.CutSuffix(id, " -->"); found && whole {
			posted[id]++
		}
	}
	return posted, nil
}

// Post appends c. Posting is not idempotent, as with a real forge: whoever
// posts looks first whether it has been done.
func (t Thread) Post(c Comment) error {
	f, err := os.OpenFile(t.Path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	var line bytes.Buffer
	if torn, err := endsTorn(f); err != nil {
		return err
	} else if torn {
		line.WriteByte('\n')
	}
	fmt.Fprintf(&line, "- %s:%d **%s** %s%s%s -->\n", c.File, c.Line, c.Rule, c.Text, marker, c.ID)
	if _, err := f.Write(line.Bytes()); err != nil {
		return err
	}
	return f.Close()
}

// endsTorn reports whether the last line of f was cut off.
func endsTorn(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return last[0] != '\n', err
}
