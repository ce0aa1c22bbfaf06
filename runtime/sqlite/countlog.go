//go:build cgo

package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// foldAt is how many batches the log holds before they are added up.
const foldAt = 256

const (
	insertCountLog = `INSERT INTO count_log (counts) VALUES (?)`
	selectCountLog = `SELECT counts FROM count_log`
	deleteCountLog = `DELETE FROM count_log`

	// A number that another connection's commits change, and ours do not.
	selectVersion = `PRAGMA data_version`
)

// countLog is what the writer knows of the log without reading it.
type countLog struct {
	sum     counts // of the last rows, which this writer has added
	rows    int64  // how many these are
	version int64  // of the database when the log was last empty
	last    int64  // number of the row that this batch has added; 0 for none
	folded  bool   // the batch has emptied the log

	encoded map[count][]byte // the JSON of a count without its amount
	row     []byte           // in the making
}

// maxEncoded bounds how many counts are kept in their written form.
const maxEncoded = 4096

// writeCounts logs what the batch has changed. Rows of an emptied log are
// numbered from 1 again, so that the last number says how many there are,
// whichever process has written them.
func (w *writer) writeCounts() error {
	l := &w.log
	l.last, l.folded = 0, false
	row, err := l.encode(w.counts)
	if err != nil || row == nil {
		return err
	}
	result, err := w.session.exec(insertCountLog, string(row))
	if err != nil {
		return err
	}
	if l.last, err = result.LastInsertId(); err != nil || l.last < foldAt {
		return err
	}
	return w.foldCounts()
}

// committed follows what has become of the log with the batch.
func (l *countLog) committed(batch counts) {
	switch {
	case l.folded:
		clear(l.sum)
		l.rows = 0
	case l.last > 0:
		for key, n := range batch {
			l.sum[key] += n
		}
		l.rows++
	}
}

// foldCounts adds the log up in the tables, and empties it. Where no one else
// has written since it was last empty, what it holds is what this writer knows.
func (w *writer) foldCounts() error {
	t, l := tx{w: w}, &w.log
	version, _, err := first(context.Background(), &t, scanOne[int64], selectVersion)
	if err != nil {
		return err
	}
	var all counts
	if version == l.version && l.rows+1 == l.last {
		all = maps.Clone(l.sum)
		for key, n := range w.counts {
			all[key] += n
		}
	} else if all, err = loggedCounts(context.Background(), &t); err != nil {
		return err
	}
	if err := t.addCounts(all); err != nil {
		return err
	}
	_, err = t.exec(deleteCountLog)
	l.version, l.folded = version, true
	return err
}

// addCounts adds to the tables.
func (t *tx) addCounts(all counts) error {
	for key, n := range all {
		if n == 0 {
			continue
		}
		args := []any{key.machine}
		for _, text := range key.texts[:key.table.texts] {
			args = append(args, text)
		}
		if _, err := t.exec(key.table.add, append(args, key.number, n)...); err != nil {
			return err
		}
	}
	return nil
}

// loggedCounts adds up what the log holds.
func loggedCounts(ctx context.Context, from source) (counts, error) {
	rows, err := list(ctx, from, scanOne[[]byte], selectCountLog)
	if err != nil {
		return nil, err
	}
	all := counts{}
	for _, row := range rows {
		if err := all.decode(row); err != nil {
			return nil, fmt.Errorf("%w: the log of counts: %w", ErrDamaged, err)
		}
	}
	return all, nil
}

// countJSON is a count as a row of the log has it. Its amount is the last
// member: see encode.
type countJSON struct {
	Table   string   `json:"t"`
	Machine string   `json:"m"`
	Texts   []string `json:"x"`
	Number  int64    `json:"k"`
	Amount  int64    `json:"n"`
}

// encode gives the counts that are not 0, or nil where there is none. The
// bytes are valid until the next call.
func (l *countLog) encode(c counts) ([]byte, error) {
	l.row = append(l.row[:0], '[')
	for key, n := range c {
		if n == 0 {
			continue
		}
		known := l.encoded[key]
		if known == nil {
			whole, err := json.Marshal(countJSON{key.table.name, key.machine, key.texts[:key.table.texts], key.number, 0})
			if err != nil {
				return nil, err
			}
			if len(l.encoded) >= maxEncoded {
				clear(l.encoded)
			}
			known = whole[:len(whole)-len("0}")]
			l.encoded[key] = known
		}
		if len(l.row) > 1 {
			l.row = append(l.row, ',')
		}
		l.row = append(l.row, known...)
		l.row = append(strconv.AppendInt(l.row, n, 10), '}')
	}
	if len(l.row) == 1 {
		return nil, nil
	}
	l.row = append(l.row, ']')
	return l.row, nil
}

// decode adds what encode gave.
func (c counts) decode(data []byte) error {
	var rows []countJSON
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		i := slices.IndexFunc(countTables, func(t *countTable) bool { return t.name == r.Table })
		if i < 0 || len(r.Texts) != countTables[i].texts {
			return fmt.Errorf("there is no count %q of %d texts", r.Table, len(r.Texts))
		}
		key := count{table: countTables[i], machine: r.Machine, number: r.Number}
		copy(key.texts[:], r.Texts)
		c[key] += r.Amount
	}
	return nil
}
