package postgres

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The most frequent batches make or move runs, with their records, answers, tags, first tasks, timers and counts: such a batch is
// sent as one statement, whose other parts see what the first one has written. What each statement costs beside
// its rows is more than the rows of a lone step cost. The parts are carried out on one state of the tables, so no two may
// write to one table.
var (
	joined = []form{moveRuns, makeRuns, insertRecords, insertAnswers, insertTags, insertTasks, deleteTimers, upsertTimers,
		insertCount, insertCountsOf}
	begun   = []beginning{beginningOf(moveFirst), beginningOf(makeFirst)} // for the first of joined
	letters = "mnratkdust"                                                // their names

	joins     sync.Map // texts, by the letters of the parts that there are, in capitals for one row
	parameter = regexp.MustCompile(`\$[0-9]+`)
)

// beginning is the part that writes runs, for a batch of one commit and of several.
type beginning struct{ one, many form }

func beginningOf(written string) beginning {
	return beginning{one: formOf(written), many: formOf(written + `, refused AS (` + notWritten + `)`)}
}

// join gives the statement for all that a batch writes, and its parameters. It returns the numbers of the
// commits that are refused. The text is empty for a batch of another kind.
func (b *batch) join() (text string, values []any) {
	if !b.quick {
		return "", nil
	}
	key := make([]byte, len(b.writes))
	for i := range b.writes {
		w := &b.writes[i]
		at := slices.Index(joined, w.form)
		if at < 0 || (i == 0) != (at < len(begun)) {
			return "", nil
		}
		key[i] = letters[at]
		if w.alone() {
			key[i] -= 'a' - 'A'
		}
		values = append(values, w.values()...)
	}
	if bytes.ContainsAny(key, "dD") && bytes.ContainsAny(key, "uU") { // both write to timers
		return "", nil
	}
	known, ok := joins.Load(string(key))
	if !ok {
		known, _ = joins.LoadOrStore(string(key), joinTexts(b.writes))
	}
	return known.(string), values
}

// joinTexts numbers the parameters of all parts through.
func joinTexts(writes []rows) string {
	first := writes[0] // a row for each commit
	single := first.alone()
	begin := begun[slices.Index(joined, first.form)]
	if first.form = begin.many; single {
		first.form = begin.one
	}
	text, before := first.text(), len(first.columns)
	for i, w := range writes[1:] {
		text += fmt.Sprintf(", part%d AS (%s)", i, parameter.ReplaceAllStringFunc(w.text(), func(p string) string {
			n, _ := strconv.Atoi(p[1:])
			return "$" + strconv.Itoa(before+n)
		}))
		before += len(w.columns)
	}
	if single {
		return strings.ReplaceAll(text, admitted, " EXISTS (SELECT FROM written)") +
			" SELECT CASE WHEN EXISTS (SELECT FROM written) THEN '{}' ELSE '{1}' :: bigint[] END"
	}
	return strings.ReplaceAll(text, refused, "(SELECT rest FROM refused)") + " SELECT rest FROM refused"
}
