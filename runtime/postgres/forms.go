package postgres

import (
	"fmt"
	"reflect"
	"strings"
)

// form is a statement over rows that it is given, a parameter for each of their columns. Where
// there are several a parameter is an array. For one it is a value, which
// the server reads and plans at less than half the cost.
type form struct{ many, one string }

// table is a table q for a FROM in the text of a form: of the parameters of the statement, which
// are its columns ("n bigint, run text"). A column i, which has no kind, is the number of the row: n is behind it then.
func table(columns string) string { return "[[" + columns + "]] AS q" }

// rowCount is how many rows those tables have, whose first column is n.
const rowCount = "[#]"

// formOf is the form of a text with tables.
func formOf(text string) form {
	return form{
		many: expand(text, "cardinality($1 :: bigint[])", "generate_subscripts($1 :: bigint[], 1)", "unnest($%d :: %s[])"),
		one:  expand(text, "1", "1", "$%d :: %s"),
	}
}

// expand writes tables out, with what stands for the number of rows, the number of a row, and its value in a column.
// Several unnest in the list of a SELECT go on together: a FROM would make a store of rows for each of
// them, and an array that is read by subscript is read from its beginning for each of its texts.
func expand(text, count, place, value string) string {
	text = strings.ReplaceAll(text, rowCount, count)
	for {
		before, rest, found := strings.Cut(text, "[[")
		if !found {
			return text
		}
		columns, after, _ := strings.Cut(rest, "]]")
		var fields []string
		n := 0
		for column := range strings.SplitSeq(columns, ",") {
			words, of := strings.Fields(column), place
			if len(words) > 1 {
				n++
				of = fmt.Sprintf(value, n, words[1])
			}
			fields = append(fields, of+" AS "+words[0])
		}
		text = before + "(SELECT " + strings.Join(fields, ", ") + ")" + after
	}
}

// rows are a statement with the columns that it writes.
type rows struct {
	form
	columns []any
}

// alone reports whether there is one row.
func (w *rows) alone() bool {
	if w.one == w.many {
		return false
	}
	return reflect.ValueOf(w.columns[0]).Len() == 1
}

func (w *rows) text() string {
	if w.alone() {
		return w.one
	}
	return w.many
}

// values are the parameters.
func (w *rows) values() []any {
	if !w.alone() {
		return w.columns
	}
	all := make([]any, len(w.columns))
	for i, column := range w.columns {
		all[i] = reflect.ValueOf(column).Index(0).Interface()
	}
	return all
}
