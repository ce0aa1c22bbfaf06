// Package postgres keeps runs in a PostgreSQL database, which many processes on many hosts
// share: version 14 or later, UTF-8, and its primary. It is the one package that knows the
// driver (pgx), and needs no cgo.
//
// What a call writes is one transaction; the steps of several callers share one. Rows are locked in the order run, task, timer, so that
// no two wait for each other; a run is decided by its sequence number, a task by its epoch,
// which a sequence of the database gives, and no clock takes part in either.
package postgres
