//go:build cgo

package sqlite

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
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
	updateCounted = `UPDATE counted SET history = ` + newest

	// A number that another connection's commits change, and ours do not.
	selectVersion = `PRAGMA data_version`
)

// Rows of history after counted.history are not in the tables yet. When there are
// foldAt of them a batch adds them: from memory (the sum, and the batch itself)
// where no other connection has committed since this writer last did so, which
// PRAGMA data_version tells; else by reading them (foldHistory). The sum is good
// only while the version is known: whatever makes it doubtful, such as a name that
// was rolled back, a prune, or another process that has added up, makes it unknown,
// and the next time is read from history. Nothing is taken over before the COMMIT:
// see committed.
//
// tally is what the writer knows of all this.
type tally struct {
	ids   map[count]int64 // of names
	names map[int64]count
	fresh []count // names that are not known to be durable

	newest  int64           // row of history, where no other connection has committed
	seen    int64           // data_version when that was so
	upTo    int64           // row up to which all were added up, when this writer last looked
	sum     map[int64]int64 // of the rows since then, by the id of the name
	version int64           // data_version when the sum began
	folding int64           // data_version read by a batch that adds up; unknown where it does not
	row     []byte          // in the making
}

const unknown = -1 // data_version is never negative

func newTally() tally {
	return tally{ids: map[count]int64{}, names: map[int64]count{}, sum: map[int64]int64{}, seen: unknown, version: unknown, folding: unknown}
}

// encodeCounts gives the counts of a request as a row of history has them. The
// bytes are valid until the next call.
func (t *tx) encodeCounts() ([]byte, error) {
	y := &t.w.tally
	y.row = append(y.row[:0], '[')
	for i := range t.counts {
		c := &t.counts[i]
		var err error
		if c.id, err = t.nameID(&c.count); err != nil {
			return nil, err
		}
		if i > 0 {
			y.row = append(y.row, ',')
		}
		y.row = append(strconv.AppendInt(append(y.row, '['), c.id, 10), ',')
		y.row = append(strconv.AppendInt(y.row, c.n, 10), ']')
	}
	y.row = append(y.row, ']')
	return y.row, nil
}

// nameID gives the id of a count's name.
func (t *tx) nameID(key *count) (int64, error) {
	y := &t.w.tally
	if id, ok := y.ids[*key]; ok {
		return id, nil
	}
	name, err := key.name()
	if err != nil {
		return 0, err
	}
	id, ok, err := sqlrow.First(context.Background(), t, sqlrow.One[int64], selectCountName, name)
	if err == nil && !ok {
		id, err = t.insert(insertCountName, name)
	}
	if err != nil {
		return 0, err
	}
	y.ids[*key], y.names[id] = id, *key
	y.fresh = append(y.fresh, *key)
	return id, nil
}

// forgetFresh drops the names that what was rolled back may have added.
func (y *tally) forgetFresh() {
	if len(y.fresh) > 0 {
		y.version = unknown // the sum may have ids that now have no name
	}
	for i := range y.fresh {
		delete(y.names, y.ids[y.fresh[i]])
		delete(y.ids, y.fresh[i])
	}
	y.fresh = y.fresh[:0]
}

// foldCounts adds up what history has to be counted, where that has become much.
// Where no one else has written since the last time, it is what this writer
// knows.
func (w *writer) foldCounts() error {
	y := &w.tally
	y.folding = unknown
	if w.effects.newest-y.upTo < foldAt {
		return nil
	}
	upTo, err := w.session.number(selectCounted)
	if err != nil {
		return err
	}
	if w.effects.newest-upTo < foldAt { // another process has done it
		y.upTo, y.version = upTo, unknown
		return nil
	}
	t := tx{w: w}
	if y.seen == y.version {
		err = t.fold(y.known(w.effects.counts))
	} else {
		err = t.foldHistory()
	}
	y.folding = y.seen
	return err
}

// known is what history has to be counted, from memory: what this writer has
// committed since all was added up, and the batch.
func (y *tally) known(batch map[int64]int64) counts {
	all := counts{}
	for _, part := range []map[int64]int64{y.sum, batch} {
		for id, n := range part {
			all[y.names[id]] += n
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
func (y *tally) committed(batch *effects) {
	y.fresh, y.newest = y.fresh[:0], batch.newest
	if y.folding == unknown {
		for id, n := range batch.counts {
			y.sum[id] += n
		}
		return
	}
	clear(y.sum)
	y.upTo, y.version = y.newest, y.folding
	if len(y.ids) > maxNames {
		clear(y.ids)
		clear(y.names)
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
func uncounted(ctx context.Context, from sqlrow.Source) (counts, error) {
	all := counts{}
	_, err := sqlrow.List(ctx, from, func(found sqlrow.Row, _ *struct{}) error {
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
