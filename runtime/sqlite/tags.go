//go:build cgo

package sqlite

import (
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	insertTag = `INSERT INTO tags (run, name, value, began) VALUES (?, ?, ?, ?)`
	moveTags  = `UPDATE tags SET began = ? WHERE run = ?`
)

// tagsText are tags as they stand beside their run.
func tagsText(tags map[string]string) any {
	if text := store.EncodeTags(tags); text != nil {
		return *text
	}
	return nil
}

// writeTags writes those of a new run. A repair may say of a run that it was started at
// another time, and with it of its tags.
func (t *tx) writeTags(c *store.Commit) error {
	if c.Repairs != nil {
		_, err := t.exec(moveTags, micros(c.Run.Started), c.Run.Run)
		return err
	}
	if c.Expect > 0 {
		return nil
	}
	for _, name := range machine.TagNames(c.Run.Tags) {
		if _, err := t.exec(insertTag, c.Run.Run, name, c.Run.Tags[name], micros(c.Run.Started)); err != nil {
			return err
		}
	}
	return nil
}
