package store

import (
	"context"
	"iter"
	"strings"
	"time"
)

// This file is for a move of all that one store keeps to another one. Both have the tables that
// are named here, whatever else they have, and what the columns are called is the same.

// Exporter is a store, at one moment, of which all can be read.
type Exporter interface {
	// Rows gives the rows of a table in its order, each with a value for each column: nil, or
	// a string, an int64, a bool or a time.Time by its type.
	Rows(ctx context.Context, t *Table) iter.Seq2[[]any, error]
	// Counts is as in Overview.
	Counts(ctx context.Context, machine string, since time.Time) (Counts, error)
	// Epoch is the last fencing token that was given.
	Epoch(ctx context.Context) (int64, error)
}

// Table is a table with what belongs to runs.
type Table struct {
	Name    string
	Columns []Column
	Order   string // what its rows are ordered by, in SQL
}

// Column is a column of a table.
type Column struct {
	Name string
	Type ColumnType
}

// ColumnType is what a column has.
type ColumnType byte

// The types of columns.
const (
	TextColumn    ColumnType = 's'
	IntegerColumn ColumnType = 'i'
	TruthColumn   ColumnType = 'b'
	TimeColumn    ColumnType = 't'
)

// Names are those of the columns, as SQL has them.
func (t *Table) Names() []string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, `"`+c.Name+`"`)
	}
	return names
}

// Tables are all that a store keeps, but for its counts and the last epoch, in the order in
// which one may need another. A new column of a store belongs here, too.
var Tables = []Table{
	table("definitions", "hash", "s:hash machine source definition"),
	table("runs", "run", "s:run machine definition state status outcome", "b:paused", "i:seq", "t:started entered updated",
		"s:snapshot parent root total told tags"),
	table("tags", "run, name", "s:run name value", "t:began"),
	table("history", "run, seq", "s:run", "i:seq", "t:at", "s:kind input source target effect record"),
	table("tasks", "id", "s:run do", "i:seq", "s:machine definition activity key", "i:attempt visit", "b:awake",
		"t:queued not_before", "i:epoch", "s:worker", "t:claimed lease_until beat progress", "i:lost", "b:cancelled",
		"i:timeout_ns heartbeat_ns progress_ns", "s:child", "b:ended"),
	table("checkpoints", "key", "s:key run", "t:at", "s:data"),
	table("timers", "run, name", "s:run name", "t:due", "b:awake"),
	table("outbox", "run, seq, n", "s:id run", "i:seq n", "s:machine event data", "t:at", "b:next", "t:ready", "i:attempt",
		"s:worker reason", "t:delivered"),
	table("inbox", "run, event_id", "s:run event_id", "i:seq", "s:answer"),
	table("limits", "machine, activity", "s:machine activity", "i:at_once rate span"),
	table("limited_claims", "machine, activity, n", "s:machine activity", "i:n", "t:at"),
	table("prunings", "at, actor", "t:at", "s:actor reason", "t:before", "s:machine outcome", "i:runs"),
}

// table is one with columns, given by their types: "i:seq n".
func table(name, order string, columns ...string) Table {
	t := Table{Name: name, Order: order}
	for _, some := range columns {
		for column := range strings.FieldsSeq(some[2:]) {
			t.Columns = append(t.Columns, Column{column, ColumnType(some[0])})
		}
	}
	return t
}
