//go:build cgo

package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// foldAt is how many rows of history are left before their counts are added up.
const foldAt = 4096

// maxNames bounds how many names of counts a writer remembers.
const maxNames = 1 << 16

const (
	selectCountName = `SELECT id FROM count_names WHERE name = ?`
	insertCountName = `INSERT INTO count_names (name) VALUES (?)`

	selectUncounted = `
	SELECT name, sum(change.value ->> 1) FROM counted
	JOIN history ON history.id > counted.history
	JOIN json_each(history.counts) AS change
	JOIN count_names ON count_names.id = change.value ->> 0
	GROUP BY count_names.id`

	selectCounted = `SELECT history FROM counted`
	updateCounted = `UPDATE counted SET history = (SELECT coalesce(max(id), 0) FROM history)`

	// A number that another connection's commits change, and ours do not.
	selectVersion = `PRAGMA data_version`
)

// countLog is what the writer knows of the counts in history.
type countLog struct {
	numbers map[count]int64 // of names
	names   map[int64]count
	fresh   []count // names that are not known to be durable

	last    int64           // row of history that this writer has added
	counted int64           // row up to which all were added up, when this writer last looked
	sum     map[int64]int64 // by number, of the rows since then, where all of them are this writer's
	version int64           // of the database then; unknown for none
	folded  bool            // the batch has added up all
	row     []byte          // in the making
}

const unknown = -1

func newCountLog() countLog {
	return countLog{numbers: map[count]int64{}, names: map[int64]count{}, sum: map[int64]int64{}, version: unknown}
}

// encodeCounts gives the counts of a request as a row of history has them. The
// bytes are valid until the next call.
func (t *tx) encodeCounts() ([]byte, error) {
	l := &t.w.log
	l.row = append(l.row[:0], '[')
	for i := range t.counts {
		c := &t.counts[i]
		var err error
		if c.number, err = t.number(&c.count); err != nil {
			return nil, err
		}
		if i > 0 {
			l.row = append(l.row, ',')
		}
		l.row = append(strconv.AppendInt(append(l.row, '['), c.number, 10), ',')
		l.row = append(strconv.AppendInt(l.row, c.n, 10), ']')
	}
	l.row = append(l.row, ']')
	return l.row, nil
}

// number gives the number of a count's name.
func (t *tx) number(key *count) (int64, error) {
	l := &t.w.log
	if number, ok := l.numbers[*key]; ok {
		return number, nil
	}
	name, err := key.name()
	if err != nil {
		return 0, err
	}
	number, ok, err := first(context.Background(), t, scanOne[int64], selectCountName, name)
	if err == nil && !ok {
		number, err = t.insert(insertCountName, name)
	}
	if err != nil {
		return 0, err
	}
	l.numbers[*key], l.names[number] = number, *key
	l.fresh = append(l.fresh, *key)
	return number, nil
}

// forgetFresh drops the names that what was rolled back may have added.
func (l *countLog) forgetFresh() {
	if len(l.fresh) > 0 {
		l.version = unknown // the sum may have numbers that now have no name
	}
	for i := range l.fresh {
		delete(l.names, l.numbers[l.fresh[i]])
		delete(l.numbers, l.fresh[i])
	}
	l.fresh = l.fresh[:0]
}

// foldCounts adds up what history has to be counted, where that has become much.
// Where no one else has written since the last time, it is what this writer
// knows.
func (w *writer) foldCounts() error {
	l := &w.log
	l.folded = false
	if l.last >= l.counted && l.last-l.counted < foldAt { // rows that were pruned last have their ids taken again
		return nil
	}
	t := tx{w: w}
	counted, _, err := first(context.Background(), &t, scanOne[int64], selectCounted)
	if err != nil {
		return err
	}
	if l.last-counted < foldAt { // another process has done it
		l.counted, l.version = counted, unknown
		return nil
	}
	version, _, err := first(context.Background(), &t, scanOne[int64], selectVersion)
	if err != nil {
		return err
	}
	if version == l.version {
		err = t.fold(l.known(w.effects.counts))
	} else {
		err = t.foldHistory()
	}
	if err != nil {
		l.version = unknown
		return err
	}
	l.version, l.folded = version, true
	return nil
}

// known is what this writer has logged, and the batch.
func (l *countLog) known(batch map[int64]int64) counts {
	all := counts{}
	for _, part := range []map[int64]int64{l.sum, batch} {
		for number, n := range part {
			all[l.names[number]] += n
		}
	}
	return all
}

// foldHistory adds up what history itself has to be counted.
func (t *tx) foldHistory() error {
	t.w.log.version = unknown // the sum has no meaning any more
	all, err := uncounted(context.Background(), t)
	if err != nil {
		return err
	}
	return t.fold(all)
}

func (t *tx) fold(all counts) error {
	if err := t.addCounts(all); err != nil {
		return err
	}
	_, err := t.exec(updateCounted)
	return err
}

// committed follows what has become of the log with the batch.
func (l *countLog) committed(batch map[int64]int64) {
	l.fresh = l.fresh[:0]
	if !l.folded {
		for number, n := range batch {
			l.sum[number] += n
		}
		return
	}
	clear(l.sum)
	l.counted = l.last
	if len(l.numbers) > maxNames {
		clear(l.numbers)
		clear(l.names)
	}
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

// uncounted is what history has that is not in the tables.
func uncounted(ctx context.Context, from source) (counts, error) {
	all := counts{}
	_, err := list(ctx, from, func(found row, _ *struct{}) error {
		var name []byte
		var n int64
		if err := found.Scan(&name, &n); err != nil {
			return err
		}
		key, err := countNamed(name)
		if err != nil {
			return fmt.Errorf("%w: the names of counts: %w", ErrDamaged, err)
		}
		all[key] += n
		return nil
	}, selectUncounted)
	return all, err
}

// countName is how count_names has a count.
type countName struct {
	Table   string   `json:"t"`
	Machine string   `json:"m"`
	Texts   []string `json:"x"`
	Number  int64    `json:"k"`
}

func (c *count) name() (string, error) {
	name, err := json.Marshal(countName{c.table.name, c.machine, c.texts[:c.table.texts], c.number})
	return string(name), err
}

func countNamed(name []byte) (c count, err error) {
	var n countName
	if err := json.Unmarshal(name, &n); err != nil {
		return c, err
	}
	i := slices.IndexFunc(countTables, func(t *countTable) bool { return t.name == n.Table })
	if i < 0 || len(n.Texts) != countTables[i].texts {
		return c, fmt.Errorf("there is no count %q of %d texts", n.Table, len(n.Texts))
	}
	c = count{table: countTables[i], machine: n.Machine, number: n.Number}
	copy(c.texts[:], n.Texts)
	return c, nil
}
