// Package postgres keeps runs in a PostgreSQL database, which many processes on many hosts
// share: version 14 or later, UTF-8, and its primary. It is the one package that knows the
// driver (pgx), and needs no cgo.
//
// What a call writes is one transaction; the steps of several callers share one. Rows are locked
// in the order run, task, timer, so that no two wait for each other; a run is decided by its
// sequence number, a task by its epoch, which a sequence of the database gives, and no clock takes
// part in either.
//
// Its parts, in the order in which to read them:
//
//   - opening: open.go, url.go, dial.go, options.go, errors.go; schema.go and hosts.go, which bring the
//     tables up to date beside other versions; migrations/
//   - transactions: tx.go, which tries again what may be; clock.go, of the time of the server; columns.go,
//     forms.go and arrays.go, of the text and the parameters of statements
//   - a step: commit.go, alone (standing.go, attempts.go) or in a group commit, as part of a
//     batch of a lane (lanes.go, batch*.go, standings.go); counts.go, history.go
//   - the other calls of the port, a file for each concern: claim*.go, lease.go, tasks.go, limits.go,
//     timers.go, look.go, feed.go, hints.go, tags.go, outbox.go, reports.go, definitions.go, runs.go,
//     loads.go, prune.go; what the other store in SQL reads likewise is in runtime/internal/sqlrow
//   - what is not of the port: archive*.go (runs that have ended, by months), in.go (the store in a
//     transaction of a program), import.go (a move from another store), migrate.go, status.go and
//     roles.go (for operators)
package postgres
