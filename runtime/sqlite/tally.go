//go:build cgo

package sqlite

import (
	"context"
	"encoding/json"
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

// tally is what the writer knows of the counts in history.
type tally struct {
	ids   map[count]int64 // of names
	names map[int64]count
	fresh []count // names that are not known to be durable

	last    int64           // row of history that this writer has added
	upTo    int64           // row up to which all were added up, when this writer last looked
	sum     map[int64]int64 // by id of the name, of the rows since then, where all of them are this writer's
	version int64           // of the database then; unknown for none
	folding int64           // version that it is to be, where the batch adds up all
	row     []byte          // in the making
}

const unknown = -1 // no version, and that of no database

func newTally() tally {
	return tally{ids: map[count]int64{}, names: map[int64]count{}, sum: map[int64]int64{}, version: unknown, folding: unknown}
}

// encodeCounts gives the counts of a request as a row of history has them. The
// bytes are valid until the next call.
func (t *tx) encodeCounts() ([]byte, error) {
	l := &t.w.tally
	l.row = append(l.row[:0], '[')
	for i := range t.counts {
		c := &t.counts[i]
		var err error
		if c.id, err = t.nameID(&c.count); err != nil {
			return nil, err
		}
		if i > 0 {
			l.row = append(l.row, ',')
		}
		l.row = append(strconv.AppendInt(append(l.row, '['), c.id, 10), ',')
		l.row = append(strconv.AppendInt(l.row, c.n, 10), ']')
	}
	l.row = append(l.row, ']')
	return l.row, nil
}

// nameID gives the id of a count's name.
func (t *tx) nameID(key *count) (int64, error) {
	l := &t.w.tally
	if id, ok := l.ids[*key]; ok {
		return id, nil
	}
	name, err := key.name()
	if err != nil {
		return 0, err
	}
	id, ok, err := first(context.Background(), t, scanOne[int64], selectCountName, name)
	if err == nil && !ok {
		id, err = t.insert(insertCountName, name)
	}
	if err != nil {
		return 0, err
	}
	l.ids[*key], l.names[id] = id, *key
	l.fresh = append(l.fresh, *key)
	return id, nil
}

// forgetFresh drops the names that what was rolled back may have added.
func (l *tally) forgetFresh() {
	if len(l.fresh) > 0 {
		l.version = unknown // the sum may have ids that now have no name
	}
	for i := range l.fresh {
		delete(l.names, l.ids[l.fresh[i]])
		delete(l.ids, l.fresh[i])
	}
	l.fresh = l.fresh[:0]
}

// foldCounts adds up what history has to be counted, where that has become much.
// Where no one else has written since the last time, it is what this writer
// knows.
func (w *writer) foldCounts() error {
	l := &w.tally
	l.folding = unknown
	// The ids of rows that have been pruned are given again: last may be less.
	if l.last >= l.upTo && l.last-l.upTo < foldAt {
		return nil
	}
	t := tx{w: w}
	upTo, _, err := first(context.Background(), &t, scanOne[int64], selectCounted)
	if err != nil {
		return err
	}
	if l.last-upTo < foldAt { // another process has done it
		l.upTo, l.version = upTo, unknown
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
	l.folding = version
	return err
}

// known is what this writer has logged, and the batch.
func (l *tally) known(batch map[int64]int64) counts {
	all := counts{}
	for _, part := range []map[int64]int64{l.sum, batch} {
		for id, n := range part {
			all[l.names[id]] += n
		}
	}
	return all
}

// foldHistory adds up what history itself has to be counted.
func (t *tx) foldHistory() error {
	t.w.tally.version = unknown // the sum has no meaning any more
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

// committed follows what has become of history and the tables with the batch.
func (l *tally) committed(batch map[int64]int64) {
	l.fresh = l.fresh[:0]
	if l.folding == unknown {
		for id, n := range batch {
			l.sum[id] += n
		}
		return
	}
	clear(l.sum)
	l.upTo, l.version = l.last, l.folding
	if len(l.ids) > maxNames {
		clear(l.ids)
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

// uncounted is what history has that is not in the tables. A name that is none
// counts nothing, as one that is missing: figures do not keep steps from being
// taken.
func uncounted(ctx context.Context, from source) (counts, error) {
	all := counts{}
	_, err := list(ctx, from, func(found row, _ *struct{}) error {
		var name []byte
		var n int64
		if err := found.Scan(&name, &n); err != nil {
			return err
		}
		if key, ok := countNamed(name); ok {
			all[key] += n
		}
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

func countNamed(name []byte) (c count, ok bool) {
	var n countName
	if json.Unmarshal(name, &n) != nil {
		return c, false
	}
	i := slices.IndexFunc(countTables, func(t *countTable) bool { return t.name == n.Table })
	if i < 0 || len(n.Texts) != countTables[i].texts {
		return c, false
	}
	c = count{table: countTables[i], machine: n.Machine, number: n.Number}
	copy(c.texts[:], n.Texts)
	return c, true
}
