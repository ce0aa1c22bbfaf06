package main

import (
	"errors"
	"fmt"
	"sync"
)

// table is where the rows of all tasks are written, and what cannot be undone.
// It does what a provider of cards or mail would: a batch that was asked for
// under the same key before is not written again, and an attempt older than one
// it has seen is turned away. Key and attempt are those of the runtime.
type table struct {
	mu      sync.Mutex
	keys    map[string]bool
	written map[string]int  // by task and batch: how often
	attempt map[string]int  // by key: the newest that has written
	closed  map[string]bool // tasks that were cleaned up
	repeats int             // batches that were there already
	refused int             // batches of an older attempt
}

func newTable() *table {
	return &table{keys: map[string]bool{}, written: map[string]int{}, attempt: map[string]int{}, closed: map[string]bool{}}
}

// errOld refuses the write of an attempt that has been replaced, or whose task
// has been cleaned up.
var errOld = errors.New("a newer attempt has written")

// close refuses whatever is written to a task from now on.
func (t *table) close(task string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed[task] = true
}

// write writes the batch that begins at row.
func (t *table) write(task, key string, attempt, row int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed[task] || attempt < t.attempt[key] {
		t.refused++
		return errOld
	}
	t.attempt[key] = attempt
	name := fmt.Sprintf("%s/%d", key, row)
	if t.keys[name] {
		t.repeats++
		return nil
	}
	t.keys[name] = true
	t.written[fmt.Sprintf("%s/%d", task, row)]++
	return nil
}

// twice is how many batches have been written more than once.
func (t *table) twice() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, times := range t.written {
		if times > 1 {
			n++
		}
	}
	return n
}

// whole reports whether every row of a task has been written.
func (t *table) whole(task string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for row := 0; row < rows; row += batch {
		if t.written[fmt.Sprintf("%s/%d", task, row)] == 0 {
			return false
		}
	}
	return true
}
