// Package sqlite keeps runs in one SQLite file, durably: it is the store that
// fsmc uses unless told otherwise, and the only package, with those below it,
// that imports a SQLite driver. A binary built without cgo has everything of it
// but the database: Open then says so.
//
// One connection writes, and callers take turns to use it. Who has the turn runs
// all requests that wait in one transaction and answers them after the COMMIT,
// so that many callers share one sync of the disk ("group commit"; writer.go).
// A goroutine of each store that writes moves the write-ahead log into the
// database beside them (walcheckpoint.go). Readers have their own connections,
// which cannot write. Several processes may open one file on one machine; a
// network file system is no place for it.
//
// Its parts, in the order in which to read them:
//
//   - opening: open.go, options.go, connect.go, errors.go, nocgo.go; schema.go, forms.go and
//     migrations/, of the tables
//   - whether the file is ours: footing.go, before each transaction; identity_*.go, hold_*.go, and
//     logname.go, of the write-ahead log that belongs to it
//   - the writer: writer.go and transact.go, of the group commit; statement.go, of the driver;
//     hands.go and leave.go, of calls that may hang; walcheckpoint.go and logroom.go
//   - a step: commit.go, standing.go (the run as it was), history.go; counts.go, tally.go and
//     costs.go
//   - the other calls of the port, a file for each concern: claim.go, lease.go, tasks.go, children.go,
//     limits.go, timers.go, outbox.go, look.go, feed.go, definitions.go, rows.go, runs.go, lists.go,
//     tags.go, overview.go, prune.go; what the other store in SQL reads likewise is in runtime/internal/sqlrow
//   - what is not of the port: backup.go, restore.go and restored.go, move.go and
//     moved.go (to another store)
//
// The file can be read with the sqlite3 shell: `.schema` shows what each
// column means, and the views runs_v, history_v, tasks_v, timers_v and
// outbox_v show times that people can read.
package sqlite
