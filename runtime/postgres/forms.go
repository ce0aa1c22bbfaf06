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
// are its columns ("n bigint, run text"), and i, the number of the row.
func table(columns string) string { return "[[" + columns + "]] AS q" }

// formOf is the form of a text with tables.
func formOf(text string) form { return form{expand(text, manyRows), expand(text, oneRow)} }

func expand(text string, table func(names, kinds []string) string) string {
	for {
		before, rest, found := strings.Cut(text, "[[")
		if !found {
			return text
		}
		columns, after, _ := strings.Cut(rest, "]]")
		var names, kinds []string
		for column := range strings.SplitSeq(columns, ",") {
			words := strings.Fields(column)
			names, kinds = append(names, words[0]), append(kinds, words[1])
		}
		text = before + table(names, kinds) + after
	}
}

// manyRows unnests the first parameter alone: each unnest has a fixed cost, and a batch is small.
func manyRows(names, kinds []string) string {
	var fields []string
	for i := range names[1:] {
		fields = append(fields, fmt.Sprintf("($%d :: %s[])[i] AS %s", i+2, kinds[i+1], names[i+1]))
	}
	return fmt.Sprintf("(SELECT i, %s, %s FROM unnest($1 :: %s[]) WITH ORDINALITY AS u (%s, i))",
		names[0], strings.Join(fields, ", "), kinds[0], names[0])
}

func oneRow(names, kinds []string) string {
	fields := []string{"1 AS i"}
	for i := range names {
		fields = append(fields, fmt.Sprintf("$%d :: %s AS %s", i+1, kinds[i], names[i]))
	}
	return "(SELECT " + strings.Join(fields, ", ") + ")"
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
